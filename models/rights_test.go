package models_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"

	"veinte/models"
	"veinte/models/intake"
	"veinte/models/modelstest"
)

// A login of the cluster that is none of ours can call nothing that runs with the
// owner's rights.
func TestAStrangersLoginMayNothing(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	for i, statement := range []string{
		`SELECT undo_sales(1, now())`, `SELECT undo_sale(1, now())`, `SELECT undo_terminals(1)`, `SELECT withdraw_plan(1, now())`,
		`SELECT database_identity()`, `SELECT trail_begin_era()`, `SELECT audit_partitions(current_date)`,
		`SELECT * FROM sales`, `SELECT * FROM database_roles`,
	} {
		role := fmt.Sprintf("stranger_%d_%d", o.Store.ID, i)
		login := "CREATE ROLE " + role + " LOGIN; SET LOCAL ROLE " + role + "; "
		if got := modelstest.InVain(t, o.Owner, login+statement); got != modelstest.NoPrivilege {
			t.Errorf("a stranger's %s: SQLSTATE = %q, want %q", statement, got, modelstest.NoPrivilege)
		}
	}
}

// A function that runs with its owner's rights is revoked from everybody, and resolves
// no name in a caller's schema: temporary tables come last.
func TestFunctionsWithTheOwnersRightsAreGuarded(t *testing.T) {
	t.Parallel()
	owner := modelstest.NewOffice(t).Owner
	rows := modelstest.Texts(t, owner, `SELECT p.oid::regprocedure || ': ' ||
			CASE WHEN p.proacl IS NULL OR EXISTS (SELECT FROM aclexplode(p.proacl) WHERE grantee = 0) THEN 'anybody may call it' ELSE '' END ||
			CASE WHEN coalesce(array_to_string(p.proconfig, ' '), '') !~ 'search_path=[^=]*, ?pg_temp( |$)'
				THEN ' its search_path does not end in pg_temp' ELSE '' END
		FROM pg_proc p WHERE p.prosecdef AND p.pronamespace NOT IN ('pg_catalog'::regnamespace, 'information_schema'::regnamespace)
		ORDER BY 1`)
	if len(rows) < 8 {
		t.Fatalf("%d functions run with their owner's rights: %q; want at least the eight that there are", len(rows), rows)
	}
	for _, row := range rows {
		if !strings.HasSuffix(row, ": ") {
			t.Error(row)
		}
	}
}

// What happened stays as it was told, even for whoever has the server's password.
func TestTheServersRoleCannotRewriteEvidence(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	o.StateOf(models.Confirmed)
	for _, statement := range []string{
		`UPDATE attempts SET key_hash = repeat('a', 64)`, `UPDATE attempts SET started_at = now()`, `UPDATE attempts SET number = 7`,
		`UPDATE attempts SET deadline_at = now()`, `UPDATE attempts SET cancellation_id = 2`,
		`UPDATE results SET body = '{}'`, `UPDATE results SET received_at = now()`, `UPDATE results SET address = ''`,
		`UPDATE results SET standing = 'canceled'`, `UPDATE results SET amount = 1`, `UPDATE results SET own_address = true`,
		`UPDATE inquiries SET key_hash = repeat('a', 64)`, `UPDATE inquiries SET sent_at = now()`,
		`UPDATE cancellations SET requester = 'x'`, `UPDATE cancellations SET requested_by = 9`,
		`UPDATE cancellations SET requested_at = now()`, `UPDATE cancellations SET reason = 'other'`, `UPDATE cancellations SET note = ''`,
		`UPDATE cancellations SET origin = 'api'`, `UPDATE cancellations SET sale_id = 2`, `UPDATE cancellations SET cutoff_at = now()`,
		`UPDATE cancellations SET asked_in = ''`, `UPDATE cancellations SET moved_txid = '1'`,
		`UPDATE sales SET sold_at = now()`, `UPDATE sales SET business_day = '2020-01-01'`, `UPDATE sales SET cutoff_at = now()`,
		`UPDATE sales SET order_id = 'x'`, `UPDATE sales SET received_at = now()`, `UPDATE sales SET store_id = 2`,
		`UPDATE assignments SET valid_from = '2020-01-01'`, `UPDATE assignments SET terminal_id = 2`,
		`DELETE FROM users`, `DELETE FROM stores`, `DELETE FROM terminals`,
		`CREATE TEMP TABLE mine (id int)`, `INSERT INTO database_roles VALUES ('server', 'x')`, `SELECT * FROM database_rights`,
	} {
		if got := modelstest.InVain(t, o.DB.SQL(), statement); got != modelstest.NoPrivilege {
			t.Errorf("%s: SQLSTATE = %q, want %q", statement, got, modelstest.NoPrivilege)
		}
	}
}

