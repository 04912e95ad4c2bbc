package database_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"veinte/models/database"
	"veinte/models/modelstest"
)

// TestNoWorkTakesTheConnectionsOfAnother: each kind has one connection, and holds it.
func TestNoWorkTakesTheConnectionsOfAnother(t *testing.T) {
	t.Parallel()
	db, err := database.Open(t.Context(), database.DBConfig{
		URL: modelstest.URL(t), Application: "veinte test", Shares: database.Shares{Acts: 1, Pages: 1, Heavy: 1},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(db.Close)
	type kind struct {
		of   string
		ctx  context.Context
		name string
	}
	kinds := []kind{
		{"acts", t.Context(), "an act"},
		{"pages", database.ForPage(t.Context()), "a page"},
		{"heavy", database.ForHeavy(t.Context()), "an export"},
		{"acts", database.ForAct(database.ForPage(t.Context())), "a step of a click"},
	}
	for _, holding := range kinds {
		tx, err := db.Pool().BeginTx(holding.ctx, pgx.TxOptions{})
		if err != nil {
			t.Fatal(err)
		}
		for _, asking := range kinds {
			same := holding.of == asking.of
			short, end := context.WithTimeout(asking.ctx, 5*time.Second)
			if same {
				short, end = context.WithTimeout(asking.ctx, 50*time.Millisecond)
			}
			for way, ask := range map[string]func() error{
				"pgx":    func() error { _, err := db.Exec(short, "SELECT 1"); return err },
				"gorm":   func() error { return db.Gorm().WithContext(short).Exec("SELECT 1").Error },
				"a page": func() error { return db.SendBatch(short, one()) },
				"a change": func() error {
					return db.InTx(short, func(t database.Tx) error { return t.Exec("SELECT 1").Error })
				},
			} {
				if err := ask(); errors.Is(err, context.DeadlineExceeded) != same || !same && err != nil {
					t.Errorf("%s by %s while %s holds its connection: %v, want a wait: %t", asking.name, way, holding.name, err, same)
				}
			}
			end()
		}
		if err := tx.Rollback(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if all, busy := db.Pool().Count(); all != 3 || busy != 0 {
		t.Errorf("Count() = %d, %d busy, want 3 and none", all, busy)
	}
}

func one() *pgx.Batch {
	batch := &pgx.Batch{}
	batch.Queue("SELECT 1")
	return batch
}
