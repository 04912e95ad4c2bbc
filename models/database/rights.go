package database

import (
	"context"
	"fmt"
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
			AND relnamespace IN (SELECT oid FROM pg_namespace WHERE nspname IN ('public', 'trail'))) AS owns,
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
