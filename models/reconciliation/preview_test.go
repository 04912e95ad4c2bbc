package reconciliation

import (
	"os"
	"slices"
	"testing"

	"veinte/models"
	"veinte/models/reconciliation/report"
)

// A workbook that a spreadsheet program wrote: numbers, dates, lost zeros.
func TestReportsThatAreWorkbooks(t *testing.T) {
	t.Parallel()
	file, err := os.Open("../table/testdata/sales.xlsx")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		t.Fatal(err)
	}
	rep, done, err := report.OpenReport(file, info.Size(), report.Mapping{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = done() }()
	calendar, err := models.NewCalendar("20:00", "America/Mexico_City")
	if err != nil {
		t.Fatal(err)
	}
	p, err := PreviewFile(rep, report.Mapping{}, calendar)
	if err != nil || len(p.Rows) == 0 {
		t.Fatalf("PreviewReport() = %+v, %v", p, err)
	}
	for _, field := range []report.Field{report.FieldOrderID, report.FieldSerialNumber, report.FieldAmount} {
		if p.Mapping.Columns[field] == "" {
			t.Errorf("no column of %v is suggested for %s", p.Header, field)
		}
	}
	understood := func(r report.ReportRow) bool { return r.Problem == "" && r.Amount != nil && len(r.SerialNumber) == 10 }
	if !slices.ContainsFunc(p.Rows, understood) {
		t.Errorf("not one row of the workbook is understood: %+v", p.Rows)
	}
}
