package oversight_test

import (
	"testing"

	"veinte/models/modelstest"
	"veinte/models/oversight"
)

// crowd makes a chain of 100 stores with 400 terminals and 400 people, with a
// million sales in the twelve weeks that a page of the default period reads, and
// 100,000 cancellations.
func crowd(b *testing.B, o *modelstest.Office) {
	b.Helper()
	const stores, sales, cases = 100, 1_000_000, 100_000
	for _, s := range []struct {
		sql  string
		args []any
	}{
		{`INSERT INTO stores (code, name, time_zone, created_at)
			SELECT 'B-' || n, 'Sucursal ' || n, 'America/Mexico_City', now() FROM generate_series(1, $1::int) n`, []any{stores}},
		{`INSERT INTO terminals (serial_number, label, created_at)
			SELECT (3000000000 + n)::text, 'Caja', now() FROM generate_series(0, $1::int * 4 - 1) n`, []any{stores}},
		{`INSERT INTO sales (store_id, terminal_id, serial_number, merchant_id, order_id, amount, currency,
				sold_at, received_at, business_day, cutoff_at, last4, card_brand, auth_code, folio, state)
			SELECT s.id, t.id, t.serial_number, 'M', 'B-' || n, 1000 + n * 7919::bigint % 250000, 'MXN', at, at, d, d + interval '26 hours',
				lpad((n * 7919::bigint % 10007 % 10000)::text, 4, '0'), (ARRAY['VISA', 'MASTERCARD', 'AMEX'])[n % 3 + 1], '', '',
				CASE WHEN n % 10 = 0 THEN 'confirmed' ELSE 'cancelable' END
			FROM generate_series(1, $1::int) n
			CROSS JOIN LATERAL (SELECT date '2026-11-20' - n / 7 % 84 AS d) x
			CROSS JOIN LATERAL (SELECT (d + interval '15 hours' + n * 31::bigint % 36000 * interval '1 second') AT TIME ZONE 'UTC' AS at) y
			JOIN stores s ON s.code = 'B-' || (n / 600 % 100 + 1)
			JOIN terminals t ON t.serial_number = (3000000000 + (n / 600 % 100) * 4 + n % 4)::text`, []any{sales}},
		{`INSERT INTO cancellations (sale_id, store_id, terminal_id, state, omit_receipt, reason, note, origin,
				requested_by, requester, requester_role, click, requested_at, cutoff_at, changed_at)
			SELECT id, store_id, terminal_id, 'confirmed', false,
				(ARRAY['chargedTwice', 'wrongAmount', 'customerRequest'])[id % 3 + 1], '', 'person',
				5000 + store_id * 4 + id / 10 % 4, 'Persona ' || store_id * 4 + id / 10 % 4, 'manager',
				order_id, sold_at + interval '9 minutes', cutoff_at, sold_at
			FROM sales WHERE state = 'confirmed' AND order_id LIKE 'B-%' LIMIT $1`, []any{cases}},
		{`INSERT INTO audit_entries (at, actor_id, actor_name, actor_role, action, outcome, canonical)
			SELECT timestamptz '2026-11-20T18:00:00Z' - n * interval '7 seconds', 5000 + n % 400, 'Persona', 'manager',
				(ARRAY['cancellation.moved', 'cancellation.requested', 'session.started', 'access.denied', 'cancellation.refused'])[
					(CASE WHEN n % 500 < 2 THEN 4 + n % 2 ELSE n % 3 + 1 END)],
				CASE WHEN n % 500 < 2 THEN 'denied' ELSE 'success' END, '' FROM generate_series(1, 1000000) n`, nil},
		{`VACUUM ANALYZE`, nil},
	} {
		modelstest.Exec(b, o.Owner, s.sql, s.args...)
	}
}

// BenchmarkOversight runs the queries of the pages for the default period and all
// stores.
func BenchmarkOversight(b *testing.B) {
	o := modelstest.NewOffice(b)
	crowd(b, o)
	v := o.Oversight
	whole := oversight.Filter{From: "2026-08-20", To: "2026-11-20"}
	for _, by := range oversight.Bys {
		b.Run("report/"+string(by), func(b *testing.B) {
			for b.Loop() {
				r, err := v.Report(b.Context(), o.Supervisor, oversight.Filter{By: by})
				if err != nil || by != oversight.ByApprover && len(r.Rows) == 0 {
					b.Fatal(err)
				}
			}
		})
	}
	b.Run("report/quarter", func(b *testing.B) {
		for b.Loop() {
			if _, err := v.Report(b.Context(), o.Supervisor, whole); err != nil {
				b.Fatal(err)
			}
		}
	})
	for _, kind := range append([]oversight.FindingKind{""}, oversight.FindingKinds...) {
		b.Run("patterns/"+string(kind), func(b *testing.B) {
			for b.Loop() {
				found, err := v.Findings(b.Context(), o.Supervisor, oversight.Filter{Kind: kind})
				if err != nil {
					b.Fatal(err)
				}
				b.ReportMetric(float64(len(found.List)), "findings")
			}
		})
	}
}
