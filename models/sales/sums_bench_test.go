package sales_test

import (
	"testing"

	"veinte/models"
	"veinte/models/modelstest"
	"veinte/models/oversight"
	"veinte/models/sales"
)

// BenchmarkFigures adds up the figures of a chain of ten stores with forty terminals
// and 20,000 sales a day, with a cancellation requested for one in a hundred; and
// those of one of its stores: go test ./models/sales -run ^$ -bench Figures
func BenchmarkFigures(b *testing.B) {
	o := modelstest.NewOffice(b)
	modelstest.Exec(b, o.Owner, `INSERT INTO stores (code, name, time_zone, created_at)
		SELECT 'B-' || n, 'Sucursal ' || n, 'America/Mexico_City', now() FROM generate_series(1, 10) n`)
	modelstest.Exec(b, o.Owner, `INSERT INTO terminals (serial_number, label, created_at) SELECT to_char(n, 'FM3000000000'), 'Caja', now()
		FROM generate_series(1, 40) n`)
	modelstest.Exec(b, o.Owner, `INSERT INTO sales (store_id, terminal_id, serial_number, merchant_id, order_id, amount, currency,
			sold_at, received_at, business_day, cutoff_at,
			last4, card_brand, auth_code, folio, state)
		SELECT 2 + n % 10, 2 + n % 40, to_char(1 + n % 40, 'FM3000000000'), 'M', 'O' || d || '-' || n, 100 + n % 90000, 'MXN', t, t, d, t,
			'4242', 'VISA', '', '',
			CASE WHEN n % 100 = 0 THEN (ARRAY['confirmed', 'rejected', 'unknown', 'confirmed'])[1 + n / 100 % 4] ELSE 'cancelable' END
		FROM (SELECT date '2026-11-01' + i AS d FROM generate_series(0, 29) i) days, generate_series(1, 20000) n,
			LATERAL (SELECT d + time '09:00' + n * interval '2 seconds' AS t) x`)
	modelstest.Exec(b, o.Owner, `INSERT INTO cancellations (sale_id, store_id, terminal_id, omit_receipt, note, origin, requester,
			click, reason, state, requested_at, changed_at, cutoff_at)
		SELECT id, store_id, terminal_id, false, '', 'terminal', 'x', id, (SELECT min(code) FROM reasons), state, sold_at, sold_at, cutoff_at
		FROM sales WHERE state <> 'cancelable'`)
	modelstest.Exec(b, o.Owner, `VACUUM ANALYZE`)
	one := modelstest.Person(models.Supervisor)
	one.StoreIDs = []int64{3}
	view := o.Oversight
	for name, who := range map[string]models.Actor{"all": o.Supervisor, "store": one} {
		b.Run("day/"+name, func(b *testing.B) {
			for b.Loop() {
				d, err := o.Sales.DayFigures(b.Context(), who, sales.Filter{Day: modelstest.SalesToday})
				if err != nil || d.Total.Sales.Count == 0 {
					b.Fatal(d, err)
				}
			}
		})
		b.Run("month/"+name, func(b *testing.B) {
			for b.Loop() {
				p, err := view.Period(b.Context(), who, oversight.PeriodFilter{Unit: oversight.UnitMonth, From: modelstest.SalesToday})
				if err != nil || p.Total.Sales.Count == 0 {
					b.Fatal(p, err)
				}
			}
		})
	}
}
