package sealing

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"veinte/models/database"
)

// snapshotTime bounds one export. A statement's own limit is for people who
// wait; a reader on a slow line may take long to fetch millions of rows.
const snapshotTime = 2 * time.Hour

// InSnapshot runs f in a read-only snapshot during which no month of the trail is
// archived.
func InSnapshot(ctx context.Context, db *database.DB, f func(pgx.Tx) error) error {
	tx, err := db.Pool().BeginTx(ctx, pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly})
	if err != nil {
		return fmt.Errorf("begin snapshot: %w", err)
	}
	defer func() { _ = tx.Rollback(context.WithoutCancel(ctx)) }()
	// Compiling a plan pays off only where rows are not the cost.
	if _, err := tx.Exec(ctx, fmt.Sprintf("SET LOCAL statement_timeout = %d; SET LOCAL jit = off", snapshotTime.Milliseconds())); err != nil {
		return fmt.Errorf("begin snapshot: %w", err)
	}
	if err := LockMonths(ctx, tx); err != nil {
		return err
	}
	return f(tx)
}
