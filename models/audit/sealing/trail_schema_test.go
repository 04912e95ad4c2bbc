package sealing_test

import (
	"database/sql"
	"testing"
	"time"

	"veinte/models"
	"veinte/models/modelstest"
	"veinte/models/wiring"
)

const entryAt = `INSERT INTO audit_entries (at, actor_name, actor_role, action, outcome, canonical)
	VALUES ($1, 'x', 'system', 'test.done', 'success', '')`

// TestNobodyRewritesAMonth: the months of the trail are as protected as the whole.
func TestNobodyRewritesAMonth(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	modelstest.Exec(t, o.Owner, `SELECT audit_partitions(current_date)`)
	month := modelstest.Scan[string](t, o.Owner, `SELECT to_char(now() AT TIME ZONE 'UTC', '"trail.audit_entries_"YYYY_MM')`)
	app := o.DB.SQL()
	tests := []struct {
		fact, statement string
		db              *sql.DB
	}{
		{"the application cannot read a month", `SELECT FROM ` + month, app},
		{"the application cannot add to a month", `INSERT INTO ` + month + ` DEFAULT VALUES`, app},
		{"the application cannot update a month", `UPDATE ` + month + ` SET reason = ''`, app},
		{"the application cannot delete a month", `DELETE FROM ` + month, app},
		{"the application cannot truncate a month", `TRUNCATE ` + month, app},
		{"the application cannot drop a month", `DROP TABLE ` + month, app},
		{"the application cannot put a month away", `ALTER TABLE audit_entries DETACH PARTITION ` + month, app},
		{"the application cannot add a month", `ALTER TABLE audit_entries ATTACH PARTITION stores FOR
			VALUES FROM ('2001-01-01') TO ('2001-02-01')`, app},
		{"the application cannot make any month", `SELECT trail.make_month('2001-01-01')`, app},
		{"the application cannot choose an era", `INSERT INTO audit_entries (era, at, actor_name, actor_role, action, outcome, canonical)
			VALUES (9, now(), 'x', 'system', 'a.b', 'success', '')`, app},
		{"the application cannot change the era", `ALTER TABLE audit_entries ALTER era SET DEFAULT 9`, app},
		{"the application cannot unseal", `DELETE FROM sealed_entries`, app},
		{"the application cannot seal otherwise", `UPDATE sealed_entries SET hash = hash`, app},
		{"the application cannot rewrite the tree", `UPDATE sealed_nodes SET hash = hash`, app},
		{"the application cannot rewrite a checkpoint", `UPDATE checkpoints SET note = 'x'`, app},
		{"the application cannot take a checkpoint away", `DELETE FROM checkpoints`, app},
		{"the application cannot empty the checkpoints", `TRUNCATE checkpoints`, app},
		{"the owner cannot update a month", `UPDATE ` + month + ` SET reason = ''`, o.Owner},
		{"the owner cannot delete a month's entries", `DELETE FROM ` + month, o.Owner},
		{"the owner cannot truncate a month", `TRUNCATE ` + month, o.Owner},
		{"the owner cannot update the rest", `UPDATE trail.audit_entries_rest SET reason = ''`, o.Owner},
		{"the owner cannot delete a month as a replica", `SET LOCAL session_replication_role = replica; DELETE FROM ` + month, o.Owner},
		{"the owner cannot unseal", `DELETE FROM sealed_entries`, o.Owner},
		{"the owner cannot take checkpoints away", `TRUNCATE checkpoints`, o.Owner},
	}
	for _, tt := range tests {
		t.Run(tt.fact, func(t *testing.T) {
			t.Parallel()
			if got := modelstest.InVain(t, tt.db, tt.statement); got != modelstest.NoPrivilege {
				t.Errorf("%s: SQLSTATE = %q, want %q", tt.statement, got, modelstest.NoPrivilege)
			}
		})
	}
}

// TestRightsOnTheTrail: the application has no right to do what the triggers refuse.
func TestRightsOnTheTrail(t *testing.T) {
	t.Parallel()
	db := modelstest.NewDB(t).SQL()
	for _, table := range []string{"audit_entries", "sealed_entries", "sealed_nodes", "checkpoints"} {
		if modelstest.Scan[bool](t, db, `SELECT has_table_privilege($1, 'UPDATE, DELETE, TRUNCATE, TRIGGER, REFERENCES')`, table) ||
			modelstest.Scan[bool](t, db, `SELECT has_any_column_privilege($1, 'UPDATE')`, table) {
			t.Errorf("the application may change %s", table)
		}
	}
	if modelstest.Scan[bool](t, db, `SELECT has_schema_privilege('trail', 'USAGE, CREATE')`) {
		t.Error("the application may reach the months")
	}
	for _, column := range []string{"id", "txid", "era"} {
		if modelstest.Scan[bool](t, db, `SELECT has_column_privilege('audit_entries', $1, 'INSERT')`, column) {
			t.Errorf("the application may choose %s", column)
		}
	}
}

