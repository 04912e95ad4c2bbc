package reconciliation_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/xuri/excelize/v2"

	"veinte/models"
	"veinte/models/modelstest"
	"veinte/models/reconciliation"
	"veinte/models/reconciliation/report"
)

// asWorkbook is a report as a spreadsheet saves it: the date, the time of day and
// everything that looks like a number are no texts any more, and below is a sum.
func asWorkbook(tb testing.TB, sales ...*models.Sale) []byte {
	tb.Helper()
	f := excelize.NewFile()
	set := func(column, row int, v any, format int) {
		at, err := excelize.CoordinatesToCellName(column, row)
		if err == nil {
			err = f.SetCellValue("Sheet1", at, v)
		}
		if err == nil && format != 0 {
			var style int
			if style, err = f.NewStyle(&excelize.Style{NumFmt: format}); err == nil {
				err = f.SetCellStyle("Sheet1", at, at, style)
			}
		}
		if err != nil {
			tb.Fatal(err)
		}
	}
	for i, name := range append(strings.Split(strings.TrimSpace(reportHeader), ","), "Hora", "Comisión") {
		set(i+1, 1, name, 0)
	}
	for i, s := range sales {
		sold := s.SoldAt.In(reportZone)
		clock := float64(sold.Hour()*3600+sold.Minute()*60+sold.Second()) / 86400
		for column, v := range []any{
			s.OrderID, number(s.SerialNumber), float64(s.Amount) / 100, "Venta", 46346, s.Folio, s.AuthCode, s.Last4,
			number(s.MerchantID), clock, 1.5,
		} {
			set(column+1, i+2, v, map[int]int{4: 14, 9: 21}[column])
		}
	}
	set(1, len(sales)+2, "TOTAL", 0)
	set(3, len(sales)+2, 350123.45, 0)
	var b bytes.Buffer
	if err := f.Write(&b); err != nil {
		tb.Fatal(err)
	}
	return b.Bytes()
}

// number is what a spreadsheet makes of a text of digits.
func number[T ~string](s T) any {
	n, digits := 0, true
	for _, c := range s {
		digits = digits && c >= '0' && c <= '9'
		n = n*10 + int(c-'0')
	}
	if !digits || s == "" {
		return string(s)
	}
	return n
}

// A report that was saved from a spreadsheet agrees as its CSV did, says what was
// compared, and keeps both amounts of a sale of another amount.
func TestASavedReportIsCompared(t *testing.T) {
	t.Parallel()
	d := newDesk(t, func(m *report.Mapping) { m.Columns[report.FieldHour] = "Hora" })
	same, cents, merchant := d.Sale(5000), d.Sale(20658), d.Sale(5100)
	// A merchant id of digits only, of which a spreadsheet drops the first.
	modelstest.Exec(t, d.Owner, `ALTER TABLE sales DISABLE TRIGGER USER`)
	modelstest.Exec(t, d.Owner, `UPDATE sales SET merchant_id = '007001' WHERE id = $1`, merchant.ID)
	modelstest.Exec(t, d.Owner, `ALTER TABLE sales ENABLE TRIGGER USER`)
	merchant.MerchantID = "007001"
	d.closeDay()
	compare := func(sales ...*models.Sale) (*reconciliation.Reconciliation, map[string]reconciliation.ReportItem) {
		file := asWorkbook(t, sales...)
		rep, done, err := report.OpenReport(bytes.NewReader(file), int64(len(file)), d.profile.Mapping)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = done() }()
		up := d.upload("")
		up.FileName, up.Table, up.Again = "reporte.xlsx", rep, true
		rec, err := d.Reconciliation.Reconcile(t.Context(), d.Supervisor, up)
		if err != nil {
			t.Fatalf("Reconcile() = %v", err)
		}
		rec, err = d.Reconciliation.Reconciliation(t.Context(), d.Supervisor, rec.ID)
		if err != nil {
			t.Fatal(err)
		}
		return rec, d.kinds(rec)
	}
	rec, items := compare(same, cents, merchant)
	if rec.Differences() != 0 || rec.Counts[reconciliation.ItemSame] != 3 || rec.Counts[reconciliation.ItemIgnored] != 1 {
		t.Errorf("counts = %v, want three that agree and a sum: %+v", rec.Counts, items)
	}
	modelstest.Equal(t, "unread columns", rec.Findings.Unread, []string{"Comisión"})
	modelstest.Equal(t, "fields", len(rec.Findings.Fields), len(d.profile.Mapping.Columns))

	more := *cents
	more.Amount++
	_, items = compare(same, &more, merchant)
	i := items[cents.OrderID]
	if i.Kind != reconciliation.ItemAmountDiffers || i.Amount == nil || *i.Amount != 20659 || i.OurAmount == nil || *i.OurAmount != 20658 {
		t.Errorf("another amount = %+v, want 206.59 there and 206.58 here", i)
	}
}

// Card numbers in any column of a report are counted, and none is stored anywhere.
func TestAReportSaysThatItHasCardNumbers(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	sale := d.Sale(5000)
	sale.Last4 = "4111111111111111"
	line := reportLine(sale, "Venta")
	d.closeDay()
	rec := d.reconcile(line)
	if f := rec.Findings; f.CardRows != 1 || len(f.CardColumns) != 1 || f.CardColumns[0] != "Tarjeta" {
		t.Errorf("findings = %+v, want one line with a card number in Tarjeta", f)
	}
	for _, table := range []string{"report_rows", "report_items", "reconciliations", "audit_entries"} {
		if n := modelstest.Count(t, d.Owner, `SELECT count(*) FROM `+table+` r WHERE r::text LIKE '%4111111111%'`); n != 0 {
			t.Errorf("%s keeps a card number", table)
		}
	}
	if n := modelstest.Count(t, d.Owner, `SELECT (after->>'cardRows')::int FROM audit_entries WHERE action = 'report.uploaded'`); n != 1 {
		t.Errorf("the trail says %d lines with a card number, want 1", n)
	}
}
