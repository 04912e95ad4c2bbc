package migrations

import "testing"

// TestKeysThatFollowedTheTrailStillDo: following it has a scope of its own, which the
// keys that could do it get.
func TestKeysThatFollowedTheTrailStillDo(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	db, p := before(t, 38)
	_, err := db.ExecContext(ctx, `INSERT INTO api_keys (name, scopes, all_stores, per_minute, created_at, created_by) VALUES
		('SIEM', ARRAY['sales:read', 'audit:read'], true, 600, now(), 'Alma'), ('POS', ARRAY['sales:write'], true, 600, now(), 'Alma')`)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.UpTo(ctx, 38); err != nil {
		t.Fatal(err)
	}
	var got string
	err = db.QueryRowContext(ctx, `SELECT string_agg(array_to_string(scopes, ' '), ', ' ORDER BY name DESC) FROM api_keys`).Scan(&got)
	if want := "sales:read audit:read audit:follow, sales:write"; err != nil || got != want {
		t.Errorf("scopes = %q, %v, want %q", got, err, want)
	}
}
