package export

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"veinte/models"
	"veinte/models/audit"
	"veinte/models/audit/sealing"
	"veinte/models/audit/verify"
	"veinte/models/database"
	"veinte/models/goroutine"
)

// Writer writes the trail as a file, while it is streamed.
type Writer interface {
	Begin() error
	Entry(e *Entry) error // the entry is another one at the next call
	End(t Totals) error
	Breakable
}

// Entry is an entry of a file, compared with what was sealed of it.
type Entry struct {
	models.AuditEntry
	verify.Standing
}

// Breakable is what of a file matters when it ends early.
type Breakable interface {
	// Break marks the file as incomplete, as far as the format allows.
	Break(s State)
}

// Totals is the summary at the end of an export.
type Totals struct {
	Entries, Altered int64 // those that are not as they were sealed are among all
	Sums
	// Checkpoint is the last one; nil when nothing was ever sealed. Unsealed is the
	// number of the export's entries after it.
	Checkpoint *sealing.Checkpoint
	Unsealed   int64
}

// Sums are those of the sales that the entries refer to, each counted once; and of
// those that are canceled as of now.
type Sums struct {
	Sales, Canceled        int64
	Amount, CanceledAmount models.Money
}

// sumSales sums the sales of the entries that where matches. The database reads
// them a second time, so that no file, however long, has its sales in our memory.
func sumSales(ctx context.Context, tx pgx.Tx, where string, args []any) (sum Sums, err error) {
	err = tx.QueryRow(ctx, `WITH mentioned AS (SELECT DISTINCT sale_id FROM audit_entries WHERE sale_id IS NOT NULL AND (`+where+`))
		SELECT `+exportSums.Names("")+` FROM mentioned JOIN sales s ON s.id = mentioned.sale_id`, args...).Scan(exportSums.Into(&sum, nil)...)
	if err != nil {
		return sum, fmt.Errorf("sum the sales of entries: %w", err)
	}
	return sum, nil
}

// fileRow is an entry as it is read for a file. What only the comparison reads is not
// copied.
type fileRow struct {
	models.AuditEntry
	TxID      uint64
	Canonical pgtype.DriverBytes
	Sealed    pgtype.DriverBytes
}

// exportBeat is how often an export reports its progress, and checks whether it is to
// stop.
const exportBeat = time.Second

// runState is an export under way.
type runState struct {
	entries atomic.Int64
	end     context.CancelCauseFunc
}

// RunExport writes the entries that the filter matches, the oldest first, and
// records the result in the export's row and in the trail. It reads one snapshot,
// row by row. When it ends early, it calls the writer's Break and returns the error.
// What the writer writes goes through the export's To.
func (s *Service) RunExport(ctx context.Context, actor models.Actor, x *Export, f audit.Filter, out Writer) error {
	return s.export(ctx, actor, x, out, func(ctx context.Context, tx pgx.Tx, run *runState) error {
		return s.writeEntries(ctx, tx, actor, x, f, run, out)
	})
}

// Run is RunExport for any subject: write writes the file from a snapshot and states
// as it goes how many rows were written.
func (s *Service) Run(
	ctx context.Context, actor models.Actor, x *Export, out Breakable, write func(ctx context.Context, tx pgx.Tx, rows *atomic.Int64) error,
) error {
	return s.export(ctx, actor, x, out, func(ctx context.Context, tx pgx.Tx, run *runState) error { return write(ctx, tx, &run.entries) })
}

// export runs write in a snapshot of its own while its progress is reported, and
// records the end.
func (s *Service) export(
	ctx context.Context, actor models.Actor, x *Export, out Breakable, write func(context.Context, pgx.Tx, *runState) error,
) error {
	s.exports.Add(1)
	defer s.exports.Add(-1)
	s.sealing.SealFirst(ctx)
	ctx, end := context.WithCancelCause(ctx)
	run := &runState{end: end}
	beating := make(chan struct{})
	goroutine.Go(s.log, "storing the progress of an export", func() {
		defer close(beating)
		s.beatExport(ctx, x, run)
	})
	err := sealing.InSnapshot(ctx, s.db, func(tx pgx.Tx) error { return write(ctx, tx, run) })
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

func (s *Service) writeEntries(
	ctx context.Context, tx pgx.Tx, actor models.Actor, x *Export, f audit.Filter, run *runState, out Writer,
) error {
	where, args, err := audit.Where(actor, f, s.window().Calendar.Zone())
	if err != nil {
		return err
	}
	if err := out.Begin(); err != nil {
		return err
	}
	rows, _ := tx.Query(ctx, `SELECT `+verify.StandingColumns+` FROM audit_entries e WHERE `+where+` ORDER BY at, id`,
		append([]any{pgx.QueryResultFormats{pgx.BinaryFormatCode}}, args...)...)
	var totals Totals
	var entry Entry
	var compare verify.Comparer
	err = database.Each(rows, func(e *fileRow) (err error) {
		entry.AuditEntry = e.AuditEntry
		if entry.Standing, err = compare.Of(rows.RawValues()); err != nil {
			return err
		}
		if err := out.Entry(&entry); err != nil {
			return err
		}
		totals.Entries++
		if entry.Altered() {
			totals.Altered++
		}
		run.entries.Store(totals.Entries)
		return nil
	})
	if err != nil {
		return fmt.Errorf("pass on entries: %w", err)
	}
	if totals.Sums, err = sumSales(ctx, tx, where, args); err != nil {
		return err
	}
	if totals.Checkpoint, totals.Unsealed, err = sealedUnder(ctx, tx, where, args); err != nil {
		return err
	}
	x.sealed = totals.Checkpoint
	return out.End(totals)
}
