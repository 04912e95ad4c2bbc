package table_test

import (
	"bytes"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/xuri/excelize/v2"

	"veinte/models/table"
)

// saleColumns are the columns of the workbook that a spreadsheet program wrote.
var saleColumns = []table.Column{
	{Name: "serialNumber", Synonyms: []string{"número de serie"}, Required: true},
	{Name: "merchantId", Synonyms: []string{"id. de comercio"}},
	{Name: "orderId", Synonyms: []string{"orden"}, Required: true},
	{Name: "amount", Synonyms: []string{"importe"}, Required: true},
	{Name: "soldAt", Synonyms: []string{"fecha"}, Required: true},
	{Name: "last4", Synonyms: []string{"últimos 4"}},
}

// TestSpreadsheetProgram reads what LibreOffice wrote: testdata/README.md.
func TestSpreadsheetProgram(t *testing.T) {
	t.Parallel()
	b, err := os.ReadFile("testdata/sales.xlsx")
	if err != nil {
		t.Fatal(err)
	}
	tab, err := table.Open(bytes.NewReader(b), int64(len(b)), table.Options{Columns: saleColumns})
	if err != nil {
		t.Fatal(err)
	}
	defer tab.Close()
	var got [][]string
	for tab.Next() {
		r := tab.Row()
		serial, wrongSerial := r.Cell("serialNumber").Digits()
		merchant, wrongMerchant := r.Cell("merchantId").Value()
		amount, wrongAmount := r.Cell("amount").Amount()
		at, wrongAt := r.Cell("soldAt").Time(mexico)
		last4, wrongLast4 := r.Cell("last4").PaddedDigits(4)
		got = append(got, []string{
			orCode(serial, wrongSerial, same), orCode(merchant, wrongMerchant, same), orCode(amount, wrongAmount, same),
			orCode(at, wrongAt, func(t time.Time) string { return t.Format(time.RFC3339) }), orCode(last4, wrongLast4, same),
		})
	}
	want := [][]string{
		{"1490000001", "9001", "1250.00", "2026-11-20T13:45:00-06:00", "0042"},
		{"0149000003", "M-9003", "1250.50", "2026-11-20T15:00:05-06:00", "0007"},
		{"1490000002", "", "!formula", "2026-11-20T16:00:00-06:00", "1111"},
	}
	if diff := cmp.Diff(want, got); diff != "" || tab.Err() != nil {
		t.Errorf("%v\n%s", tab.Err(), diff)
	}
	notes := []table.Note{{Code: "table.note.unknownColumns", Detail: "Comentario"}, {Code: "table.note.sheet", Detail: "Ventas"}}
	if diff := cmp.Diff(notes, tab.Notes()); diff != "" {
		t.Error(diff)
	}
}

// workbook writes cells with another program's library.
func workbook(tb testing.TB, cells map[string]any, more ...func(*excelize.File)) string {
	tb.Helper()
	f := excelize.NewFile()
	for at, v := range cells {
		if err := f.SetCellValue("Sheet1", at, v); err != nil {
			tb.Fatal(err)
		}
	}
	for _, m := range more {
		m(f)
	}
	var b bytes.Buffer
	if err := f.Write(&b); err != nil {
		tb.Fatal(err)
	}
	return b.String()
}

// only is the cell below the one header of a workbook.
func only(tb testing.TB, value any, more ...func(*excelize.File)) table.Cell {
	tb.Helper()
	content := workbook(tb, map[string]any{"A1": "x", "A2": value, "B1": "y", "B2": "z"}, more...)
	t, err := table.Open(strings.NewReader(content), int64(len(content)), table.Options{})
	if err != nil || !t.Next() {
		tb.Fatalf("a workbook with %v: %v", value, err)
	}
	return t.Row().Cell("x")
}

func format(code string) func(*excelize.File) {
	return func(f *excelize.File) {
		id, err := f.NewStyle(&excelize.Style{CustomNumFmt: &code})
		if err == nil {
			err = f.SetCellStyle("Sheet1", "A2", "A2", id)
		}
		if err != nil {
			panic(err)
		}
	}
}

func from04(f *excelize.File) {
	yes := true
	if err := f.SetWorkbookProps(&excelize.WorkbookPropsOptions{Date1904: &yes}); err != nil {
		panic(err)
	}
}

