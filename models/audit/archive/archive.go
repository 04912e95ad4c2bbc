package archive

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"veinte/models/audit/sealing"
	"veinte/models/audit/verify"
	"veinte/models/database"
)

// The reasons why a month of the trail is not archived. The owner of the database
// reads them on the command line, in English.
var (
	ErrMonthName     = errors.New("a month of the trail is written like 2026-08")
	ErrMonthNotOver  = errors.New("the month is not over (months are of UTC)")
	ErrMonthYoung    = errors.New("three months are kept at hand (PCI DSS 10.5.1)")
	ErrNotTrailOwner = errors.New("only the owner of the trail puts months away: connect as veinte migrate does")
	ErrArchiving     = errors.New("another program is putting a month away")
	ErrNoMonth       = errors.New("the trail has no entries of that month")
	ErrMonthInRest   = errors.New("its entries are in trail.audit_entries_rest, which holds what came when the month was not made: " +
		"they stay there")
	ErrMonthUnsealed = errors.New("not all of it is sealed: let a server seal the trail first")
	ErrMonthAltered  = errors.New("what is there is not what was sealed: find out why with veinte audit verify, and put nothing away")
	ErrOtherFile     = errors.New("the file is not that of the month")
)

// ErrArchived is the error for a month that is archived already.
type ErrArchived struct{ verify.Month }

// Error states when the month was archived, and into which file.
func (e *ErrArchived) Error() string {
	return fmt.Sprintf("%s was archived already, at %s by %s; its file has the SHA-256 %s",
		e.Month.Month, e.At.UTC().Format(time.RFC3339), e.By, e.Archived.SHA256)
}

// monthsOnline is how many months that are over stay in the database.
const monthsOnline = 3

// Month is a month of the trail that is being archived: written to a file, compared
// with it, deleted from the database. Close it.
type Month struct {
	Month   string // 2026-08, UTC
	Entries int64
	// Patience is how long Archive waits in all for whoever uses the trail.
	Patience time.Duration

	db          *database.DB
	first, next time.Time
	table       string // the month's own, quoted
	leaves      verify.MonthLeaves
	lock        *pgxpool.Conn
}

// Begin begins to archive a month. One program at a time may do so. The database
// must be open as the owner of the trail.
//
// Errors: those above, *ErrArchived.
func Begin(ctx context.Context, db *database.DB, now time.Time, month string) (*Month, error) {
	first, err := time.Parse("2006-01", month)
	if err != nil {
		return nil, ErrMonthName
	}
	m := &Month{
		Month: month, Patience: time.Minute, db: db, first: first, next: first.AddDate(0, 1, 0),
		table: pgx.Identifier{"trail", first.Format("audit_entries_2006_01")}.Sanitize(),
	}
	at := m.next.AddDate(0, monthsOnline, 0)
	switch {
	case m.next.After(now):
		return nil, fmt.Errorf("%s: %w", month, ErrMonthNotOver)
	case at.After(now):
		return nil, fmt.Errorf("%s: %w; it can be archived from %s on", month, ErrMonthYoung, at.Format(time.DateOnly))
	}
	if err := m.alone(ctx); err != nil {
		return nil, err
	}
	if err := m.read(ctx); err != nil {
		m.Close()
		return nil, fmt.Errorf("%s: %w", month, err)
	}
	return m, nil
}

// alone refuses a role that does not own the trail, and a second program.
func (m *Month) alone(ctx context.Context) (err error) {
	if m.lock, err = m.db.Pool().Acquire(ctx); err != nil {
		return fmt.Errorf("reach database: %w", err)
	}
	var owner bool
	err = m.lock.QueryRow(ctx, `SELECT pg_has_role(current_user, relowner, 'USAGE') FROM pg_class
		WHERE oid = 'audit_entries'::regclass`).Scan(&owner)
	if err == nil && owner {
		// The database releases the lock of a killed program within a moment.
		_, err = m.lock.Exec(ctx, `SELECT `+database.LockArchive.Session(), database.LockArchive.Of...)
	}
	switch {
	case errors.Is(sealing.Busy(err), sealing.ErrMonthLocked):
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

// Close releases the lock, so that others may archive months.
func (m *Month) Close() {
	if m.lock == nil {
		return
	}
	if _, err := m.lock.Exec(context.Background(), database.UnlockSession); err != nil {
		_ = m.lock.Hijack().Close(context.Background()) // closing the connection releases its lock
	} else {
		m.lock.Release()
	}
	m.lock = nil
}

// read refuses a month that is not there, or not wholly as it was sealed.
func (m *Month) read(ctx context.Context) error {
	away, err := verify.ArchivedMonths(ctx, m.db)
	if err != nil {
		return err
	}
	if i := slices.IndexFunc(away, func(a verify.Month) bool { return a.Month == m.Month }); i >= 0 {
		return &ErrArchived{away[i]}
	}
	there, err := database.Row[struct{ Here, Rest bool }](ctx, m.db.Pool(), `SELECT
			EXISTS (SELECT FROM pg_inherits WHERE inhparent = 'audit_entries'::regclass AND inhrelid = to_regclass($1)) AS here,
			EXISTS (SELECT FROM trail.audit_entries_rest WHERE at >= $2 AND at < $3) AS rest`, m.table, m.first, m.next)
	switch {
	case err != nil:
		return fmt.Errorf("find its entries: %w", err)
	case there.Rest:
		return ErrMonthInRest
	case !there.Here:
		return ErrNoMonth
	}
	return m.db.InTx(ctx, func(t database.Tx) error {
		if err := m.lockEntries(t); err != nil {
			return err
		}
		if m.leaves, err = m.current(t); err != nil {
			return err
		}
		m.Entries = m.leaves.Entries
		return nil
	})
}
