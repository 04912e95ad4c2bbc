package sealing

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"veinte/models"
	"veinte/models/audit"
	"veinte/models/database"
)

const (
	// ArchiveLockWait is how long the month waits for the trail at a time. Everybody who
	// adds to it waits behind: it must be less than a person notices.
	ArchiveLockWait = "100ms"
	// ArchiveLockPause is the pause between two tries of the lock, for others to
	// proceed.
	ArchiveLockPause = 500 * time.Millisecond
)

// Busy names the errors of a lock that was not to be had.
func Busy(err error) error {
	var refused *pgconn.PgError
	if errors.As(err, &refused) && (refused.Code == "55P03" || refused.Code == "40P01") {
		return fmt.Errorf("%w (%w)", ErrMonthLocked, err)
	}
	return err
}

// LockMonths prevents every month of the trail from being archived until a
// transaction ends. It comes before the snapshot: a snapshot that was taken while a
// month was archived would lack the month and also the record that it was archived.
func LockMonths(ctx context.Context, tx pgx.Tx) error {
	if _, err := tx.Exec(ctx, `LOCK TABLE audit_entries IN ACCESS SHARE MODE`); err != nil {
		return fmt.Errorf("hold the months of the trail: %w", err)
	}
	return nil
}

// ErrMonthLocked refuses to change a month that is in use.
var ErrMonthLocked = errors.New("somebody reads or writes the trail without an end, such as an export, a backup or a verification: " +
	"run it again later")

// monthsAhead is how many months of the trail are created ahead, so that a server
// without maintenance for a quarter still has them.
const monthsAhead = 3

// MakeMonths creates the months of the trail up to some time after now, and returns
// how many were new, which is recorded in an entry. Entries of other months are
// stored as well, but cannot be archived.
func (s *Service) MakeMonths(ctx context.Context) (made int, err error) {
	now := s.clock.Now()
	for begun := time.Now(); ; {
		made, err = s.makeMonths(ctx, now)
		if !errors.Is(Busy(err), ErrMonthLocked) || time.Since(begun) > monthsTimeout {
			return made, err
		}
		select {
		case <-time.After(ArchiveLockPause):
		case <-ctx.Done():
			return 0, err
		}
	}
}

// monthsTimeout is how long it is tried while somebody reads the trail. A month that
// is not created then is created the next day.
const monthsTimeout = 10 * time.Second

func (s *Service) makeMonths(ctx context.Context, now time.Time) (made int, err error) {
	last := now.UTC().AddDate(0, monthsAhead, 0)
	err = s.db.InTx(ctx, func(t database.Tx) error {
		// Queries of the trail wait behind this lock, so it must not wait longer
		// than users would notice.
		if err := t.Exec("SET LOCAL lock_timeout = '" + ArchiveLockWait + "'").Error; err != nil {
			return err
		}
		if err := t.Raw(`SELECT audit_partitions(?)`, last).Scan(&made).Error; err != nil || made == 0 {
			return err
		}
		after := map[string]any{"count": made, "month": last.Format("2006-01")}
		return audit.Record(t, models.System("months", ""), now, models.ActionMonthMade, models.OutcomeSuccess, audit.About{After: after})
	})
	if err != nil {
		return 0, fmt.Errorf("make months of the trail: %w", err)
	}
	return made, nil
}

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
	settings := fmt.Sprintf("SET LOCAL statement_timeout = %d; SET LOCAL jit = off", snapshotTime.Milliseconds())
	if _, err := tx.Exec(ctx, settings); err != nil {
		return fmt.Errorf("begin snapshot: %w", err)
	}
	if err := LockMonths(ctx, tx); err != nil {
		return err
	}
	return f(tx)
}
