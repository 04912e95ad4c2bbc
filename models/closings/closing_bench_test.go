package closings_test

import (
	"testing"
	"time"

	"veinte/models/closings"
	"veinte/models/modelstest"
)

// BenchmarkClosing closes a day of a million sales of 400 stores, one in ten with a
// cancellation, and reads its report when it is new and after something changed at
// every terminal:
// go test ./models/closings -run ^$ -bench Closing$ -benchtime 1x
func BenchmarkClosing(b *testing.B) {
	o := modelstest.NewOffice(b)
	modelstest.Exec(b, o.Owner, `INSERT INTO stores (code, name, time_zone, created_at)
		SELECT 'B-' || n, 'Sucursal ' || n, 'America/Mexico_City', now() FROM generate_series(1, 400) n`)
	modelstest.Exec(b, o.Owner, `INSERT INTO terminals (serial_number, label, created_at)
		SELECT to_char(n, 'FM3000000000'), 'Caja', now() FROM generate_series(1, 1600) n`)
	modelstest.Exec(b, o.Owner, `INSERT INTO sales (store_id, terminal_id, serial_number, merchant_id, order_id, amount, currency,
			sold_at, received_at, business_day, cutoff_at, last4, card_brand, auth_code, folio, state)
		SELECT 2 + n % 400, 2 + n % 1600, to_char(1 + n % 1600, 'FM3000000000'), 'M', 'O' || n, 100 + n % 90000, 'MXN',
			t, t, '2026-11-20', '2026-11-20T20:00:00-06:00',
			'4242', 'VISA', '', '', (ARRAY['confirmed', 'rejected', 'unknown', 'expired', 'notCanceled',
				'cancelable', 'cancelable', 'cancelable', 'cancelable', 'cancelable'])[CASE WHEN n % 10 = 0 THEN 1 + n / 10 % 5 ELSE 9 END]
		FROM generate_series(1, 1000000) n, LATERAL (SELECT timestamptz '2026-11-20T09:00:00-06:00' + n * interval '38 milliseconds' AS t) x`)
	// Open doubts, and withdrawn requests: one in fifty each.
	modelstest.Exec(b, o.Owner, `INSERT INTO cancellations (sale_id, store_id, terminal_id, omit_receipt, note, origin, requester, click,
			reason, state, requested_at, changed_at, cutoff_at)
		SELECT id, store_id, terminal_id, false, '', 'terminal', 'x', id, (SELECT min(code) FROM reasons),
			CASE state WHEN 'unknown' THEN 'unknown' ELSE 'withdrawn' END, sold_at, sold_at, cutoff_at
		FROM sales WHERE state = 'unknown' OR id % 50 = 7`)
	modelstest.Exec(b, o.Owner, `ANALYZE`)
	o.Clock.Set(modelstest.At(b, "2026-11-20T20:00:00-06:00"))
	report := func(name string, f func() error) {
		began := time.Now()
		if err := f(); err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(float64(time.Since(began).Milliseconds()), name)
	}
	read := func() error {
		_, err := o.Closings.ClosingReport(b.Context(), o.Supervisor, modelstest.ClosingDay, closings.Shown)
		return err
	}
	report("close-ms", func() error { return o.Closings.CloseDays(b.Context()) })
	report("read-ms", read)
	modelstest.Exec(b, o.Owner, `UPDATE sales SET state = 'rejected'
		WHERE id IN (SELECT max(id) FROM sales WHERE state = 'unknown' AND store_id < 22 GROUP BY terminal_id)`)
	report("read-amended-ms", read)
	modelstest.Exec(b, o.Owner, `UPDATE sales SET state = 'rejected'
		WHERE id IN (SELECT max(id) FROM sales WHERE state = 'unknown' GROUP BY terminal_id)`)
	report("read-all-amended-ms", read)
	report("list-ms", func() error {
		_, err := o.Closings.Closings(b.Context(), o.Supervisor, "")
		return err
	})
}
