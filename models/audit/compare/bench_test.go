package compare_test

import (
	"runtime"
	"testing"
	"time"

	"veinte/models/modelstest"
)

// BenchmarkAMillionSales compares 1,000,000 sales of forty closed days, of which 100,000
// were canceled with four entries each, 300,000 came in three files, and all were posted by
// a terminal. It says how much memory the program held at most.
func BenchmarkAMillionSales(b *testing.B) {
	o := modelstest.NewOffice(b)
	for _, part := range generated {
		modelstest.Exec(b, o.Owner, part)
	}
	b.ResetTimer()
	for range b.N {
		stop, most := make(chan struct{}), make(chan uint64)
		go func() {
			var m runtime.MemStats
			var top uint64
			for {
				select {
				case <-stop:
					most <- top
					return
				case <-time.After(20 * time.Millisecond):
					runtime.ReadMemStats(&m)
					top = max(top, m.HeapInuse)
				}
			}
		}()
		begun := time.Now()
		r, err := o.Compare.Compare(b.Context())
		if err != nil {
			b.Fatal(err)
		}
		close(stop)
		if r.Differs() > 0 {
			b.Fatalf("%d differences, the first %+v", r.Differs(), r.Differences[0])
		}
		for _, t := range r.Tables {
			b.Logf("%+v", *t)
		}
		b.ReportMetric(time.Since(begun).Seconds(), "s/comparison")
		b.ReportMetric(float64(<-most)/(1<<20), "MB-heap")
	}
}

