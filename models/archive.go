package models

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// Why a month of the trail is not put away. Whoever owns the database reads
// them, on the command line and in English.
var (
	ErrMonthName     = errors.New("a month of the trail is written like 2026-08")
	ErrMonthNotOver  = errors.New("the month is not over (months are of UTC)")
	ErrMonthYoung    = errors.New("three months are kept at hand (PCI DSS 10.5.1)")
	ErrNotTrailOwner = errors.New("only the owner of the trail puts months away: connect as veinte migrate does")
	ErrArchiving     = errors.New("another program is putting a month away")
	ErrNoMonth       = errors.New("the trail has no entries of that month")
	ErrMonthInRest   = errors.New("its entries are in trail.audit_entries_rest, which holds what came when the month was not made: they stay there")
	ErrMonthUnsealed = errors.New("not all of it is sealed: let a server seal the trail first")
	ErrMonthAltered  = errors.New("what is there is not what was sealed: find out why with veinte audit verify, and put nothing away")
	ErrMonthBusy     = errors.New("somebody reads or writes the trail without an end, such as an export, a backup or a verification: run it again later")
	ErrNotTheMonth   = errors.New("the file is not that of the month")
)

// MonthAwayError says that a month was put away before.
type MonthAwayError struct{ TrailMonth }

// Error says when, and into which file.
func (e *MonthAwayError) Error() string {
	return fmt.Sprintf("%s was archived already, at %s by %s; its file has the SHA-256 %s",
		e.Month, e.At.UTC().Format(time.RFC3339), e.By, e.Archived.SHA256)
}

// monthsAtHand is how many months that are over stay in the database.
const monthsAtHand = 3

// MonthArchive is a month of the trail that is being put away: written to a file,
// compared with it, taken out of the database. Close it.
type MonthArchive struct {
	Month   string // 2026-08, UTC
	Entries int64
	// Patience is how long PutAway waits in all for whoever uses the trail.
	Patience time.Duration

	db          *DB
	first, next time.Time
	table       string // the month's own, quoted
	sealed      monthLeaves
	lock        *pgxpool.Conn
}

// BeginArchive begins to put a month away, which one program does at a time. The
// database must be open as the owner of the trail.
//
// Errors: those above, *MonthAwayError.
func (db *DB) BeginArchive(ctx context.Context, now time.Time, month string) (*MonthArchive, error) {
	first, err := time.Parse("2006-01", month)
	if err != nil {
		return nil, ErrMonthName
	}
	m := &MonthArchive{
		Month: month, Patience: time.Minute, db: db, first: first, next: first.AddDate(0, 1, 0),
		table: pgx.Identifier{"trail", first.Format("audit_entries_2006_01")}.Sanitize(),
	}
	at := m.next.AddDate(0, monthsAtHand, 0)
	switch {
	case m.next.After(now):
		return nil, fmt.Errorf("%s: %w", month, ErrMonthNotOver)
	case at.After(now):
		return nil, fmt.Errorf("%s: %w; it can be archived from %s on", month, ErrMonthYoung, at.Format(time.DateOnly))
	}
	if err := m.alone(ctx); err != nil {
		return nil, err
	}
	if err := m.look(ctx); err != nil {
		m.Close()
		return nil, fmt.Errorf("%s: %w", month, err)
	}
	return m, nil
}

// alone refuses whoever does not own the trail, and a second program.
func (m *MonthArchive) alone(ctx context.Context) (err error) {
	if m.lock, err = m.db.pool.Acquire(ctx); err != nil {
		return fmt.Errorf("reach database: %w", err)
	}
	var owner bool
	err = m.lock.QueryRow(ctx, `SELECT pg_has_role(current_user, relowner, 'USAGE') FROM pg_class WHERE oid = 'public.audit_entries'::regclass`).Scan(&owner)
	if err == nil && owner {
		// Of a program that was killed the database lets go within a moment.
		_, err = m.lock.Exec(ctx, `SELECT `+LockArchive.session(), LockArchive.of...)
	}
	switch {
	case errors.Is(busy(err), ErrMonthBusy):
		err = ErrArchiving
	case err != nil:
		err = fmt.Errorf("begin to archive: %w", err)
	case !owner:
		err = ErrNotTrailOwner
	default:
		return nil
	}
	m.lock.Release()
	return err
}

// Close lets others put months away.
func (m *MonthArchive) Close() {
	if m.lock == nil {
		return
	}
	if _, err := m.lock.Exec(context.Background(), unlockSession); err != nil {
		_ = m.lock.Hijack().Close(context.Background()) // with the connection goes its lock
	} else {
		m.lock.Release()
	}
	m.lock = nil
}

// look refuses a month that is not there, or not wholly as it was sealed.
func (m *MonthArchive) look(ctx context.Context) error {
	away, err := m.db.archivedMonths(ctx)
	if err != nil {
		return err
	}
	if i := slices.IndexFunc(away, func(a TrailMonth) bool { return a.Month == m.Month }); i >= 0 {
		return &MonthAwayError{away[i]}
	}
	var here, rest bool
	err = m.db.pool.QueryRow(ctx, `SELECT EXISTS (SELECT FROM pg_inherits WHERE inhparent = 'public.audit_entries'::regclass AND inhrelid = to_regclass($1)),
		EXISTS (SELECT FROM trail.audit_entries_rest WHERE at >= $2 AND at < $3)`, m.table, m.first, m.next).Scan(&here, &rest)
	switch {
	case err != nil:
		return fmt.Errorf("find its entries: %w", err)
	case rest:
		return ErrMonthInRest
	case !here:
		return ErrNoMonth
	}
	return m.db.transaction(ctx, func(t tx) error {
		if err := m.hold(t); err != nil {
			return err
		}
		if m.sealed, err = m.standing(t); err != nil {
			return err
		}
		m.Entries = m.sealed.entries
		return nil
	})
}
