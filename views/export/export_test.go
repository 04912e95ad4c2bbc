package export

import (
	"bytes"
	"encoding/csv"
	"errors"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/xuri/excelize/v2"

	"veinte/models"
	"veinte/models/audit/export"
	"veinte/models/audit/sealing"
	"veinte/models/closings"
	"veinte/models/imports"
	"veinte/models/intake"
	"veinte/models/reconciliation"
	"veinte/models/terminals"
	"veinte/views/locale"
	"veinte/views/ui"
)

// nasty are texts that strangers may have got into the trail.
var nasty = []string{
	`=HYPERLINK("http://example.com","x")`, "+1+1", "-2+3", "@SUM(A1)", "\tcmd", "\r\n=1", "\n=1", `quo"te`, "a,b;c", "line\nbreak\r\nagain",
	"right\u202eto\u200fleft", "<b>&amp;</b>", "_x0041_ and linux_x86_64", "\x01\x1f", "\ufffe", "'apostrophe", "",
	strings.Repeat("ñ😀", 20000), "＝1+1", "＠SUM(A1)", "nota;=cmd|' /C calc'!A1", `a; "=1`, "a;\t－1", "dos\n=líneas",
}

var exportedAt = time.Date(2026, 11, 20, 18, 0, 0, 123456000, time.UTC)

func nastyEntry(i int, text string) *export.Entry {
	id, n, amount := int64(i), 2, models.Money(125000)
	return &export.Entry{AuditEntry: models.AuditEntry{
		ID: id, At: exportedAt, ActorID: &id, ActorName: text, ActorRole: models.Manager, OnBehalfOf: text, Action: "cancellation.moved",
		Outcome: "success",
		StoreID: &id, StoreName: text, SerialNumber: "0012345678", SaleID: &id, OrderID: text, CancellationID: &id, AttemptNumber: &n,
		Amount: &amount,
		Before: []byte(`{"state": "sending", "note": "a;=1"}`),
		After:  []byte(`{"state": "confirmed"}`), Reason: text, Address: "::1", UserAgent: text,
		RequestID: text,
	}}
}

func exportHeadOf(tb testing.TB) *ExportHead {
	tb.Helper()
	calendar, err := models.NewCalendar("20:00", "America/Mexico_City")
	if err != nil {
		tb.Fatal(err)
	}
	return &ExportHead{
		ID: 7, At: exportedAt, Zone: calendar.Zone(), By: models.Actor{Name: "=Sara", Role: models.Supervisor},
		Filters: []ui.FilterFact{{Label: "Palabras", Value: "=1\n+2", Code: ""}},
	}
}

func writeExport(tb testing.TB, x export.Writer, texts []string) {
	tb.Helper()
	if err := x.Begin(); err != nil {
		tb.Fatal(err)
	}
	for i, text := range texts {
		if err := x.Entry(nastyEntry(i+1, text)); err != nil {
			tb.Fatal(err)
		}
	}
	err := x.End(export.Totals{Entries: int64(len(texts)), Checkpoint: &sealing.Checkpoint{
		Size: 5, SealedAt: exportedAt, Note: "origin\n5\n",
	}})
	if err != nil {
		tb.Fatal(err)
	}
}

