package reconciliation_test

import (
	"context"
	"fmt"
	"io"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"veinte/models/modelstest"
	"veinte/models/reconciliation"
	"veinte/models/reconciliation/report"
	"veinte/models/table"
)

// longTable is a report of n sales, made as it is read: one in fifty canceled.
type longTable struct {
	prefix string
	n, at  int
	line   int
	serial string
	cells  []report.Cell
	cancel bool
}

func (t *longTable) Notes() []table.Note { return nil }

func (t *longTable) Header() []string {
	return []string{"Orden", "Terminal", "Importe", "Operación", "Fecha", "Folio", "Autorización", "Tarjeta", "Afiliación"}
}

func (t *longTable) Next() ([]report.Cell, int, error) {
	if t.at == t.n && !t.cancel {
		return nil, 0, io.EOF
	}
	operation := "Venta"
	if t.cancel {
		operation, t.cancel = "Cancelación", false
	} else {
		t.at++
		t.cancel = t.at%50 == 0
	}
	t.cells = t.cells[:0]
	for _, text := range []string{
		fmt.Sprintf("%s-%06d", t.prefix, t.at), t.serial, fmt.Sprintf("%d.00", 100+t.at%900), operation, "20/11/2026 11:59:59",
		fmt.Sprintf("F%06d", t.at), fmt.Sprintf("A%06d", t.at), "4242", "M" + t.serial,
	} {
		t.cells = append(t.cells, report.Cell{Text: text})
	}
	t.line++
	return t.cells, t.line, nil
}

// BenchmarkReconcile compares a report of 100,000 sales with as many of ours, all of
// one terminal: once where each is found, once where none is.
func BenchmarkReconcile(b *testing.B) {
	b.Run("found", func(b *testing.B) { benchmarkReconcile(b, "L", reconciliation.ItemSame) })
	b.Run("strange", func(b *testing.B) { benchmarkReconcile(b, "X", reconciliation.ItemProposed) })
}

func benchmarkReconcile(b *testing.B, prefix string, want reconciliation.ItemKind) {
	b.Helper()
	const sales = 100_000
	o := modelstest.NewOffice(b)
	p, err := o.Reconciliation.CreateReportProfile(b.Context(), o.Admin, "Proveedor", sampleMapping())
	if err != nil {
		b.Fatal(err)
	}
	modelstest.Exec(b, o.Owner, `INSERT INTO sales (store_id, terminal_id, serial_number, merchant_id, order_id, amount, currency,
			sold_at, received_at, business_day, cutoff_at, last4, card_brand, auth_code, folio)
		SELECT $1, $2, $3, 'M' || $3, 'L-' || lpad(n::text, 6, '0'), (100 + n % 900) * 100, 'MXN',
			$4, $4, '2026-11-20', $4, '4242', 'VISA', 'A' || lpad(n::text, 6, '0'), 'F' || lpad(n::text, 6, '0')
		FROM generate_series(1, $5::int) n`, o.Store.ID, o.Terminal.ID, string(o.Terminal.SerialNumber), o.Clock.Now().Add(-time.Second), sales)
	o.Clock.Advance(24 * time.Hour)
	b.ResetTimer()
	for range b.N {
		done, peak := make(chan struct{}), &atomic.Uint64{}
		go watchHeap(done, peak)
		rec, err := o.Reconciliation.Reconcile(context.Background(), o.Supervisor, reconciliation.Upload{
			ProfileID: p.ID, Day: "2026-11-20", FileHash: fmt.Sprintf("%064x", b.N), Again: true,
			Table: &longTable{prefix: prefix, n: sales, serial: string(o.Terminal.SerialNumber)},
		})
		close(done)
		if err != nil {
			b.Fatal(err)
		}
		if rec.Counts[want] < sales-sales/50 {
			b.Fatalf("counts = %v", rec.Counts)
		}
		b.ReportMetric(float64(peak.Load())/(1<<20), "MB-heap")
	}
}

func watchHeap(done <-chan struct{}, peak *atomic.Uint64) {
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
}
