package export

import (
	"context"
	"encoding/base64"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"veinte/models"
	"veinte/models/audit"
	"veinte/models/audit/sealing"
	"veinte/models/database"
)

// PrintRequest is the format of a printed page. It has no row among the exports: it
// is one page and has no progress to show.
const PrintRequest Format = "print"

// PrintedAtOnce is the maximum number of entries of a printed page. A browser needs
// minutes to lay out more, or crashes.
const PrintedAtOnce = 1000

// printTime is the time limit for the query of a page.
const printTime = 30 * time.Second

// Print is a page of the trail for paper, the oldest entry first.
type Print struct {
	Entries []models.AuditEntry
	Done    int64  // entries on the pages before
	Count   Count  // of all
	Sums           // of the sales of this page
	Next    string // where the next page begins; "" at the end
	// Checkpoint is the last one, nil when nothing was ever sealed, and Unsealed the
	// number of the filter's entries after it.
	Checkpoint *sealing.Checkpoint
	Unsealed   int64
}

// PrintAudit reads a page to print, within the actor's scope, and records that in
// the trail. cursor is where it begins, as given by the page before.
//
// Errors: ErrForbidden, ErrNotFound for a store outside the scope, what is wrong
// with the filter or the cursor, ErrTooManyExports.
func (s *Service) PrintAudit(ctx context.Context, actor models.Actor, f audit.Filter, cursor string) (*Print, error) {
	if !actor.May(models.ReadAudit) {
		return nil, models.ErrForbidden
	}
	r := Request{Format: PrintRequest, Filter: f}
	// A page is read as an export is, on a connection that others then lack.
	defer s.exports.Add(-1)
	if s.exports.Add(1) > maxExports {
		return nil, s.RefusedExport(ctx, actor, r, ErrTooManyExports)
	}
	s.sealing.SealFirst(ctx)
	page, err := s.readPrint(ctx, actor, f, cursor)
	if err != nil {
		return nil, s.RefusedExport(ctx, actor, r, err)
	}
	after := map[string]any{"format": PrintRequest, "entries": len(page.Entries)}
	if filters := f.Attributes(); len(filters) > 0 {
		after["filters"] = filters
	}
	err = audit.RecordAlone(ctx, s.db, actor, s.clock.Now(), models.ActionAuditExported, models.OutcomeSuccess, audit.About{After: after})
	if err != nil {
		return nil, fmt.Errorf("record printing of the trail: %w", err)
	}
	return page, nil
}

func (s *Service) readPrint(ctx context.Context, actor models.Actor, f audit.Filter, after string) (*Print, error) {
	f.Cursor = ""
	page := &Print{}
	where, args, err := audit.Where(actor, f, s.window().Calendar.Zone())
	if err != nil {
		return nil, err
	}
	if page.Count, err = s.EstimateAudit(ctx, actor, f); err != nil {
		return nil, err
	}
	all, allArgs := where, args
	if after != "" {
		at, id, done, err := parsePrintCursor(after)
		if err != nil {
			return nil, err
		}
		page.Done = done
		where += fmt.Sprintf(" AND (at, id) > ($%d, $%d)", len(args)+1, len(args)+2)
		args = append(args[:len(args):len(args)], at, id)
	}
	return page, sealing.InSnapshot(ctx, s.db, func(tx pgx.Tx) error {
		// Leaving the page does not cancel the query.
		_, err := tx.Exec(ctx, fmt.Sprintf("SET LOCAL statement_timeout = %d", printTime.Milliseconds()))
		if err != nil {
			return fmt.Errorf("begin page for paper: %w", err)
		}
		if page.Checkpoint, page.Unsealed, err = sealedUnder(ctx, tx, all, allArgs); err != nil {
			return err
		}
		return page.read(ctx, tx, where, args)
	})
}

func (p *Print) read(ctx context.Context, tx pgx.Tx, where string, args []any) (err error) {
	sql := fmt.Sprintf(`SELECT %s FROM audit_entries WHERE %s ORDER BY at, id LIMIT %d`, audit.FileColumns, where, PrintedAtOnce+1)
	rows, _ := tx.Query(ctx, sql, args...) // the rows have its error
	if p.Entries, err = audit.CollectEntries(rows); err != nil {
		return fmt.Errorf("read trail: %w", err)
	}
	if len(p.Entries) > PrintedAtOnce {
		p.Entries = p.Entries[:PrintedAtOnce]
		last := p.Entries[PrintedAtOnce-1]
		p.Next = printCursor(last.At, last.ID, p.Done+PrintedAtOnce)
	}
	ids := make([]int64, len(p.Entries))
	for i := range p.Entries {
		ids[i] = p.Entries[i].ID
	}
	p.Sums, err = sumSales(ctx, tx, "id = ANY($1)", []any{ids})
	return err
}

func printCursor(at time.Time, id, done int64) string {
	return base64.RawURLEncoding.EncodeToString(fmt.Appendf(nil, "%d:%s", done, database.CursorOf(at, id)))
}

func parsePrintCursor(cursor string) (at time.Time, id, done int64, err error) {
	raw, err := base64.RawURLEncoding.DecodeString(cursor)
	var rest string
	if _, scan := fmt.Sscanf(string(raw), "%d:%s", &done, &rest); err != nil || scan != nil || done < 0 {
		return time.Time{}, 0, 0, models.Invalid("cursor", "cursor.invalid")
	}
	at, id, err = database.ParseCursor(rest)
	return at, id, done, err
}
