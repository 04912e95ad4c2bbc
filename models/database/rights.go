package database

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// Rights are what the role in use may do that matters to whoever begins to serve.
type Rights struct {
	Owns         bool // it is a superuser, or owns tables: it could disable what guards the trail
	Rewrites     bool // it may change or delete entries, by a right that somebody granted
	Seals        bool // it may add to the tree of the trail
	Temporary    bool // it may make temporary tables
	LargeObjects bool // it may make large objects
}

// Rights reads what the role in use may do.
func (db *DB) Rights(ctx context.Context) (Rights, error) {
	r, err := Row[Rights](ctx, db.pool, `SELECT EXISTS (SELECT FROM pg_class WHERE pg_has_role(relowner, 'MEMBER')
			AND relnamespace IN (SELECT oid FROM pg_namespace WHERE nspname IN (current_schema(), 'trail'))) AS owns,
		has_table_privilege('audit_entries', 'UPDATE, DELETE, TRUNCATE') AS rewrites,
		has_table_privilege('sealed_entries', 'INSERT') AS seals,
		has_database_privilege(current_database(), 'TEMPORARY') AS temporary,
		has_function_privilege('lo_create(oid)', 'EXECUTE') OR has_function_privilege('lo_creat(integer)', 'EXECUTE')
			OR has_function_privilege('lo_from_bytea(oid, bytea)', 'EXECUTE') AS large_objects`)
	if err != nil {
		return r, fmt.Errorf("ask for the rights of the role: %w", err)
	}
	return r, nil
}

// MissingRights lists what the role in use lacks of the rights of its job, each as the end
// of a GRANT.
func (db *DB) MissingRights(ctx context.Context) ([]string, error) {
	rows, err := db.pool.Query(ctx, `SELECT missing_rights()`)
	if err == nil {
		var missing []string
		if missing, err = pgx.CollectRows(rows, pgx.RowTo[string]); err == nil {
			return missing, nil
		}
	}
	var refused *pgconn.PgError
	if errors.As(err, &refused) && refused.Code == "42501" {
		return []string{"EXECUTE ON FUNCTION missing_rights()"}, nil // and so, most likely, all that is new
	}
	return nil, fmt.Errorf("ask what the role lacks: %w", err)
}
