package migrations

import (
	"context"
	"database/sql"
	"testing"

	"github.com/pressly/goose/v3"

	"veinte/models/localpg"
)

// before returns a database of its own with every migration before a number, and what
// applies the others.
func before(t *testing.T, number int64) (*sql.DB, *goose.Provider) {
	t.Helper()
	pg, err := localpg.StartTemporary(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = pg.Stop(context.Background()) })
	db, err := sql.Open("pgx", pg.DSN("postgres", "postgres"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	p, err := provider(t.Context(), db, true)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.UpTo(t.Context(), number-1); err != nil {
		t.Fatal(err)
	}
	return db, p
}
