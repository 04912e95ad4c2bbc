package backup

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"veinte/models"
	"veinte/models/database"
)

// isOurs reports whether a database has our schema.
func isOurs(ctx context.Context, q database.Querier) (bool, error) {
	row, err := database.Row[struct{ Ours bool }](ctx, q, `SELECT to_regclass(current_schema() || '.goose_db_version') IS NOT NULL
		AND to_regclass(current_schema() || '.database_changes') IS NOT NULL AS ours`)
	return row.Ours, err
}

// counted counts what a restored database must have as well.
func counted(ctx context.Context, q database.Querier) (c counts, err error) {
	row, err := database.Row[struct{ Sales, Attempts, Results, Entries, People, Terminals int64 }](ctx, q,
		`SELECT (SELECT count(*) FROM sales) AS sales, (SELECT count(*) FROM attempts) AS attempts,
			(SELECT count(*) FROM results) AS results, (SELECT count(*) FROM audit_entries) AS entries,
			(SELECT count(*) FROM users) AS people, (SELECT count(*) FROM terminals) AS terminals`)
	if err != nil {
		return c, fmt.Errorf("count rows: %w", err)
	}
	states, err := database.Rows[struct {
		State string
		N     int64
	}](ctx, q, `SELECT state, count(*) AS n FROM cancellations GROUP BY state`)
	if err != nil {
		return c, fmt.Errorf("count cancellations: %w", err)
	}
	c = counts{
		Sales: row.Sales, Attempts: row.Attempts, Results: row.Results, Entries: row.Entries,
		People: row.People, Terminals: row.Terminals, Cancellations: map[string]int64{},
	}
	for _, s := range states {
		c.Cancellations[s.State] = s.N
	}
	return c, nil
}

// facts is what a manifest says of a database beside its counts.
type facts struct {
	Owner    string
	Owns     bool // who asks may act as the owner
	Postgres string
	Major    int
	Identity string
	Schema   int64
}

func factsOf(ctx context.Context, q database.Querier) (f facts, err error) {
	f, err = database.Row[facts](ctx, q, `SELECT pg_get_userbyid(relowner) AS owner, pg_has_role(relowner, 'USAGE') AS owns,
			current_setting('server_version') AS postgres, current_setting('server_version_num')::int / 10000 AS major,
			database_identity() AS identity, (SELECT max(version_id) FROM goose_db_version WHERE is_applied) AS schema
		FROM pg_class WHERE oid = 'sales'::regclass`)
	if err != nil {
		return f, fmt.Errorf("ask which database this is: %w", err)
	}
	return f, nil
}

// granted lists the roles beside the owner that have rights in the database: a dump that
// grants them rights is restored only where they exist.
func granted(ctx context.Context, q database.Querier, owner string) (names []string, err error) {
	rows, err := database.Rows[struct{ Name string }](ctx, q, `WITH acl AS (
			SELECT relacl AS acl, relnamespace AS schema FROM pg_class
			UNION ALL SELECT attacl, relnamespace FROM pg_attribute JOIN pg_class c ON c.oid = attrelid
			UNION ALL SELECT proacl, pronamespace FROM pg_proc
			UNION ALL SELECT nspacl, oid FROM pg_namespace)
		SELECT DISTINCT r.rolname AS name FROM acl JOIN pg_namespace n ON n.oid = acl.schema, aclexplode(acl.acl) a
			JOIN pg_roles r ON r.oid = a.grantee
		WHERE n.nspname !~ '^pg_' AND n.nspname <> 'information_schema' AND r.rolname !~ '^pg_' AND r.rolname <> $1 ORDER BY 1`, owner)
	if err != nil {
		return nil, fmt.Errorf("list roles with rights: %w", err)
	}
	for _, r := range rows {
		names = append(names, r.Name)
	}
	return names, nil
}

// archivedMonths lists the months of the trail whose entries are in files alone.
func archivedMonths(ctx context.Context, q database.Querier) ([]month, error) {
	all, err := database.Rows[month](ctx, q, `SELECT DISTINCT after->>'month' AS month, after->>'sha256' AS sha256 FROM audit_entries
		WHERE action = $1 AND outcome = 'success' ORDER BY 1`, models.ActionAuditArchived)
	if err != nil {
		return nil, fmt.Errorf("list archived months: %w", err)
	}
	return append([]month{}, all...), nil
}

// inSnapshot runs f in a transaction that only reads, and gives it the name of its snapshot,
// in which pg_dump reads too: the counts are those of the dump while people go on.
func inSnapshot(ctx context.Context, conn *pgx.Conn, f func(tx pgx.Tx, snapshot string) error) error {
	tx, err := conn.BeginTx(ctx, pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly})
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback(context.WithoutCancel(ctx)) }()
	var snapshot string
	if err := tx.QueryRow(ctx, `SELECT pg_export_snapshot()`).Scan(&snapshot); err != nil {
		return err
	}
	return f(tx, snapshot)
}

// target is what is known of the database to restore into.
type target struct {
	Things   int64 // tables, functions and so on that are there
	Encoding string
	Major    int
	Super    bool
	MayMake  bool // roles
}

func targetOf(ctx context.Context, q database.Querier) (t target, err error) {
	t, err = database.Row[target](ctx, q, `WITH ours AS (
			SELECT oid FROM pg_namespace WHERE nspname !~ '^pg_' AND nspname <> 'information_schema')
		SELECT (SELECT count(*) FROM pg_class WHERE relnamespace IN (SELECT oid FROM ours)
				AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.classid = 'pg_class'::regclass AND d.objid = pg_class.oid AND deptype = 'e'))
			+ (SELECT count(*) FROM pg_proc WHERE pronamespace IN (SELECT oid FROM ours)
				AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.classid = 'pg_proc'::regclass AND d.objid = pg_proc.oid AND deptype = 'e'))
			AS things, current_setting('server_encoding') AS encoding, current_setting('server_version_num')::int / 10000 AS major,
			rolsuper AS super, rolsuper OR rolcreaterole AS may_make
		FROM pg_roles WHERE rolname = current_user`)
	if err != nil {
		return t, fmt.Errorf("look at the database to restore into: %w", err)
	}
	return t, nil
}

// missingRoles lists those of the roles that the cluster does not have.
func missingRoles(ctx context.Context, q database.Querier, names []string) (missing []string, err error) {
	rows, err := database.Rows[struct{ Name string }](ctx, q, `SELECT name FROM unnest($1::text[]) AS n(name)
		WHERE NOT EXISTS (SELECT FROM pg_roles WHERE rolname = name)`, names)
	if err != nil {
		return nil, fmt.Errorf("look for roles: %w", err)
	}
	for _, r := range rows {
		missing = append(missing, r.Name)
	}
	return missing, nil
}

// makeRole makes a role that can come in once somebody gives it a password.
func makeRole(ctx context.Context, conn *pgx.Conn, name string) error {
	_, err := conn.Exec(ctx, `SELECT set_config('veinte.role', $1, false)`, name)
	if err == nil {
		_, err = conn.Exec(ctx, `DO $$ BEGIN EXECUTE format('CREATE ROLE %I LOGIN', current_setting('veinte.role')); END $$`)
	}
	if err != nil {
		return fmt.Errorf("make the role %s: %w", name, err)
	}
	return nil
}

// noDatabase reports whether a connection failed because the database does not exist.
func noDatabase(err error) bool {
	var state interface{ SQLState() string }
	return errors.As(err, &state) && state.SQLState() == "3D000"
}
