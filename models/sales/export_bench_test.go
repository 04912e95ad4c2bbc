package sales_test

import (
	"io"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"veinte/models"
	"veinte/models/audit/export"
	"veinte/models/modelstest"
	"veinte/models/sales"
)

// countingFile is a file that nobody keeps.
type countingFile struct {
	rows     int64
	complete bool
}

func (f *countingFile) Begin() error                { return nil }
func (f *countingFile) Sale(*sales.ExportRow) error { f.rows++; return nil }
func (f *countingFile) End(sales.ExportTotals) error {
	f.complete = true
	return nil
}
func (f *countingFile) Break(export.State) {}

// BenchmarkExportSales reads a million sales of fifty days for a file, one in a hundred
// of them canceled: go test ./models/sales -run ^$ -bench ExportSales -benchtime 1x
func BenchmarkExportSales(b *testing.B) {
	const million = 1_000_000
	o := modelstest.NewOffice(b)
	modelstest.Exec(b, o.Owner, `ALTER TABLE sales DISABLE TRIGGER USER`)
	modelstest.Exec(b, o.Owner, `INSERT INTO sales (store_id, terminal_id, serial_number, merchant_id, order_id, amount, currency,
			sold_at, received_at, business_day, cutoff_at, last4, card_brand, auth_code, folio, state)
		SELECT $1, $2, $3, 'M', 'O' || d || '-' || n, 100 + n % 90000, 'MXN', t, t, d, t, '4242', 'VISA', 'A1B2C3', 'F' || n,
			CASE WHEN n % 100 = 0 THEN 'confirmed' ELSE 'cancelable' END
		FROM (SELECT date '2026-10-01' + i AS d FROM generate_series(0, 49) i) days, generate_series(1, $4::int / 50) n,
			LATERAL (SELECT d + time '09:00' + n * interval '1 second' AS t) x`,
		o.Store.ID, o.Terminal.ID, string(o.Terminal.SerialNumber), million)
	modelstest.Exec(b, o.Owner, `INSERT INTO day_totals (store_id, terminal_id, business_day, sales, amount, canceled, canceled_amount,
			open_cases, revision, last_received)
		SELECT store_id, terminal_id, business_day, count(*), sum(amount), 0, 0, 0, 1, max(received_at) FROM sales GROUP BY 1, 2, 3`)
	modelstest.Exec(b, o.Owner, `INSERT INTO cancellations (sale_id, store_id, terminal_id, omit_receipt, note, origin, requester,
			click, reason, state, requested_at, changed_at, cutoff_at)
		SELECT id, store_id, terminal_id, false, '', 'terminal', 'x', id, (SELECT min(code) FROM reasons), state, sold_at, sold_at, cutoff_at
		FROM sales WHERE state <> 'cancelable'`)
	modelstest.Exec(b, o.Owner, `VACUUM ANALYZE`)
	f := sales.ExportFilter{From: "2026-10-01", To: models.Day("2026-11-20")}
	for b.Loop() {
		x, err := o.SalesFiles.Start(b.Context(), o.Supervisor, export.CSV, f, "")
		if err != nil {
			b.Fatal(err)
		}
		runtime.GC()
		done, peak := make(chan struct{}), &atomic.Uint64{}
		go func() {
			tick := time.NewTicker(50 * time.Millisecond)
			defer tick.Stop()
			for {
				select {
				case <-done:
					return
				case <-tick.C:
					var m runtime.MemStats
					runtime.ReadMemStats(&m)
					peak.Store(max(peak.Load(), m.HeapInuse))
				}
			}
		}()
		file := &countingFile{}
		x.To(io.Discard)
		err = o.SalesFiles.Run(b.Context(), o.Supervisor, x, f, file)
		close(done)
		if err != nil || file.rows != million || !file.complete {
			b.Fatal(file.rows, err)
		}
		b.ReportMetric(float64(peak.Load())/(1<<20), "MB-heap")
		b.ReportMetric(million/b.Elapsed().Seconds(), "rows/s")
	}
}
