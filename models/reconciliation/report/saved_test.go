package report_test

import (
	"bytes"
	"errors"
	"io"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/xuri/excelize/v2"

	"veinte/models"
	"veinte/models/reconciliation/report"
)

// sampleMapping is that of testdata/report.csv.
func sampleMapping() report.Mapping {
	return report.Mapping{
		Columns: map[report.Field]string{
			report.FieldSoldAt: "Fecha", report.FieldHour: "Hora", report.FieldSerialNumber: "N/S", report.FieldMerchantID: "Afiliación",
			report.FieldOrderID: "Núm. orden", report.FieldStatus: "Operación", report.FieldAmount: "Importe",
			report.FieldAuthCode: "Autorización", report.FieldLast4: "Tarjeta",
		},
		Words:   map[string]report.Meaning{"Venta": report.MeansSale, "Cancelación": report.MeansCancellation},
		Amounts: report.AmountsPoint, Dates: report.DatesDayMonthYear, Zone: "America/Mexico_City",
	}
}

// read reads every line of a report, and what was noticed about the file.
func read(tb testing.TB, file []byte, m report.Mapping) ([]report.ReportRow, report.Findings) {
	tb.Helper()
	rep, done, err := report.OpenReport(bytes.NewReader(file), int64(len(file)), m)
	if err != nil {
		tb.Fatalf("OpenReport() = %v", err)
	}
	defer func() { _ = done() }()
	calendar, err := models.NewCalendar("20:00", "America/Mexico_City")
	if err != nil {
		tb.Fatal(err)
	}
	r, err := report.NewReader(m, rep.Header(), calendar, time.Date(2026, 11, 21, 15, 0, 0, 0, time.UTC))
	if err != nil {
		tb.Fatalf("NewReader() = %v", err)
	}
	var rows []report.ReportRow
	for {
		cells, line, err := rep.Next()
		if errors.Is(err, io.EOF) {
			return rows, r.Findings(rep.Notes())
		}
		if err != nil {
			tb.Fatalf("Next() = %v", err)
		}
		rows = append(rows, r.Read(cells, line))
	}
}

// A provider's report that somebody opened and saved as a workbook says what its CSV
// said: dates, times of day and numbers have become cells of their kind, and leading
// zeros are gone.
func TestASavedReportSaysWhatItsCSVSaid(t *testing.T) {
	t.Parallel()
	var rows [2][]report.ReportRow
	for i, name := range []string{"testdata/report.csv", "testdata/report.xlsx"} {
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		rows[i], _ = read(t, b, sampleMapping())
	}
	if len(rows[0]) != 41 || rows[0][0].Problem != "" || rows[0][0].At == nil {
		t.Fatalf("the CSV has %d rows, the first is %+v", len(rows[0]), rows[0][0])
	}
	if diff := cmp.Diff(rows[0], rows[1]); diff != "" {
		t.Errorf("the workbook says something else (-csv +workbook):\n%s", diff)
	}
}

// saved writes cells as a spreadsheet does: 20/11/2026 is day 46346 of its calendar.
func saved(tb testing.TB, cells map[string]any, more ...func(*excelize.File)) []byte {
	tb.Helper()
	f := excelize.NewFile()
	for at, v := range map[string]any{
		"A1": "Fecha", "B1": "Hora", "C1": "N/S", "D1": "Afiliación", "E1": "Núm. orden", "F1": "Operación", "G1": "Importe",
		"H1": "Autorización", "I1": "Tarjeta", "J1": "Comisión",
		"A2": "20/11/2026", "B2": "14:03:05", "C2": "1490000001", "D2": "7001", "E2": "A-1", "F2": "Venta", "G2": "206.58",
	} {
		if own, ok := cells[at]; ok {
			v = own
		}
		if err := f.SetCellValue("Sheet1", at, v); err != nil {
			tb.Fatal(err)
		}
	}
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
	return b.Bytes()
}

// The formats that workbooks have by number.
const (
	dayFormat   = 14 // m/d/yy
	clockFormat = 21 // h:mm:ss
	bothFormat  = 22 // m/d/yy h:mm
)

// styled shows cells in formats.
func styled(tb testing.TB, formats map[string]int) func(*excelize.File) {
	return func(f *excelize.File) {
		for at, format := range formats {
			id, err := f.NewStyle(&excelize.Style{NumFmt: format})
			if err == nil {
				err = f.SetCellStyle("Sheet1", at, at, id)
			}
			if err != nil {
				tb.Fatal(err)
			}
		}
	}
}