// TestTypedCells reads numbers and dates by their types and formats.
func TestTypedCells(t *testing.T) {
	t.Parallel()
	digits := func(c table.Cell) string { v, w := c.PaddedDigits(4); return orCode(v, w, same) }
	amount := func(c table.Cell) string { v, w := c.Amount(); return orCode(v, w, same) }
	value := func(c table.Cell) string { v, w := c.Value(); return orCode(v, w, same) }
	instant := func(c table.Cell) string {
		v, w := c.Time(mexico)
		return orCode(v, w, func(t time.Time) string { return t.Format(time.RFC3339) })
	}
	for _, tt := range []struct {
		fact string
		cell table.Cell
		read func(table.Cell) string
		want string
	}{
		{"a serial number as a number", only(t, 1490000001), digits, "1490000001"},
		{"a number that lost its zeros", only(t, 42), digits, "0042"},
		{"a text keeps what it has", only(t, "42"), digits, "42"},
		{"zeros that the format shows", only(t, 149000001, format("0000000000")), value, "0149000001"},
		{"zeros that it does not", only(t, 149000001), value, "149000001"},
		{"more digits than a number holds", only(t, 4.901234567890123e+17), digits, "!lostDigits"},
		{"a fraction", only(t, 1.5), digits, "!noDigits"},
		{"an amount as a number", only(t, 1250), amount, "1250.00"},
		{"what binary fractions leave", only(t, 1250.1+0.2-0.2), amount, "1250.10"},
		{"three decimals that a text could not have", only(t, 1.25), amount, "1.25"},
		{"a real fraction of a centavo", only(t, 1.255), amount, "1.255"},
		{"a large number", only(t, 1.25e+3), amount, "1250.00"},
		{"a negative amount", only(t, -5), amount, "-5.00"},
		{"a date where an amount belongs", only(t, 46346.5, format("dd/mm/yyyy hh:mm")), amount, "!noAmount"},
		{"a date with its time", only(t, 46346.572916666664, format("dd/mm/yyyy hh:mm")), instant, "2026-11-20T13:45:00-06:00"},
		{
			"of a format with languages",
			only(t, 46346.572916666664, format("[$-80A]d \"de\" mmmm yyyy h:mm AM/PM;@")),
			instant,
			"2026-11-20T13:45:00-06:00",
		},
		{"in a number without a format", only(t, 46346.572916666664), instant, "2026-11-20T13:45:00-06:00"},
		{"midnight that the format shows", only(t, 46346, format("dd/mm/yyyy hh:mm")), instant, "2026-11-20T00:00:00-06:00"},
		{"a date alone", only(t, 46346, format("dd/mm/yyyy")), instant, "!noClock"},
		{"since 1904", only(t, 44884.572916666664, format("dd/mm/yyyy hh:mm"), from04), instant, "2026-11-20T13:45:00-06:00"},
		{"a number that is no date", only(t, 20261120), instant, "!noTime"},
		{"Go's own time", only(t, time.Date(2026, 11, 20, 13, 45, 0, 0, time.UTC)), instant, "2026-11-20T13:45:00-06:00"},
		{"a truth", only(t, true), value, "TRUE"},
		{"a text like a formula", only(t, "=1+1"), value, "!formula"},
		{"a formula", only(t, nil, func(f *excelize.File) { _ = f.SetCellFormula("Sheet1", "A2", "1+1") }), value, "!formula"},
		{"colours inside a text", only(t, nil, func(f *excelize.File) {
			_ = f.SetCellRichText("Sheet1", "A2", []excelize.RichTextRun{{Text: "uno "}, {Text: "dos", Font: &excelize.Font{Bold: true}}})
		}), value, "uno dos"},
	} {
		if got := tt.read(tt.cell); got != tt.want {
			t.Errorf("%s = %s, want %s", tt.fact, got, tt.want)
		}
	}
}

// TestWorkbookRows checks lines, gaps, and cells beside the table.
func TestWorkbookRows(t *testing.T) {
	t.Parallel()
	content := workbook(t, map[string]any{
		"B3": "serie", "C3": "monto", "E3": "otra",
		"B5": "1", "C5": 2,
		"B9": "3", "C9": "4", "H9": "x",
	})
	got, _, err := rows(t, content)
	want := []string{"5: [1] [2] []", "9: table.tooManyFields [3] [4] []"}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("%v\n%s", err, diff)
	}
}
