package migrations

import (
	"context"
	"database/sql"
	"testing"

	_ "github.com/jackc/pgx/v5/stdlib" // the driver named "pgx"

	"veinte/models/localpg"
)

// TestWhatWasCanceledBeforeIsOverseenToo: the migration gives oversight the earlier
// cancellations, users and approvals, from the trail.
func TestWhatWasCanceledBeforeIsOverseenToo(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	pg, err := localpg.StartTemporary(ctx)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = pg.Stop(context.Background()) })
	db, err := sql.Open("pgx", pg.DSN("postgres", "postgres"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	p, err := provider(t.Context(), db, true)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.UpTo(ctx, 19); err != nil {
		t.Fatal(err)
	}
	// Sale 1 was posted and was canceled by program 7. Sale 2 was added manually and
	// canceled by person 7, resolved as not canceled by person 8, requested again by
	// 9, and then reported as canceled by 8. Sale 3 was canceled on the terminal.
	const before = `
		INSERT INTO sales (store_id, terminal_id, serial_number, merchant_id, order_id, amount, currency, sold_at, received_at,
			business_day, cutoff_at, last4, card_brand, auth_code, folio, source)
		SELECT s.id, t.id, '1490000001', 'M', 'O-' || n, n * 100, 'MXN', '2026-11-19 18:00Z', '2026-11-19 18:00Z',
			'2026-11-19', '2026-11-20 02:00Z', '4242', 'VISA', '', '', CASE n WHEN 2 THEN 'hand' ELSE 'terminal' END
		FROM generate_series(1, 3) n, stores s, terminals t;
		INSERT INTO cancellations (sale_id, store_id, terminal_id, state, omit_receipt, reason, note, origin,
			requested_by, requester, click, requested_at, cutoff_at, changed_at)
		SELECT c.sale, s.id, t.id, c.state, false, 'other', '', CASE WHEN c.who IS NULL THEN 'terminal' ELSE 'person' END,
			c.who, c.name, 'k' || c.n, '2026-11-19 18:05Z', '2026-11-20 02:00Z', now()
		FROM (VALUES (1, 1, 'confirmed', 7, 'Caja'), (2, 2, 'notCanceled', 7, 'Ana'), (3, 2, 'confirmed', 9, 'Zoe'),
			(4, 3, 'confirmed', NULL, '1490000001'))
			AS c(n, sale, state, who, name), stores s, terminals t ORDER BY c.n;
		INSERT INTO audit_entries (at, actor_id, actor_name, actor_role, action, outcome, sale_id, cancellation_id, after, canonical) VALUES
			('2026-11-19 18:01Z', 7, 'Ana', 'manager', 'sales.recorded', 'success', 2, NULL, '{}', ''),
			('2026-11-19 18:05Z', 7, 'Caja', 'integration', 'cancellation.requested', 'success', 1, 1, '{}', ''),
			('2026-11-19 18:05Z', 7, 'Ana', 'manager', 'cancellation.requested', 'success', 2, 2, '{}', ''),
			('2026-11-19 18:06Z', 8, 'Sara', 'supervisor', 'cancellation.moved', 'failure', 2, 2,
				'{"state":"notCanceled","detail":"settledNotCanceled"}', ''),
			('2026-11-19 18:07Z', 9, 'Zoe', 'supervisor', 'cancellation.requested', 'success', 2, 3, '{}', ''),
			('2026-11-19 18:08Z', NULL, 'dispatch', 'system', 'cancellation.moved', 'success', 2, 3, '{"state":"sending"}', ''),
			('2026-11-20 18:08Z', 8, 'Sara', 'supervisor', 'cancellation.moved', 'success', 2, 3,
				'{"state":"confirmed","detail":"reconciledCanceled"}', '');`
	for _, statement := range []string{
		`INSERT INTO stores (code, name, time_zone, created_at) VALUES ('A', 'A', 'UTC', now())`,
		`INSERT INTO terminals (serial_number, label, created_at) VALUES ('1490000001', 'Caja', now())`,
		before,
	} {
		if _, err := db.ExecContext(ctx, statement); err != nil {
			t.Fatalf("%s: %v", statement, err)
		}
	}
	if _, err := Up(ctx, db, Roles{}); err != nil {
		t.Fatal(err)
	}
	for query, want := range map[string]string{
		`SELECT string_agg(concat_ws('/', sale_id, requester, requester_name, teller, state, amount, day), ' ' ORDER BY case_id)
			FROM case_facts`: "1/k7/Caja//confirmed/100/2026-11-19 2/u7/Ana/u7/notCanceled/200/2026-11-19 " +
			"2/u9/Zoe/u7/confirmed/200/2026-11-19 3//1490000001//confirmed/300/2026-11-19",
		`SELECT string_agg(concat_ws('/', case_id, kind, approver, approver_name), ' ' ORDER BY case_id, kind)
			FROM approvals`: "2/settled/u8/Sara 3/again/u9/Zoe 3/report/u8/Sara",
	} {
		var got string
		if err := db.QueryRowContext(ctx, query).Scan(&got); err != nil {
			t.Fatalf("%s: %v", query, err)
		}
		if got != want {
			t.Errorf("after the upgrade:\n got %s\nwant %s", got, want)
		}
	}
}