// generated makes the sales, as their owner: the product would take an hour.
var generated = []string{
	`DO $$ BEGIN
		EXECUTE (SELECT string_agg(format('ALTER TABLE %s DISABLE TRIGGER USER', t), ';') FROM unnest(ARRAY['sales', 'cancellations',
			'attempts', 'closings', 'closing_terminals', 'results', 'recorded_rows', 'audit_entries']) t);
		DROP INDEX audit_entries_terms;
		ALTER TABLE closing_terminals DROP CONSTRAINT closing_terminals_day_fkey;
	END $$`,
	`INSERT INTO sales (store_id, terminal_id, serial_number, merchant_id, order_id, amount, currency, sold_at, received_at, business_day,
		cutoff_at, last4, card_brand, auth_code, folio, state, source)
		SELECT a.store_id, t.id, t.serial_number, a.merchant_id, 'V-' || n, 10000 + n % 90000, 'MXN', d.at, d.at, d.at::date, d.at, '1234',
			'VISA', '123456', 'F-' || n, CASE WHEN n % 10 = 0 THEN 'confirmed' ELSE 'cancelable' END, 'terminal'
		FROM generate_series(1, 1000000) n
			CROSS JOIN LATERAL (SELECT timestamptz '2026-10-01 18:00Z' + (n / 25000) * interval '1 day' AS at) d,
			(SELECT id, serial_number FROM terminals LIMIT 1) t, (SELECT store_id, merchant_id FROM assignments LIMIT 1) a`,
	`INSERT INTO cancellations (sale_id, store_id, terminal_id, state, version, omit_receipt, reason, note, origin, requester, click,
		requested_at, cutoff_at, changed_at, attempts)
		SELECT id, store_id, terminal_id, 'confirmed', 4, false, 'other', '', 'terminal', 'Ana', id::text, sold_at, sold_at, sold_at, 1
		FROM sales WHERE state = 'confirmed'`,
	`INSERT INTO attempts (cancellation_id, number, key_hash, started_at, deadline_at, meaning)
		SELECT id, 1, encode(sha256(id::text::bytea), 'hex'), requested_at, requested_at, 'accepted' FROM cancellations`,
	`INSERT INTO audit_entries (at, actor_id, actor_name, actor_role, action, outcome, store_id, serial_number, sale_id, order_id, amount,
		cancellation_id, attempt_number, reason, after, canonical)
		SELECT requested_at, 7, 'Ana', 'manager', CASE n WHEN 1 THEN 'cancellation.requested' ELSE 'cancellation.moved' END, 'success',
			c.store_id, s.serial_number, s.id, s.order_id, s.amount, c.id, CASE WHEN n > 1 THEN 1 END, CASE n WHEN 1 THEN 'other' ELSE '' END,
			jsonb_build_object('state', (ARRAY['requested', 'sending', 'accepted', 'confirmed'])[n], 'sequence', n), '{}'
		FROM cancellations c JOIN sales s ON s.id = c.sale_id CROSS JOIN generate_series(1, 4) n ORDER BY c.id, n`,
	`INSERT INTO closing_terminals (day, store_id, terminal_id, store_code, store_name, serial_number, revision, counts, sums, sales_hash,
		sale_ids, amounts, standings)
		SELECT business_day, store_id, terminal_id, 'X', 'X', min(serial_number), 1, '{0,0,0,0,0,0,0,0}', '{0,0,0,0,0,0,0,0}',
			sha256(convert_to(string_agg(id || ' ' || amount || ' k' || E'\n', '' ORDER BY id), 'UTF8')), array_agg(id ORDER BY id),
			array_agg(amount ORDER BY id), repeat('k', count(*)::int)
		FROM sales GROUP BY business_day, store_id, terminal_id`,
	`INSERT INTO closings (day, cutoff_at, closed_at, sales, amount, canonical, hash)
		SELECT day, day, day, cardinality(sale_ids), 0, c.bytes, sha256(c.bytes) FROM closing_terminals t CROSS JOIN LATERAL (
			SELECT convert_to(jsonb_build_object('stores', jsonb_build_array(jsonb_build_object('id', store_id, 'terminals', jsonb_build_array(
				jsonb_build_object('serialNumber', serial_number, 'salesSha256', encode(sales_hash, 'hex'))))))::text, 'UTF8') AS bytes) c`,
	`INSERT INTO audit_entries (at, actor_name, actor_role, action, outcome, after, canonical)
		SELECT closed_at, 'closing', 'system', 'day.closed', 'success', jsonb_build_object('day', day, 'sha256', encode(hash, 'hex'),
			'sales', sales, 'amount', amount), '{}' FROM closings`,
	`INSERT INTO results (received_at, address, body, body_hash, kind, serial_number, merchant_id, order_id, folio, last4, card_brand,
		auth_code, standing, amount, response_code, key_hash, status, sale_id)
		SELECT received_at, '189.250.0.1', b.body, encode(sha256(convert_to(b.body, 'UTF8')), 'hex'), 'sale', serial_number, merchant_id,
			order_id, folio, last4, card_brand, auth_code, '', amount, '00', '', 'applied', id
		FROM sales CROSS JOIN LATERAL (SELECT jsonb_build_object('serialNumber', serial_number, 'storeId', merchant_id, 'orderId', order_id,
			'folio', folio, 'amount', amount / 100.0, 'cardBrand', card_brand, 'last4', last4, 'authCode', auth_code, 'soldAt', sold_at,
			'responseCode', '00', 'message', 'Aprobada', 'terminal', 'Caja 1', 'session', md5(id::text))::text AS body) b`,
	`INSERT INTO recorded_rows (of_table, subject, block, lines)
		SELECT 'results', min(id), 0, string_agg(id || ' ' || left(body_hash, 32) || E'\n', '' ORDER BY id) FROM results GROUP BY id / 10000`,
	`INSERT INTO audit_entries (at, actor_name, actor_role, action, outcome, after, canonical)
		SELECT now(), 'comparison', 'system', 'audit.compared', 'success',
			jsonb_build_object('bound', jsonb_object_agg(subject, encode(sha256(convert_to(lines, 'UTF8')), 'hex'))), '{}' FROM recorded_rows`,
	`INSERT INTO recorded_rows (of_table, subject, block, lines)
		SELECT 'sales', id / 100000 + 1, id / 2000 % 50, string_agg(id || ' ' || store_id || ' ' || amount || E'\n', '' ORDER BY id)
		FROM sales WHERE id < 300000 GROUP BY 2, 3`,
	`INSERT INTO audit_entries (at, actor_name, actor_role, action, outcome, after, canonical)
		SELECT now(), 'Ana', 'manager', 'sales.imported', 'success', jsonb_build_object('importId', subject, 'rowsSha256',
			encode(sha256(convert_to(string_agg(encode(sha256(convert_to(lines, 'UTF8')), 'hex') || E'\n', '' ORDER BY block), 'UTF8')), 'hex')),
			'{}' FROM recorded_rows WHERE of_table = 'sales' GROUP BY subject`,
	`VACUUM ANALYZE`,
}
