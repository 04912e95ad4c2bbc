package migrations

import "testing"

// TestRelaysKeepWhatTheyGet: a relay of before gets what came, as it did; one that a
// server of the release before makes meanwhile begins masked.
func TestRelaysKeepWhatTheyGet(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	const number = 50
	db, p := before(t, number)
	add := func(name, kind string) {
		t.Helper()
		_, err := db.ExecContext(ctx, `INSERT INTO endpoints (kind, name, shown_url, sealed_url, sealed_secret, events, all_stores, store_ids,
			state, state_reason, state_at, version, created_at)
			VALUES ($2, $1, 'https://pos.example', '\x01', '\x01', CASE $2 WHEN 'webhook' THEN ARRAY['cancellation.confirmed'] ELSE '{}' END,
				true, '{}', 'active', '', now(), 1, now())`, name, kind)
		if err != nil {
			t.Fatal(err)
		}
	}
	add("a", "relay")
	add("b", "webhook")
	if _, err := p.UpTo(ctx, number); err != nil {
		t.Fatal(err)
	}
	add("c", "relay")
	var got string
	err := db.QueryRowContext(ctx, `SELECT string_agg(name || ' ' || relay_body, ', ' ORDER BY name) FROM endpoints`).Scan(&got)
	if want := "a original, b masked, c masked"; err != nil || got != want {
		t.Errorf("bodies = %q, %v, want %q", got, err, want)
	}
}
