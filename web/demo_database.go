package web

import (
	"context"
	"database/sql"
	"fmt"

	"github.com/jackc/pgx/v5"

	"veinte/migrations"
	"veinte/models/localpg"
)

// prepareDatabase makes the demo's database and the restricted role that serves it,
// as in production.
func prepareDatabase(ctx context.Context, pg *localpg.Server) error {
	conn, err := pgx.Connect(ctx, pg.DSN("postgres", "postgres"))
	if err != nil {
		return fmt.Errorf("connect to the demo's database: %w", err)
	}
	defer conn.Close(ctx)
	for _, thing := range []struct{ exists, create string }{
		{"SELECT 1 FROM pg_roles WHERE rolname = 'veinte_app'", "CREATE ROLE veinte_app LOGIN"},
		{"SELECT 1 FROM pg_database WHERE datname = 'veinte'", "CREATE DATABASE veinte"},
	} {
		tag, err := conn.Exec(ctx, thing.exists)
		if err == nil && tag.RowsAffected() == 0 {
			_, err = conn.Exec(ctx, thing.create)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", thing.create, err)
		}
	}
	db, err := sql.Open("pgx", pg.DSN("veinte", "postgres"))
	if err != nil {
		return fmt.Errorf("open the demo's database: %w", err)
	}
	defer db.Close()
	_, err = migrations.Up(ctx, db, "veinte_app")
	return err
}