// What a cell is called does not matter, only what it says.
func TestTheCellsOfASavedReport(t *testing.T) {
	t.Parallel()
	const (
		at    = "2026-11-20T20:03:05Z"
		clock = 0.585474537037037 // 14:03:05
	)
	for _, tt := range []struct {
		fact    string
		cells   map[string]any
		formats map[string]int
		at      string // "" when the line has no time of day
		problem string // with its column and value
	}{
		{"texts", nil, nil, at, ""},
		{"a date cell and a time cell", map[string]any{"A2": 46346, "B2": clock}, map[string]int{"A2": dayFormat, "B2": clockFormat}, at, ""},
		{"a date and a time that are shown as numbers", map[string]any{"A2": 46346, "B2": clock}, nil, at, ""},
		{
			"a date cell that shows midnight",
			map[string]any{"A2": 46346, "B2": clock},
			map[string]int{"A2": bothFormat, "B2": clockFormat},
			at, "",
		},
		{
			"date and time in both cells",
			map[string]any{"A2": 46346 + clock, "B2": 46346 + clock},
			map[string]int{"A2": bothFormat, "B2": clockFormat},
			at, "",
		},
		{"date and time in one cell", map[string]any{"A2": 46346 + clock, "B2": ""}, map[string]int{"A2": bothFormat}, at, ""},
		{"a date cell alone", map[string]any{"A2": 46346, "B2": ""}, map[string]int{"A2": dayFormat}, "", ""},
		{"midnight", map[string]any{"A2": 46346, "B2": 0}, map[string]int{"A2": dayFormat, "B2": clockFormat}, "2026-11-20T06:00:00Z", ""},
		{"a time that is none", map[string]any{"B2": "tarde"}, nil, "", "hour Hora tarde"},
		{
			"two times that differ",
			map[string]any{"A2": 46346.25, "B2": clock},
			map[string]int{"A2": bothFormat, "B2": clockFormat},
			"", "hour Hora 14:03:05",
		},
		{"a date that is none", map[string]any{"A2": "ayer"}, nil, "", "time Fecha ayer"},
		{
			"an order number that became a date",
			map[string]any{"E2": 46346},
			map[string]int{"E2": dayFormat},
			at, "date Núm. orden 2026-11-20",
		},
		{
			"an order number that lost digits",
			map[string]any{"E2": 2.6112014030514901e+21},
			nil, at, "lostDigits Núm. orden 2611201403051490000000",
		},
		{"a cell right of the table", map[string]any{"L2": "revisado"}, nil, at, ""},
	} {
		rows, _ := read(t, saved(t, tt.cells, styled(t, tt.formats)), sampleMapping())
		if len(rows) != 1 {
			t.Fatalf("%s: %d rows, want one", tt.fact, len(rows))
		}
		r := rows[0]
		got, problem := "", ""
		if r.At != nil {
			got = r.At.Format("2006-01-02T15:04:05Z07:00")
		}
		if r.Problem != "" {
			problem = r.Problem + " " + r.Column + " " + r.Value
		}
		if got != tt.at || problem != tt.problem {
			t.Errorf("%s: %+v: at %q because of %q, want %q because of %q", tt.fact, r, got, problem, tt.at, tt.problem)
		}
	}
}

// What surrounds the table says nothing about sales: titles above its head, a hidden
// sheet before it, hidden rows, formulas in the sums. Hidden rows are read, as a CSV
// of that sheet has them, and the page says so.
func TestWhatSurroundsASavedReport(t *testing.T) {
	t.Parallel()
	must := func(err error) {
		if err != nil {
			t.Fatal(err)
		}
	}
	rows, found := read(t, saved(t, map[string]any{
		"A3": 46346, "B3": 0.5, "C3": 1490000001, "D3": 7001, "E3": "A-2", "F3": "Venta", "G3": 5,
		"A4": "Total",
	}, func(f *excelize.File) {
		must(f.SetCellFormula("Sheet1", "G4", "SUM(G2:G3)"))
		must(f.SetRowVisible("Sheet1", 3, false))
		must(f.InsertRows("Sheet1", 1, 3))
		must(f.SetCellValue("Sheet1", "A1", "Reporte de operaciones"))
		must(f.MergeCell("Sheet1", "A1", "J1"))
		must(f.SetCellValue("Sheet1", "A2", "Comercio: Ejemplo, S.A."))
		_, err := f.NewSheet("Catálogo")
		must(err)
		must(f.SetCellValue("Catálogo", "A1", "Venta"))
		must(f.MoveSheet("Catálogo", "Sheet1"))
		must(f.SetSheetVisible("Catálogo", false))
	}), sampleMapping())
	if len(rows) != 3 || rows[0].OrderID != "A-1" || rows[1].OrderID != "A-2" || rows[1].At == nil || rows[2].Meaning != report.MeansIgnore {
		t.Fatalf("rows = %+v, want two sales and a sum", rows)
	}
	for _, r := range rows {
		if r.Problem != "" {
			t.Errorf("row %d has a problem: %+v", r.Number, r)
		}
	}
	var codes []string
	for _, n := range found.Notes {
		codes = append(codes, n.Code)
	}
	for _, want := range []string{"table.note.hiddenSheets", "table.note.hiddenRows"} {
		if !slices.Contains(codes, want) {
			t.Errorf("notes = %v, want %s", codes, want)
		}
	}
}