// TestExportCSVOfNastyTexts: what strangers wrote stays what it is, in one row
// each, and no spreadsheet reckons it.
func TestExportCSVOfNastyTexts(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	x := NewExportCSV(locale.With(t.Context(), "es-MX"), &out, exportHeadOf(t))
	writeExport(t, x, nasty)
	rows, err := csv.NewReader(strings.NewReader(strings.TrimPrefix(out.String(), "\ufeff"))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	seen := 0
	for _, row := range rows {
		if n, err := strconv.Atoi(row[0]); err == nil {
			seen++
			want := strings.ReplaceAll(nasty[n-1], "\r\n", "\n") // as encoding/csv reads it
			if got := strings.ReplaceAll(row[9], "'", ""); got != strings.ReplaceAll(want, "'", "") {
				t.Errorf("row %d: %.40q, want %.40q", n, row[9], want)
			}
		}
	}
	reckonsNothing(t, "the trail", out.String())
	if seen != len(nasty) {
		t.Errorf("%d rows, want %d", seen, len(nasty))
	}
}

// reckonsNothing fails if a spreadsheet would take a cell for a formula.
func reckonsNothing(t *testing.T, what, text string) {
	t.Helper()
	rows, err := csv.NewReader(strings.NewReader(strings.TrimPrefix(text, "\ufeff"))).ReadAll()
	if err != nil && !errors.Is(err, csv.ErrFieldCount) {
		t.Fatal(err)
	}
	for _, row := range rows {
		for _, cell := range row {
			first, _ := utf8.DecodeRuneInString(cell)
			if strings.ContainsRune("=+-@＝＋－＠\t\r\n", first) {
				t.Errorf("%s: a cell begins like a formula: %.30q", what, cell)
			}
		}
	}
	// A computer whose list separator is another opens the same file like this.
	for _, piece := range regexp.MustCompile("[;\t\r\n]").Split(text, -1) {
		if regexp.MustCompile(`^[ "]*[=+@＝＋－＠-]`).MatchString(piece) {
			t.Errorf("%s: with another separator a cell begins like a formula: %.40q", what, piece)
		}
	}
}

// TestNoSpreadsheetReckons: nor does it in any other file for one.
func TestNoSpreadsheetReckons(t *testing.T) {
	t.Parallel()
	ctx := locale.With(t.Context(), "es-MX")
	files := map[string]*bytes.Buffer{}
	file := func(name string) *bytes.Buffer { files[name] = &bytes.Buffer{}; return files[name] }
	wrong := NewWrongRows(ctx, file("rows that cannot be imported"), []string{"=1", "b;=2"})
	differences := NewDifferences(ctx, file("differences of a report"), nil, time.UTC)
	report := &closings.Report{}
	var lines []terminals.AddressLine
	for _, text := range nasty {
		err := errors.Join(
			wrong.Write(&imports.Row{Line: 1, Values: []string{text, text}, Status: intake.Refused}),
			differences.Write([]reconciliation.ReportItem{{Kind: reconciliation.ItemUnknownSale, OrderID: text, Folio: text, Note: text}}),
		)
		if err != nil {
			t.Fatal(err)
		}
		report.Stores = append(report.Stores, closings.StoreSums{
			Code: text, Name: text, Terminals: []closings.ClosingTerminal{{SerialNumber: "1490000001"}},
		})
		lines = append(lines, terminals.AddressLine{SerialNumber: "1490000001", Label: text, StoreCode: text, StoreName: text})
	}
	err := errors.Join(
		wrong.Flush(), differences.Flush(), WriteClosing(ctx, file("a closing report"), report, time.UTC),
		Addresses(file("addresses of terminals"), "https://veinte.test", lines),
		writeSheet(file("patterns"), []string{"=1"}, len(nasty), func(i int) []string { return []string{nasty[i], "x", nasty[i]} }),
	)
	if err != nil {
		t.Fatal(err)
	}
	for name, written := range files {
		if written.Len() < 20_000 {
			t.Errorf("%s has %d bytes, want all texts", name, written.Len())
		}
		reckonsNothing(t, name, written.String())
	}
}

// TestExportXLSXOfNastyTexts reads the workbook with another program's eyes:
// every text is there as text, and dates and amounts are numbers.
func TestExportXLSXOfNastyTexts(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	writeExport(t, NewExportXLSX(locale.With(t.Context(), "en"), &out, exportHeadOf(t)), nasty)
	book, err := excelize.OpenReader(bytes.NewReader(out.Bytes()))
	if err != nil {
		t.Fatal(err)
	}
	defer book.Close()
	for i, text := range nasty {
		row := strconv.Itoa(i + 2)
		formula, _ := book.GetCellFormula("Trail 1", "J"+row)
		got, err := book.GetCellValue("Trail 1", "J"+row)
		if err != nil || formula != "" {
			t.Errorf("J%s: formula %q, %v", row, formula, err)
		}
		switch {
		case len(text) > maxCellText:
			if !strings.HasSuffix(got, "…") || len([]rune(got)) < 20000 {
				t.Errorf("J%s: a text of %d runes that does not say it was cut", row, len([]rune(got)))
			}
		case text == "\ufffe":
			if got != "\ufffd" {
				t.Errorf("J%s = %q", row, got)
			}
		case got != text:
			t.Errorf("J%s = %q, want %q", row, got, text)
		}
	}
	for cell, want := range map[string]string{
		"A2": "1", "P2": "0012345678", "U2": "1,250.00", "D2": "2026-11-20 12:00:00", "C2": "2026-11-20T12:00:00.123456-06:00",
		"J1": "Person",
	} {
		if got, _ := book.GetCellValue("Trail 1", cell); got != want {
			t.Errorf("%s = %q, want %q", cell, got, want)
		}
	}
	raw, _ := book.GetCellValue("Trail 1", "U2", excelize.Options{RawCellValue: true})
	kind, _ := book.GetCellType("Trail 1", "U2")
	if raw != "1250.00" && raw != "1250" || kind != excelize.CellTypeUnset && kind != excelize.CellTypeNumber {
		t.Errorf("the amount is %q of kind %v, want a number", raw, kind)
	}
	about, _ := book.GetRows("About")
	if len(about) < 10 || about[4][1] != "=Sara (Supervision)" && about[4][1] != "=Sara (Supervisor)" {
		t.Errorf("the sheet that says what the file is: %q", about)
	}
}

// TestExportSheets: what does not fit a sheet goes on in the next.
func TestExportSheets(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	x := NewExportXLSX(locale.With(t.Context(), "es-MX"), &out, exportHeadOf(t))
	if err := x.Begin(); err != nil {
		t.Fatal(err)
	}
	x.row = sheetRows - 2 // as if a million had gone before
	for i := range 5 {
		if err := x.Entry(nastyEntry(i+1, "x")); err != nil {
			t.Fatal(err)
		}
	}
	if err := x.End(export.Totals{}); err != nil {
		t.Fatal(err)
	}
	book, err := excelize.OpenReader(bytes.NewReader(out.Bytes()))
	if err != nil {
		t.Fatal(err)
	}
	defer book.Close()
	if got := strings.Join(book.GetSheetList(), ", "); got != "Bitácora 1, Bitácora 2, Acerca de" {
		t.Errorf("sheets: %s", got)
	}
	for cell, want := range map[string]string{"A1": "Renglón", "A2": "3", "A4": "5", "A5": ""} {
		if got, _ := book.GetCellValue("Bitácora 2", cell); got != want {
			t.Errorf("%s of the second sheet = %q, want %q", cell, got, want)
		}
	}
}

// TestExportBroken: a file that ends early says so.
func TestExportBroken(t *testing.T) {
	t.Parallel()
	var text, book bytes.Buffer
	for _, x := range []export.Writer{
		NewExportCSV(locale.With(t.Context(), "es-MX"), &text, exportHeadOf(t)),
		NewExportXLSX(locale.With(t.Context(), "es-MX"), &book, exportHeadOf(t)),
	} {
		if err := x.Begin(); err != nil {
			t.Fatal(err)
		}
		x.Break(export.Stopped)
	}
	const says = "INCOMPLETO: Detenida"
	if !strings.Contains(text.String(), says) || strings.Contains(text.String(), "completo,") {
		t.Errorf("the broken CSV file ends %q", text.String()[max(0, text.Len()-200):])
	}
	f, err := excelize.OpenReader(bytes.NewReader(book.Bytes()))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	rows, _ := f.GetRows("Acerca de")
	if last := rows[len(rows)-1]; last[1] != says {
		t.Errorf("the broken workbook says %q", last)
	}
}

// counted counts the cells of a row.
type counted struct{ n int }

func (c *counted) text(string) { c.n++ }

func (c *counted) raw([]byte) { c.n++ }

func (c *counted) number(int64) { c.n++ }

func (c *counted) numberOf(*int64) { c.n++ }

func (c *counted) amount(*models.Money) { c.n++ }

func (c *counted) instant(time.Time) { c.n++ }

func (c *counted) local(time.Time) { c.n++ }

// TestExportColumns: a row has a cell for every column, whatever the entry lacks.
func TestExportColumns(t *testing.T) {
	t.Parallel()
	for _, e := range []*export.Entry{nastyEntry(1, "x"), {AuditEntry: models.AuditEntry{At: exportedAt}}} {
		var c counted
		exportRow(&c, newExportWords(t.Context(), &ExportHead{Zone: time.UTC}), 1, e)
		if c.n != len(exportColumns) {
			t.Errorf("%d cells for %d columns", c.n, len(exportColumns))
		}
	}
	for _, c := range exportColumns {
		if !locale.Has(c.heading) {
			t.Errorf("column %s has no heading %s", c.name, c.heading)
		}
	}
}

// BenchmarkExportRow is the cost of a row without the database and the network.
func BenchmarkExportRow(b *testing.B) {
	for name, make := range map[string]func() export.Writer{
		"csv":  func() export.Writer { return NewExportCSV(b.Context(), discard{}, exportHeadOf(b)) },
		"xlsx": func() export.Writer { return NewExportXLSX(b.Context(), discard{}, exportHeadOf(b)) },
	} {
		b.Run(name, func(b *testing.B) {
			x, e := make(), nastyEntry(1, "Sucursal Centro")
			if err := x.Begin(); err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			for b.Loop() {
				if err := x.Entry(e); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

type discard struct{}

func (discard) Write(p []byte) (int, error) { return len(p), nil }
