package compare

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"veinte/models/audit/sealing"
)

// run is one comparison under way.
type run struct {
	*Result
	months  map[int64]bool // that are archived
	records records
	stores  map[int64]string // their codes
	closed  map[string]int64 // the entries of the days whose closing reports bind their sales
	zone    *time.Location   // of the days
	// lastArchived is the latest archived month: what an entry before its end says may have
	// been changed by one that is not here.
	lastArchived int64
	firstKept    int64 // the first entry behind that month
}

// Compare folds the trail to its end and holds the tables against it, in one snapshot:
// what is written meanwhile is on neither side. It changes nothing and blocks nobody. An
// error is one of the database; what differs is in the result.
func (s *Service) Compare(ctx context.Context) (*Result, error) {
	r := &run{
		Result: &Result{At: s.clock.Now().UTC().Truncate(time.Microsecond)},
		months: map[int64]bool{}, stores: map[int64]string{}, closed: map[string]int64{},
		zone: s.window().Calendar.Zone(),
	}
	tx, err := s.db.Pool().BeginTx(ctx, pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly})
	if err != nil {
		return nil, fmt.Errorf("compare tables with the trail: %w", err)
	}
	defer func() { _ = tx.Rollback(context.WithoutCancel(ctx)) }()
	if err := r.all(ctx, tx); err != nil {
		return nil, fmt.Errorf("compare tables with the trail: %w", err)
	}
	r.conclude()
	return r.Result, nil
}

func (r *run) all(ctx context.Context, tx pgx.Tx) error {
	if err := sealing.LockMonths(ctx, tx); err != nil {
		return err
	}
	// Every cursor is read to its end, and no plan is compiled.
	_, err := tx.Exec(ctx, `SET LOCAL statement_timeout = 0; SET LOCAL idle_in_transaction_session_timeout = 0;
		SET LOCAL cursor_tuple_fraction = 1; SET LOCAL jit = off; SET LOCAL work_mem = '32MB'`)
	if err != nil {
		return err
	}
	for _, part := range []func(context.Context, pgx.Tx) error{
		r.readRecords, r.readKept, r.readStores, r.compareClosings, r.compareRecorded, r.compareSales, r.compareResults,
		r.compareRecords, r.readRoles,
	} {
		if err := part(ctx, tx); err != nil {
			return err
		}
	}
	return nil
}

// readKept finds from which entry on nothing is archived.
func (r *run) readKept(ctx context.Context, tx pgx.Tx) error {
	if r.lastArchived == 0 {
		return nil
	}
	behind := time.Date(int(r.lastArchived-1)/12, time.Month((r.lastArchived-1)%12+2), 1, 0, 0, 0, 0, time.UTC)
	return tx.QueryRow(ctx, `SELECT coalesce(min(id), 9223372036854775807) FROM audit_entries WHERE at >= $1`, behind).Scan(&r.firstKept)
}

func (r *run) readStores(ctx context.Context, tx pgx.Tx) error {
	rows, err := tx.Query(ctx, `SELECT id, code FROM stores`)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var n int64
		var code string
		if err := rows.Scan(&n, &code); err != nil {
			return err
		}
		r.stores[n] = code
	}
	return rows.Err()
}

// readRoles finds who may change a table without leaving an entry. The server's own role
// is not among them: triggers hold its changes to the trail.
func (r *run) readRoles(ctx context.Context, tx pgx.Tx) error {
	rows, err := tx.Query(ctx, `SELECT c.relname, array_agg(o.rolname::text ORDER BY o.rolname)
		FROM pg_class c JOIN pg_roles o ON o.rolcanlogin AND (o.rolsuper OR pg_has_role(o.oid, c.relowner, 'MEMBER'))
		WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind IN ('r', 'p') GROUP BY c.relname`)
	if err != nil {
		return fmt.Errorf("read who may change tables: %w", err)
	}
	defer rows.Close()
	for rows.Next() {
		var name string
		var roles []string
		if err := rows.Scan(&name, &roles); err != nil {
			return fmt.Errorf("read who may change tables: %w", err)
		}
		if i := slices.IndexFunc(r.Tables, func(t *Table) bool { return t.Name == name }); i >= 0 {
			r.Tables[i].Roles = roles
		}
	}
	return rows.Err()
}

// monthOf numbers the month of a time, UTC.
func monthOf(at time.Time) int64 {
	at = at.UTC()
	return int64(at.Year())*12 + int64(at.Month())
}

// isArchived reports whether the entries of a month are not here.
func (r *run) isArchived(month int64) bool { return r.months[month] }