// TestMonthsAreMadeAhead: by the application, which may create nothing else; and
// entries that belong to no month are stored as well.
func TestMonthsAreMadeAhead(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	now := modelstest.Scan[time.Time](t, o.Owner, `SELECT date_trunc('month', now() AT TIME ZONE 'UTC') AT TIME ZONE 'UTC'`)
	where := func(at time.Time) string {
		t.Helper()
		modelstest.Exec(t, o.DB.SQL(), entryAt, at)
		return modelstest.Scan[string](t, o.Owner, `SELECT tableoid::regclass::text FROM audit_entries
			WHERE at = $1 ORDER BY id DESC LIMIT 1`, at)
	}
	month := func(at time.Time) string { return at.UTC().Format("trail.audit_entries_2006_01") }
	far, later := now.AddDate(0, 5, 3), now.AddDate(0, 6, 3)
	modelstest.Wants(t, "a month that nobody made", where(far), "trail.audit_entries_rest")
	made := modelstest.Scan[int](t, o.DB.SQL(), `SELECT audit_partitions($1)`, later)
	modelstest.Wants(t, "months made, without the one that the rest has entries of", made, 2)
	modelstest.Wants(t, "the same again", modelstest.Scan[int](t, o.DB.SQL(), `SELECT audit_partitions($1)`, later), 0)
	modelstest.Wants(t, "a month that the rest has entries of", where(far), "trail.audit_entries_rest")
	modelstest.Wants(t, "a month made ahead", where(later), month(later))
	modelstest.Wants(t, "its first instant", where(now.AddDate(0, 6, 0)), month(later))
	modelstest.Wants(t, "the instant before", where(now.AddDate(0, 6, 0).Add(-time.Microsecond)), "trail.audit_entries_rest")
	modelstest.Wants(t, "the past", where(now.AddDate(-30, 0, 0)), "trail.audit_entries_rest")
	if n := modelstest.Scan[int](t, o.DB.SQL(), `SELECT audit_partitions('9999-12-31')`); n > 24 {
		t.Errorf("the application made %d months at once", n)
	}
	modelstest.Wants(t, "the last month", where(now.AddDate(3, 0, 0)), "trail.audit_entries_rest")
}

// TestANewEra: in a cluster that counts its transactions from the beginning,
// what is written comes after what the dump brought.
func TestANewEra(t *testing.T) {
	t.Parallel()
	app, owner := modelstest.URLs(t)
	db := modelstest.Open(t, app)
	modelstest.Exec(t, db.SQL(), entryAt, time.Now())
	modelstest.Wants(t, "the era of a cluster that goes on", modelstest.Scan[int](t, db.SQL(), `SELECT trail_begin_era()`), 1)

	old, err := sql.Open("pgx", owner)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = old.Close() })
	modelstest.Exec(t, old, `INSERT INTO audit_entries (at, actor_name, actor_role, action, outcome, canonical, txid)
		VALUES (now(), 'x', 'system', 'test.done', 'success', '', '900000000000')`) // as a dump would bring it
	restored := modelstest.Open(t, app)
	modelstest.Exec(t, restored.SQL(), entryAt, time.Now())
	eras := modelstest.Scan[string](t, old, `SELECT string_agg(era::text, ' ' ORDER BY id) FROM audit_entries`)
	modelstest.Wants(t, "the eras", eras, "1 1 2")
	again := modelstest.Open(t, app)
	modelstest.Exec(t, again.SQL(), entryAt, time.Now())
	modelstest.Wants(t, "the era of whoever comes later", modelstest.Scan[int](t, old, `SELECT max(era) FROM audit_entries`), 2)

	actor := modelstest.Person(models.Supervisor)
	actor.AllStores = true
	actor.Grants = []models.Permission{models.FollowAudit}
	cases := wiring.New(wiring.Config{DB: restored, Clock: models.ShiftedClock(0)})
	var seen []int
	modelstest.WaitFor(t, "both eras", func() bool {
		after := ""
		seen = nil
		for {
			s, err := cases.Audit.FollowAudit(t.Context(), actor, after, 1)
			if err != nil {
				t.Fatal(err)
			}
			if len(s.Entries) == 0 || s.Entries[0].Action != "test.done" {
				return len(seen) == 4
			}
			seen, after = append(seen, s.Entries[0].Era), s.After
		}
	})
	if seen[0] != 1 || seen[1] != 1 || seen[2] != 2 || seen[3] != 2 {
		t.Errorf("followed through the eras %v", seen)
	}
}
