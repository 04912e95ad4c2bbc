package migrations

import (
	"database/sql"
	"fmt"
	"strings"
	"testing"
)

// TestEntriesAreOfNow: whoever writes an entry, also the owner into a month's own table,
// dates it ten minutes away at most, by the database's clock and its offset.
func TestEntriesAreOfNow(t *testing.T) {
	t.Parallel()
	pg, owner := fresh(t)
	up(t, owner, Roles{Server: "shop_app"})
	app := as(t, pg, "shop_app")
	wants(t, app, "the server before the first start", map[string]bool{
		`INSERT INTO installation (kind, marked_at) VALUES ('real', now())`:                        true,
		`INSERT INTO installation (kind, marked_at, clock_offset) VALUES ('real', now(), '1 day')`: false,
	})
	for _, offset := range []string{"", "0", "-3 days", "2 hours"} {
		if offset != "" {
			run(t, owner, fmt.Sprintf(`INSERT INTO installation (kind, marked_at, clock_offset) VALUES ('demo', now(), '%s')
				ON CONFLICT (one) DO UPDATE SET clock_offset = excluded.clock_offset`, offset))
		}
		for from, want := range map[string]bool{
			"0": true, "9 minutes 50 seconds": true, "-9 minutes -50 seconds": true,
			"10 minutes 10 seconds": false, "-10 minutes -1 second": false, "1 day": false, "-400 days": false,
		} {
			datesAnEntry(t, app, "audit_entries", offset, from, want)
			var month string
			err := owner.QueryRow(`SELECT coalesce(to_regclass(to_char(clock_timestamp() + $1::interval
				+ coalesce((SELECT clock_offset FROM installation), '0'), '"trail.audit_entries_"YYYY_MM'))::text, 'trail.audit_entries_rest')`,
				from).Scan(&month)
			if err != nil {
				t.Fatal(err)
			}
			datesAnEntry(t, owner, month, offset, from, want)
		}
	}
}

func datesAnEntry(t *testing.T, db *sql.DB, table, offset, from string, want bool) {
	t.Helper()
	tx, err := db.Begin()
	if err != nil {
		t.Fatal(err)
	}
	id, one := "", ""
	// A month's own table draws no numbers before PostgreSQL 17, and from there on takes none
	// without a word.
	if table != "audit_entries" {
		id, one = "id, ", "1, "
	}
	_, err = tx.Exec(fmt.Sprintf(`INSERT INTO %s (%sat, actor_name, actor_role, action, outcome, canonical) OVERRIDING SYSTEM VALUE
		SELECT %sclock_timestamp() + interval '%s' + coalesce((SELECT clock_offset FROM installation), '0'), 'x', 'system', 'a.b',
			'success', ''`,
		table, id, one, from))
	_ = tx.Rollback()
	if taken := err == nil; taken != want || err != nil && !strings.Contains(err.Error(), "VT001") {
		t.Errorf("offset %q: an entry in %s, %s from now: %v, taken %t, want %t", offset, table, from, err, taken, want)
	}
}
