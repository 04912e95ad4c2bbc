package reconciliation_test

import (
	"context"
	"crypto/sha256"
	"encoding/csv"
	"encoding/hex"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"veinte/models"
	"veinte/models/modelstest"
	"veinte/models/reconciliation"
	"veinte/models/reconciliation/report"
	"veinte/models/table"
)

// csvTable is a report for tests that are not about files.
type csvTable struct {
	r     *csv.Reader
	head  []string
	line  int
	cells []report.Cell
}

func newCSVTable(tb testing.TB, text string) *csvTable {
	tb.Helper()
	t := &csvTable{r: csv.NewReader(strings.NewReader(text)), line: 1}
	t.r.FieldsPerRecord = -1
	var err error
	if t.head, err = t.r.Read(); err != nil && err != io.EOF {
		tb.Fatal(err)
	}
	return t
}

func (t *csvTable) Notes() []table.Note { return nil }

func (t *csvTable) Header() []string { return t.head }

func (t *csvTable) Next() ([]report.Cell, int, error) {
	record, err := t.r.Read()
	t.line++
	t.cells = t.cells[:0]
	for _, cell := range record {
		t.cells = append(t.cells, report.Cell{Text: cell})
	}
	return t.cells, t.line, err
}

// sampleMapping is that of the reports below: a cancellation is a line of its own.
func sampleMapping() report.Mapping {
	return report.Mapping{
		Columns: map[report.Field]string{
			report.FieldOrderID: "Orden", report.FieldSerialNumber: "Terminal", report.FieldAmount: "Importe", report.FieldStatus: "Operación",
			report.FieldSoldAt: "Fecha", report.FieldFolio: "Folio", report.FieldAuthCode: "Autorización",
			report.FieldLast4: "Tarjeta", report.FieldMerchantID: "Afiliación",
		},
		Words: map[string]report.Meaning{
			"Venta": report.MeansSale, "Cancelación": report.MeansCancellation, "Reverso": report.MeansReversal,
			"Declinada": report.MeansDeclined, "Comisión": report.MeansIgnore,
		},
		Amounts: report.AmountsPoint, Dates: report.DatesDayMonthYear, Zone: "America/Mexico_City",
	}
}

const reportHeader = "Orden,Terminal,Importe,Operación,Fecha,Folio,Autorización,Tarjeta,Afiliación\n"

// desk is an office after its day, with a profile for reports.
type desk struct {
	*modelstest.Office
	tb      testing.TB
	profile *reconciliation.ReportProfile
}

func newDesk(t *testing.T, changes ...func(*report.Mapping)) *desk {
	t.Helper()
	o := modelstest.NewOffice(t)
	m := sampleMapping()
	for _, change := range changes {
		change(&m)
	}
	p, err := o.Reconciliation.CreateReportProfile(t.Context(), o.Admin, "Proveedor", m)
	if err != nil {
		t.Fatalf("CreateReportProfile() = %v", err)
	}
	return &desk{o, t, p}
}

// reportLine is a line of the report about a sale.
func reportLine(s *models.Sale, operation string) string {
	return fmt.Sprintf("%s,%s,%d.%02d,%s,%s,%s,%s,%s,%s\n", s.OrderID, s.SerialNumber, s.Amount/100, s.Amount%100, operation,
		s.SoldAt.In(reportZone).Format("02/01/2006 15:04:05"), s.Folio, s.AuthCode, s.Last4, s.MerchantID)
}

var reportZone = func() *time.Location {
	zone, err := time.LoadLocation("America/Mexico_City")
	if err != nil {
		panic(err)
	}
	return zone
}()

// closeDay moves the clock past the end of the day.
func (d *desk) closeDay() { d.Clock.Set(modelstest.At(d.tb, "2026-11-21T09:00:00-06:00")) }

func (d *desk) upload(lines string) reconciliation.Upload {
	d.tb.Helper()
	sum := sha256.Sum256([]byte(lines))
	return reconciliation.Upload{
		ProfileID: d.profile.ID, Day: "2026-11-20", FileName: "reporte.csv", FileHash: hex.EncodeToString(sum[:]),
		FileBytes: int64(len(lines)), Table: newCSVTable(d.tb, reportHeader+lines),
	}
}

func (d *desk) reconcile(lines string) *reconciliation.Reconciliation {
	d.tb.Helper()
	rec, err := d.Reconciliation.Reconcile(context.Background(), d.Supervisor, d.upload(lines))
	if err != nil {
		d.tb.Fatalf("Reconcile() = %v", err)
	}
	return rec
}

// kinds lists the differences as order:kind, and what is the same too.
func (d *desk) kinds(rec *reconciliation.Reconciliation) map[string]reconciliation.ReportItem {
	d.tb.Helper()
	all := map[string]reconciliation.ReportItem{}
	for _, kind := range reconciliation.ItemKinds {
		page, err := d.Reconciliation.ReportItems(context.Background(), d.Supervisor, rec.ID, reconciliation.ItemFilter{Kind: kind})
		if err != nil {
			d.tb.Fatalf("ReportItems(%s) = %v", kind, err)
		}
		for _, i := range page.Items {
			key := i.OrderID
			if key == "" {
				key = fmt.Sprintf("line %d", i.Lines[0])
			}
			if _, twice := all[key]; twice {
				d.tb.Errorf("two items for %s", key)
			}
			all[key] = i
		}
	}
	return all
}

// in brings a cancellation into a state on a terminal of its own, then lets its
// quiet period pass.
func (d *desk) in(state models.State) (*models.Sale, *models.Cancellation) {
	d.tb.Helper()
	d.Terminal = d.NewTerminal(d.Store)
	sale, c := d.Office.StateOf(state)
	d.Clock.Advance(5 * time.Minute)
	return sale, c
}

// checksum is that of what an actor is shown to resolve.
func (d *desk) checksum(actor models.Actor, id int64) string {
	d.tb.Helper()
	to, err := d.Reconciliation.ResolutionPreview(context.Background(), actor, id)
	if err != nil {
		d.tb.Fatalf("ResolutionPreview(%d) = %v", id, err)
	}
	return to.Checksum
}

func (d *desk) text(query string, args ...any) (s string) {
	d.tb.Helper()
	if err := d.Owner.QueryRow(query, args...).Scan(&s); err != nil {
		d.tb.Fatalf("%s: %v", query, err)
	}
	return s
}
