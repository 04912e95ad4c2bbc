package migrations

import (
	"context"
	"database/sql"
	"testing"

	_ "github.com/jackc/pgx/v5/stdlib" // the driver named "pgx"

	"veinte/models/localpg"
)

// TestTheTrailMovesIntoMonths: existing entries keep their number, transaction and
// bytes in every month, and new numbers follow them.
func TestTheTrailMovesIntoMonths(t *testing.T) {
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
	const all = `SELECT md5(string_agg(to_jsonb(e)::text, '' ORDER BY id))
		FROM (SELECT id, at, actor_name, action, outcome, after, canonical, txid FROM audit_entries) e`
	var before, after, bounds string
	var last, next int64
	for _, step := range []struct {
		query string
		into  any
	}{
		{`WITH w AS (INSERT INTO audit_entries (at, actor_name, actor_role, action, outcome, after, canonical)
			SELECT timestamptz '2025-12-31 23:59:59.999999+00' + n * interval '9 days', 'x', 'system', 'test.done', 'success',
				'{"n":1}', convert_to(n::text, 'UTF8')
			FROM generate_series(0, 60) n RETURNING id) SELECT max(id) FROM w`, &last},
		{`SELECT nextval('audit_entries_id_seq')`, &last}, // an unused number
		{all, &before},
	} {
		if err := db.QueryRow(step.query).Scan(step.into); err != nil {
			t.Fatalf("%s: %v", step.query, err)
		}
	}
	if _, err := Up(ctx, db, Roles{}); err != nil {
		t.Fatal(err)
	}
	for _, step := range []struct {
		query string
		into  any
	}{
		{all, &after},
		{`INSERT INTO audit_entries (at, actor_name, actor_role, action, outcome, canonical)
			VALUES (now(), 'x', 'system', 'test.done', 'success', '') RETURNING id`, &next},
		{`SELECT string_agg(DISTINCT tableoid::regclass::text, ' ' ORDER BY tableoid::regclass::text)
			FROM audit_entries WHERE at < '2026-03-01'`, &bounds},
	} {
		if err := db.QueryRow(step.query).Scan(step.into); err != nil {
			t.Fatalf("%s: %v", step.query, err)
		}
	}
	if before != after {
		t.Error("what was in the trail is not what was there before")
	}
	if next != last+1 {
		t.Errorf("the next entry has number %d, want %d", next, last+1)
	}
	if want := "trail.audit_entries_2025_12 trail.audit_entries_2026_01 trail.audit_entries_2026_02"; bounds != want {
		t.Errorf("entries until February are in %s, want %s", bounds, want)
	}
}
