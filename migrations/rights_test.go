package migrations

import (
	"context"
	"database/sql"
	"strings"
	"testing"

	"veinte/models/localpg"
)

// fresh is an empty database of a cluster of the test's own, with two roles.
func fresh(t *testing.T) (pg *localpg.Server, owner *sql.DB) {
	t.Helper()
	pg, err := localpg.StartTemporary(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = pg.Stop(context.Background()) })
	owner = as(t, pg, "postgres")
	run(t, owner, `CREATE ROLE shop_app LOGIN; CREATE ROLE shop_sealer LOGIN`)
	return pg, owner
}

func as(t *testing.T, pg *localpg.Server, role string) *sql.DB {
	t.Helper()
	db, err := sql.Open("pgx", pg.DSN("postgres", role))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	return db
}

func run(t *testing.T, db *sql.DB, statements string) {
	t.Helper()
	if _, err := db.ExecContext(t.Context(), statements); err != nil {
		t.Fatalf("%s: %v", statements, err)
	}
}

func up(t *testing.T, db *sql.DB, roles Roles) {
	t.Helper()
	if _, err := Up(t.Context(), db, roles); err != nil {
		t.Fatal(err)
	}
}

// wants runs statements as a role and compares what is refused for want of a right.
func wants(t *testing.T, db *sql.DB, fact string, want map[string]bool) {
	t.Helper()
	for statement, may := range want {
		tx, err := db.Begin()
		if err != nil {
			t.Fatal(err)
		}
		_, err = tx.Exec(statement)
		_ = tx.Rollback()
		if refused := err != nil && strings.Contains(err.Error(), "42501"); refused == may || err != nil && !refused {
			t.Errorf("%s, %s: %v, allowed = %t, want %t", fact, statement, err, !refused, may)
		}
	}
}

const (
	leaf  = `INSERT INTO sealed_entries (n, entry_id, at, hash) VALUES (0, 1, now(), decode(repeat('00', 32), 'hex'))`
	entry = `INSERT INTO audit_entries (at, actor_name, actor_role, action, outcome, canonical)
		VALUES (now(), 'x', 'system', 'a.b', 'success', '')`
	stores = `SELECT * FROM stores`
	temp   = `CREATE TEMP TABLE mine (id int)`
	large  = `SELECT lo_create(0), lo_from_bytea(0, 'x')`
)

// The role of the server is named once. What was granted beside the list of rights goes.
func TestTheRoleIsRemembered(t *testing.T) {
	t.Parallel()
	pg, owner := fresh(t)
	if _, err := Up(t.Context(), owner, Roles{Server: "nobody_here"}); err == nil || !strings.Contains(err.Error(), "no such role") {
		t.Errorf("Up with a role that does not exist = %v, want that there is none", err)
	}
	up(t, owner, Roles{Server: "shop_app"})
	run(t, owner, `GRANT DELETE ON sales TO shop_app; REVOKE SELECT ON stores FROM shop_app`)
	up(t, owner, Roles{})
	app := as(t, pg, "shop_app")
	wants(t, app, "after another run without a name", map[string]bool{
		stores: true, entry: true, leaf: true, `DELETE FROM sales`: false, temp: false, `UPDATE audit_entries SET reason = ''`: false,
		large: false,
	})
	wants(t, as(t, pg, "shop_sealer"), "a role that was not named", map[string]bool{stores: false, leaf: false, temp: false, large: false})
}

// An owner who is no superuser migrates too. What only a superuser may take away stays, and
// veinte serve says so.
func TestAPlainOwnerMigrates(t *testing.T) {
	t.Parallel()
	pg, super := fresh(t)
	run(t, super, `CREATE ROLE plain LOGIN; GRANT ALL ON DATABASE postgres TO plain; ALTER SCHEMA public OWNER TO plain`)
	up(t, as(t, pg, "plain"), Roles{Server: "shop_app"})
	wants(t, as(t, pg, "shop_app"), "migrated by a plain owner", map[string]bool{stores: true, `DELETE FROM sales`: false, large: true})
	run(t, super, `REVOKE EXECUTE ON FUNCTION lo_creat(integer), lo_create(oid), lo_from_bytea(oid, bytea) FROM PUBLIC`)
	wants(t, as(t, pg, "shop_app"), "after the superuser's statement", map[string]bool{stores: true, large: false})
}

// A sealer of its own takes the right to seal from the server, and has no other.
func TestTheSealersRole(t *testing.T) {
	t.Parallel()
	pg, owner := fresh(t)
	up(t, owner, Roles{Server: "shop_app"})
	up(t, owner, Roles{Sealer: "shop_sealer"})
	wants(t, as(t, pg, "shop_app"), "the server beside a sealer", map[string]bool{
		leaf: false, entry: true, stores: true, `SELECT * FROM sealed_entries`: true, `INSERT INTO checkpoints DEFAULT VALUES`: false,
		`UPDATE sealing_stops SET resumed_at = now()`: false,
	})
	wants(t, as(t, pg, "shop_sealer"), "the sealer", map[string]bool{
		leaf: true, entry: true, stores: false, `SELECT * FROM sales`: false, `SELECT * FROM users`: false, temp: false,
		`UPDATE sealing_stops SET resumed_at = now()`: true, `DELETE FROM checkpoints`: false, `UPDATE audit_entries SET reason = ''`: false,
		`SELECT audit_partitions(current_date)`: false, `SELECT undo_sales(1, now())`: false,
	})
}

// An upgrade from the release before finds the role by what that release granted, and
// leaves its servers the temporary tables that they make. The next run takes them away.
func TestAnUpgradeFindsTheRoleOfTheReleaseBefore(t *testing.T) {
	t.Parallel()
	pg, owner := fresh(t)
	p, err := provider(t.Context(), owner, true)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.UpTo(t.Context(), withoutTemporary-1); err != nil {
		t.Fatal(err)
	}
	run(t, owner, `GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO shop_app;
		REVOKE UPDATE, DELETE, TRUNCATE ON api_secrets FROM shop_app;
		GRANT UPDATE (expires_at, last_used_at, replaced_by) ON api_secrets TO shop_app`)
	up(t, owner, Roles{})
	app := as(t, pg, "shop_app")
	wants(t, app, "right after the upgrade", map[string]bool{
		temp: true, stores: true, `SELECT * FROM river_job`: true, `DELETE FROM sales`: false, `UPDATE attempts SET number = 2`: false,
	})
	up(t, owner, Roles{})
	wants(t, app, "after the next run", map[string]bool{temp: false, stores: true})
}
