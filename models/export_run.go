package models

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"

	"veinte/models/goroutine"
)

// ExportWriter writes the trail as a file, while it leaves.
type ExportWriter interface {
	Begin() error
	Entry(e *AuditEntry) error // the entry is another one at the next call
	End(t ExportTotals) error
	// Break says in the file, as far as that is possible, that it is not whole.
	Break(s ExportState)
	// Sent is how many bytes were handed over; it is asked meanwhile.
	Sent() int64
}

// breakable is what of a file matters when it ends early.
type breakable interface {
	Break(s ExportState)
	Sent() int64
}

// ExportTotals is what stands at an export's foot.
type ExportTotals struct {
	Entries int64
	Sums
	// Checkpoint is the last one; nil when nothing was ever sealed. Unsealed are
	// the entries of the export that came after it.
	Checkpoint *Checkpoint
	Unsealed   int64
}

// Sums are those of the sales that entries tell of, each counted once, however
// many of them do; and of those that are canceled as of now.
type Sums struct {
	Sales, Canceled        int64
	Amount, CanceledAmount Money
}

// sumSales sums the sales of the entries that where matches. The database reads
// them a second time, so that no file, however long, has its sales in our memory.
func sumSales(ctx context.Context, tx pgx.Tx, where string, args []any) (sum Sums, err error) {
	err = tx.QueryRow(ctx, `WITH told AS (SELECT DISTINCT sale_id FROM audit_entries WHERE sale_id IS NOT NULL AND (`+where+`))
		SELECT `+exportSums.names("")+` FROM told JOIN sales s ON s.id = told.sale_id`, args...).Scan(exportSums.into(&sum, nil)...)
	if err != nil {
		return sum, fmt.Errorf("sum the sales of entries: %w", err)
	}
	return sum, nil
}

const (
	// exportTime bounds one export. A statement's own limit is for people who
	// wait; a reader on a slow line may take long to fetch millions of rows.
	exportTime = 2 * time.Hour
	// exportBeat is how often an export says how far it is, and asks whether it
	// shall go on.
	exportBeat = time.Second
)

// running is an export under way.
type running struct {
	entries atomic.Int64
	sent    func() int64
	end     context.CancelCauseFunc
}

// RunExport writes the entries that the filter matches, the oldest first, and
// what came of it: in the export's row and in the trail. It reads one snapshot,
// row by row. When it ends early, the writer is told so and the error returned.
func (s *Cancellations) RunExport(ctx context.Context, actor Actor, x *Export, f AuditFilter, out ExportWriter) error {
	return s.export(ctx, actor, x, out, func(ctx context.Context, tx pgx.Tx, run *running) error {
		return s.writeEntries(ctx, tx, actor, f, run, out)
	})
}

// export runs write in a snapshot of its own while it tells how far it is, and
// notes the end.
func (s *Cancellations) export(ctx context.Context, actor Actor, x *Export, out breakable, write func(context.Context, pgx.Tx, *running) error) error {
	s.exports.Add(1)
	defer s.exports.Add(-1)
	s.sealFirst(ctx)
	ctx, end := context.WithCancelCause(ctx)
	run := &running{sent: out.Sent, end: end}
	beating := make(chan struct{})
	goroutine.Go(s.log, "telling how far an export is", func() {
		defer close(beating)
		s.beatExport(ctx, x, run)
	})
	err := s.db.inSnapshot(ctx, func(tx pgx.Tx) error { return write(ctx, tx, run) })
	if cause := context.Cause(ctx); err != nil && cause != nil {
		err = cause // why the database's question was broken off
	}
	end(nil)
	<-beating
	if err != nil {
		out.Break(endOf(err))
	}
	ended := s.endExport(context.WithoutCancel(ctx), actor, x, endOf(err), run)
	return errors.Join(err, ended)
}

// inSnapshot runs f in a transaction that reads and in which nothing changes.
func (db *DB) inSnapshot(ctx context.Context, f func(pgx.Tx) error) error {
	tx, err := db.pool.BeginTx(ctx, pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly})
	if err != nil {
		return fmt.Errorf("begin snapshot: %w", err)
	}
	defer func() { _ = tx.Rollback(context.WithoutCancel(ctx)) }()
	// Compiling a plan pays for itself only where rows are not the cost.
	if _, err := tx.Exec(ctx, fmt.Sprintf("SET LOCAL statement_timeout = %d; SET LOCAL jit = off", exportTime.Milliseconds())); err != nil {
		return fmt.Errorf("begin snapshot: %w", err)
	}
	if err := holdMonths(ctx, tx); err != nil {
		return err
	}
	return f(tx)
}

// holdMonths keeps every month of the trail in its place until a transaction
// ends. It comes before the snapshot: in one that was taken while a month was put
// away the month would be gone, and nothing would say that it was put away.
func holdMonths(ctx context.Context, tx pgx.Tx) error {
	if _, err := tx.Exec(ctx, `LOCK TABLE audit_entries IN ACCESS SHARE MODE`); err != nil {
		return fmt.Errorf("hold the months of the trail: %w", err)
	}
	return nil
}

func (s *Cancellations) writeEntries(ctx context.Context, tx pgx.Tx, actor Actor, f AuditFilter, run *running, out ExportWriter) error {
	where, args, err := auditWhere(actor, f, s.Window().Calendar.Zone())
	if err != nil {
		return err
	}
	if err := out.Begin(); err != nil {
		return err
	}
	rows, err := tx.Query(ctx, `SELECT `+exportColumns+` FROM audit_entries WHERE `+where+` ORDER BY at, id`, args...)
	if err != nil {
		return fmt.Errorf("read trail: %w", err)
	}
	defer rows.Close()
	var totals ExportTotals
	var e AuditEntry
	into := e.exported()
	for rows.Next() {
		if err := rows.Scan(into...); err != nil {
			return fmt.Errorf("read entry: %w", err)
		}
		if err := out.Entry(&e); err != nil {
			return err
		}
		totals.Entries++
		run.entries.Store(totals.Entries)
	}
	if err := rows.Err(); err != nil {
		return fmt.Errorf("read trail: %w", err)
	}
	rows.Close()
	if totals.Sums, err = sumSales(ctx, tx, where, args); err != nil {
		return err
	}
	if totals.Checkpoint, totals.Unsealed, err = sealedUnder(ctx, tx, where, args); err != nil {
		return err
	}
	return out.End(totals)
}

// exportColumns are what a file for people shows of an entry, in the order of
// exported.
const exportColumns = `id, at, actor_id, actor_name, actor_role, on_behalf_of, action, outcome, store_id, store_name,
	serial_number, sale_id, order_id, cancellation_id, attempt_number, amount, before, after, reason, address, user_agent, request_id`

func (e *AuditEntry) exported() []any {
	return []any{
		&e.ID, &e.At, &e.ActorID, &e.ActorName, &e.ActorRole, &e.OnBehalfOf, &e.Action, &e.Outcome, &e.StoreID, &e.StoreName,
		&e.SerialNumber, &e.SaleID, &e.OrderID, &e.CancellationID, &e.AttemptNumber, &e.Amount, &e.Before, &e.After, &e.Reason,
		&e.Address, &e.UserAgent, &e.RequestID,
	}
}