// A formula is named as such, by its column.
func TestAFormulaInASavedReport(t *testing.T) {
	t.Parallel()
	rows, _ := read(t, saved(t, map[string]any{"G2": 5}, func(f *excelize.File) {
		if err := f.SetCellFormula("Sheet1", "G2", "K2*1.16"); err != nil {
			t.Fatal(err)
		}
	}), sampleMapping())
	if r := rows[0]; r.Problem != "broken" || r.Column != "Importe" || r.Value != "=K2*1.16" {
		t.Errorf("row = %+v, want a broken amount that shows its formula", r)
	}
}

// Rows that are of no sale are passed over: they are no difference and make nothing
// doubtful.
func TestRowsThatAreOfNoSale(t *testing.T) {
	t.Parallel()
	const head = "Fecha,Hora,N/S,Afiliación,Núm. orden,Operación,Importe,Autorización,Tarjeta,Comisión\n"
	for _, tt := range []struct {
		fact, line string
		ignored    bool
		problem    string
	}{
		{"a total", "Total,,,,,,\"350,123.45\",,,", true, ""},
		{"a total that counts too", "Totales:,,,,41,,350123.45,,,", true, ""},
		{"a total of two fields", "Gran total,350123.45", true, ""},
		{"a sum without a word", ",,,,,,350123.45,,,", true, ""},
		{"a sum with a word where the status is", ",,,,,SUBTOTAL,350123.45,,,", true, ""},
		{"the head again", "Fecha,Hora,N/S,Afiliación,Núm. orden,Operación,Importe,Autorización,Tarjeta,Comisión", true, ""},
		{"a last line", "Fin del reporte,,,,,,,,,", true, ""},
		{"a sale of an order called Total", "20/11/2026,14:03,1490000001,7001,Total-1,Venta,5.00,,,", false, ""},
		{"a line with a terminal and no operation", "20/11/2026,14:03,1490000001,7001,1,,5.00,,,", false, "word"},
		{"a line of a comma too many", "20/11/2026,14:03,1490000001,7001,1,Venta,1,250.00,,1111,3.00", false, "long"},
		{"half a line", "20/11/2026,14:03,149", false, "short"},
		{"an order and an amount", ",,,,99,,5.00,,,", false, "notTransaction"},
	} {
		rows, _ := read(t, []byte(head+tt.line+"\n"), sampleMapping())
		r := rows[0]
		if (r.Meaning == report.MeansIgnore) != tt.ignored || r.Problem != tt.problem {
			t.Errorf("%s: %q because of %q, want ignored %t because of %q", tt.fact, r.Meaning, r.Problem, tt.ignored, tt.problem)
		}
		if tt.ignored && (r.OrderID != "" || r.SerialNumber != "") {
			t.Errorf("%s: it is of order %q of %q, want of none", tt.fact, r.OrderID, r.SerialNumber)
		}
	}
}

// Card numbers are counted with the columns that have them, and none is passed on.
func TestCardNumbersAreCounted(t *testing.T) {
	t.Parallel()
	const card = "4111111111111111"
	file := "Fecha,Hora,N/S,Afiliación,Núm. orden,Operación,Importe,Autorización,Tarjeta,Nota " + card + "\n" +
		"20/11/2026,14:03,1490000001,7001,1,Venta,5.00,,4111 1111 1111 1111,\n" +
		"20/11/2026,14:04,1490000001,7001,2,Venta,5.00,,****1111,pagó con " + card + "\n" +
		"20/11/2026,14:05,1490000001,7001,3,Venta,5.00,,1111,\n"
	rows, found := read(t, []byte(file), sampleMapping())
	want := report.Findings{
		Fields: []report.Field{
			report.FieldOrderID, report.FieldSerialNumber, report.FieldMerchantID, report.FieldAmount, report.FieldStatus,
			report.FieldSoldAt, report.FieldHour, report.FieldAuthCode, report.FieldLast4,
		},
		Unread: []string{"Nota ****1111"}, CardRows: 2, CardColumns: []string{"Tarjeta", "Nota ****1111"},
	}
	if diff := cmp.Diff(want, found); diff != "" {
		t.Errorf("Findings() differ (-want +got):\n%s", diff)
	}
	for _, r := range rows {
		if r.Last4 != "1111" || r.Problem != "" {
			t.Errorf("row = %+v, want its last four and no problem", r)
		}
	}
}