// Whoever has the server's password takes back nothing that the trail does not say: the
// transaction is refused unless it has written the entry.
func TestNothingIsTakenBackWithoutItsEntry(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	modelstest.Record(t, o, o.Admin, intake.Options{Source: models.SourceImport, BatchID: 5},
		modelstest.GivenSale(o, "A"), modelstest.GivenSale(o, "B"))
	modelstest.Record(t, o, modelstest.RequestKey(), modelstest.ByAPI, modelstest.GivenSale(o, "C"))
	sale := o.FindSale("C").ID
	stands := o.NewTerminal(modelstest.Store(t, o.DB, o.Clock.Now(), "OPENED"))
	modelstest.Exec(t, o.Owner, `UPDATE terminals SET import_id = 6 WHERE id = $1`, stands.ID)
	if err := modelstest.MoveTo(t, o, 1, modelstest.Store(t, o.DB, o.Clock.Now(), "NEXT"), "2026-11-25T10:00:00"); err != nil {
		t.Fatal(err)
	}
	plan := modelstest.Count(t, o.Owner, `SELECT id FROM assignments WHERE planned_at IS NOT NULL`)
	entry := func(action, columns, values string) string {
		return `INSERT INTO audit_entries (at, actor_name, actor_role, outcome, canonical, action, ` + columns + `)
			VALUES (now(), 'x', 'system', 'success', '', '` + action + `', ` + values + `)`
	}
	for _, tt := range []struct{ undo, another, its string }{
		{
			`SELECT undo_sales(5, now())`, entry("import.undone", "after", `'{"importId": 5, "removed": 1}'`),
			entry("import.undone", "after", `'{"importId": 5, "removed": 2}'`),
		},
		{
			fmt.Sprintf(`SELECT undo_sale(%d, now())`, sale), entry("sale.undone", "sale_id", fmt.Sprint(sale+1)),
			entry("sale.undone", "sale_id", fmt.Sprint(sale)),
		},
		{
			`SELECT undo_terminals(6)`, entry("import.discarded", "after", `'{"importId": 6, "removed": 1}'`),
			entry("import.undone", "after", `'{"importId": 6, "removed": 1}'`),
		},
		{
			fmt.Sprintf(`SELECT withdraw_plan(%d, '2026-11-20')`, plan), entry("terminal.moveWithdrawn", "serial_number", "'0000000000'"),
			entry("terminal.moveWithdrawn", "serial_number", fmt.Sprintf("'%s'", o.Terminal.SerialNumber)),
		},
	} {
		for fact, statements := range map[string]string{
			"without an entry": tt.undo, "with another entry": tt.another + "; " + tt.undo,
			"made to look at once": tt.undo + "; SET CONSTRAINTS ALL IMMEDIATE",
		} {
			_, err := o.DB.SQL().Exec(statements) // one transaction
			if refused := (*pgconn.PgError)(nil); !errors.As(err, &refused) || refused.Code != modelstest.RestrictViolation {
				t.Errorf("%s, %s: %v, want %s", tt.undo, fact, err, modelstest.RestrictViolation)
			}
		}
		modelstest.Exec(t, o.DB.SQL(), tt.its) // of a transaction before
		if _, err := o.DB.SQL().Exec(tt.undo); err == nil {
			t.Errorf("%s after a transaction with its entry: done, want it refused", tt.undo)
		}
		if _, err := o.DB.SQL().Exec(tt.undo + "; " + tt.its); err != nil {
			t.Errorf("%s with its entry: %v", tt.undo, err)
		}
	}
	if n := modelstest.Count(t, o.Owner, `SELECT count(*) FROM undos`); n != 0 {
		t.Errorf("%d rows wait for an entry after their transactions", n)
	}
}

// Every table, sequence and function with its owner's rights has a row that says who may
// do what, and no right comes from elsewhere. A migration that makes one of them adds
// its rows to database_rights.
func TestRightsAreGrantedByName(t *testing.T) {
	t.Parallel()
	owner := modelstest.NewOffice(t).Owner
	for fact, query := range map[string]string{
		"is named in no row of database_rights": `SELECT c.relname FROM pg_class c
			WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p', 'v', 'm', 'S')
				AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.classid = 'pg_class'::regclass AND d.objid = c.oid AND d.deptype = 'i')
				AND NOT EXISTS (SELECT FROM database_rights WHERE thing IN (c.relname, 'SEQUENCE ' || c.relname))
			UNION ALL SELECT p.oid::regprocedure::text FROM pg_proc p
			WHERE p.pronamespace = 'public'::regnamespace AND p.prosecdef AND p.prorettype <> 'trigger'::regtype
				AND NOT EXISTS (SELECT FROM database_rights WHERE thing LIKE 'FUNCTION %'
					AND substr(thing, 10)::regprocedure = p.oid)`,
		"is granted by default": `SELECT defaclobjtype::text FROM pg_default_acl`,
		"may be used by every login": `SELECT c.relname FROM pg_class c CROSS JOIN aclexplode(c.relacl) a
			WHERE c.relnamespace IN ('public'::regnamespace, 'trail'::regnamespace) AND a.grantee = 0`,
	} {
		for _, thing := range modelstest.Texts(t, owner, query) {
			t.Errorf("%s %s", thing, fact)
		}
	}
}

// An import collects its sales in a table like that of sales.
func TestWhatAnImportCollectsIsASale(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	const columns = `SELECT attname || ' ' || format_type(atttypid, atttypmod) FROM pg_attribute
		WHERE attrelid = '%s'::regclass AND attnum > 0 AND NOT attisdropped %s ORDER BY 1`
	staged := modelstest.Texts(t, o.Owner, fmt.Sprintf(columns, "import_sales", ""))
	sales := modelstest.Texts(t, o.Owner, fmt.Sprintf(columns, "sales",
		"AND attname NOT IN ('id', 'state', 'told_again', 'day_unproven', 'ticket_date')"))
	if strings.Join(staged, "\n") != strings.Join(sales, "\n") {
		t.Errorf("import_sales has the columns\n%q, sales\n%q", staged, sales)
	}
}
