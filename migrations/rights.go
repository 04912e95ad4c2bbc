package migrations

import (
	"context"
	"database/sql"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"
)

// Roles are the roles of PostgreSQL that do the work. They must exist. What is "" stays
// as it was named before.
type Roles struct {
	Server string // serves
	Sealer string // seals the trail, in a process of its own; without one the server seals
}

// The jobs of database_roles and database_rights.
const (
	jobServer = "server"
	jobSealer = "sealer"
)

// withoutTemporary is the first version whose servers make no temporary tables.
const withoutTemporary = 48

// temporaryNeeded reports whether a server may still run that makes temporary tables:
// one of the release from which the schema is upgraded. The next run revokes the right.
func temporaryNeeded(ctx context.Context, db *sql.DB) (needed bool, err error) {
	var there bool
	if err := db.QueryRowContext(ctx, migratedSQL).Scan(&there); err != nil || !there {
		return false, err
	}
	err = db.QueryRowContext(ctx, "SELECT max(version_id) BETWEEN 1 AND $1 FROM goose_db_version", withoutTemporary-1).Scan(&needed)
	if err != nil {
		return false, fmt.Errorf("read migrations: %w", err)
	}
	return needed, nil
}

// grant stores the roles that are named, and gives all that are stored the rights of
// their jobs and no others, in one transaction: a server that runs sees them change at
// once.
func grant(ctx context.Context, db *sql.DB, named Roles, temporary bool) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return fmt.Errorf("grant rights: %w", err)
	}
	defer func() { _ = tx.Rollback() }()
	roles, err := rolesByJob(ctx, tx, named)
	if err != nil {
		return err
	}
	ours, err := owned(ctx, tx)
	if err != nil {
		return err
	}
	statements := []string{"REVOKE CREATE ON SCHEMA " + ours["SCHEMA"][0] + " FROM PUBLIC"}
	if !temporary {
		var database string
		if err := tx.QueryRowContext(ctx, "SELECT current_database()").Scan(&database); err != nil {
			return fmt.Errorf("grant rights: %w", err)
		}
		statements = append(statements, "REVOKE TEMPORARY ON DATABASE "+pgx.Identifier{database}.Sanitize()+" FROM PUBLIC")
	}
	theirs, err := largeObjects(ctx, tx)
	if err != nil {
		return err
	}
	statements = append(statements, theirs...)
	for _, role := range append(roles[jobServer], roles[jobSealer]...) {
		for kind, names := range ours {
			statements = append(statements, "REVOKE ALL ON "+kind+" "+strings.Join(names, ", ")+" FROM "+role)
		}
	}
	if len(roles[jobSealer]) == 0 {
		roles[jobSealer] = roles[jobServer]
	}
	granted, err := grants(ctx, tx, roles)
	if err != nil {
		return err
	}
	for _, s := range append(statements, granted...) {
		if _, err := tx.ExecContext(ctx, s); err != nil {
			return fmt.Errorf("grant rights: %s: %w", s, err)
		}
	}
	return tx.Commit()
}

// largeObjects are the statements that take from every login the making of large objects,
// which fill the disk and stand in no table. Only a superuser may; else the server says
// what is left to do.
func largeObjects(ctx context.Context, tx *sql.Tx) (statements []string, err error) {
	err = each(ctx, tx, `SELECT oid::regprocedure::text, '' FROM pg_proc
		WHERE pronamespace = 'pg_catalog'::regnamespace AND proname IN ('lo_creat', 'lo_create', 'lo_from_bytea')
			AND pg_has_role(proowner, 'USAGE')`, func(r [2]string) {
		statements = append(statements, "REVOKE EXECUTE ON FUNCTION "+r[0]+" FROM PUBLIC")
	})
	return statements, err
}

// rolesByJob stores the named roles and returns all that are stored, quoted. One that
// the cluster does not have, such as that of the cluster from which a dump came, is
// passed over.
func rolesByJob(ctx context.Context, tx *sql.Tx, named Roles) (map[string][]string, error) {
	if _, err := tx.ExecContext(ctx, "LOCK TABLE database_roles IN SHARE ROW EXCLUSIVE MODE"); err != nil {
		return nil, fmt.Errorf("grant rights: %w", err)
	}
	for job, role := range map[string]string{jobServer: named.Server, jobSealer: named.Sealer} {
		if role == "" {
			continue
		}
		done, err := tx.ExecContext(ctx, `INSERT INTO database_roles (job, name) SELECT $1, rolname FROM pg_roles WHERE rolname = $2
			ON CONFLICT (job, name) DO UPDATE SET name = excluded.name`, job, role)
		if err != nil {
			return nil, fmt.Errorf("store role %s: %w", role, err)
		}
		if n, err := done.RowsAffected(); err != nil || n == 0 {
			return nil, fmt.Errorf("grant rights to role %s: there is no such role; createuser makes it", role)
		}
	}
	roles := map[string][]string{}
	err := each(ctx, tx, `SELECT job, name FROM database_roles JOIN pg_roles ON rolname = name ORDER BY job, name`, func(r [2]string) {
		roles[r[0]] = append(roles[r[0]], pgx.Identifier{r[1]}.Sanitize())
	})
	return roles, err
}

// owned lists by kind what is ours: every right on it is taken from a role before it is given
// its own, so that what was granted by an earlier release or by hand does not stay. What else
// stands in the same schemas, such as an extension, is its owner's.
func owned(ctx context.Context, tx *sql.Tx) (map[string][]string, error) {
	ours := map[string][]string{}
	err := each(ctx, tx, `WITH schemas AS (SELECT oid, quote_ident(nspname) AS name FROM pg_namespace
			WHERE nspname IN (current_schema(), 'trail')),
		named AS (
			SELECT 'SCHEMA' AS kind, name FROM schemas
			UNION ALL SELECT CASE relkind WHEN 'S' THEN 'SEQUENCE' ELSE 'TABLE' END, s.name || '.' || quote_ident(relname)
				FROM pg_class JOIN schemas s ON s.oid = relnamespace
				WHERE relkind IN ('r', 'p', 'v', 'm', 'S') AND pg_has_role(relowner, 'USAGE')
			UNION ALL SELECT 'FUNCTION', p.oid::regprocedure::text
				FROM pg_proc p JOIN schemas s ON s.oid = pronamespace WHERE prokind = 'f' AND pg_has_role(proowner, 'USAGE'))
		SELECT kind, name FROM named ORDER BY kind, name <> quote_ident(current_schema()), name`, func(r [2]string) {
		ours[r[0]] = append(ours[r[0]], r[1])
	})
	return ours, err
}

// grants are the statements that give each role what the rows of its job say.
func grants(ctx context.Context, tx *sql.Tx, roles map[string][]string) (statements []string, err error) {
	err = each(ctx, tx, `SELECT job, may || ' ON ' || thing FROM database_rights WHERE may <> '' ORDER BY thing, may`, func(r [2]string) {
		for _, role := range roles[r[0]] {
			statements = append(statements, "GRANT "+strings.TrimSpace(r[1])+" TO "+role)
		}
	})
	return statements, err
}

// each calls f with both columns of each row.
func each(ctx context.Context, tx *sql.Tx, query string, f func([2]string)) error {
	rows, err := tx.QueryContext(ctx, query)
	if err != nil {
		return fmt.Errorf("read rights: %w", err)
	}
	defer rows.Close()
	for rows.Next() {
		var r [2]string
		if err := rows.Scan(&r[0], &r[1]); err != nil {
			return fmt.Errorf("read rights: %w", err)
		}
		f(r)
	}
	return rows.Err()
}
