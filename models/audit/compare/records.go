package compare

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"veinte/models"
)

// records is what the entries about the shop's own arrangements come to: few of them, so
// they are folded in memory.
type records struct {
	closings      []closedEntry
	undoneImports map[int64]bool
}

// recordEntry is an entry about an arrangement.
type recordEntry struct {
	id            int64
	at            time.Time
	action        models.Action
	store         int64
	storeName     string
	serial        string
	before, after map[string]any
	rawAfter      []byte
}

// recordsSQL reads the entries of acts that succeeded, in the order of the trail.
var recordsSQL = `SELECT id, at, action, coalesce(store_id, 0), store_name, serial_number, before, after FROM audit_entries
	WHERE outcome = 'success' AND action IN ` + quoted(models.ActionDayClosed, models.ActionImportUndone, models.ActionAuditArchived) + `
	ORDER BY era, txid, id`

// readRecords folds those entries.
func (r *run) readRecords(ctx context.Context, tx pgx.Tx) error {
	r.records = records{undoneImports: map[int64]bool{}}
	c, err := open(ctx, tx, "record_entries", recordsSQL, func(e *recordEntry) []any {
		return []any{&e.id, &e.at, &e.action, &e.store, &e.storeName, &e.serial, &e.before, &e.rawAfter}
	})
	if err != nil {
		return err
	}
	for e := c.peek(); e != nil; e = c.peek() {
		r.Entries++
		r.LastEntry = max(r.LastEntry, e.id)
		e.after = nil
		if len(e.rawAfter) > 0 {
			if err := json.Unmarshal(e.rawAfter, &e.after); err != nil {
				return fmt.Errorf("read entry %d: %w", e.id, err)
			}
		}
		r.fold(e)
		c.take()
	}
	return c.err
}

func (r *run) fold(e *recordEntry) {
	switch e.action {
	case models.ActionDayClosed:
		closed := closedEntry{entry: e.id}
		_ = json.Unmarshal(e.rawAfter, &closed) // a day that cannot be read has no report
		r.records.closings = append(r.records.closings, closed)
	case models.ActionImportUndone:
		r.records.undoneImports[number(e.after["importId"])] = true
	case models.ActionAuditArchived:
		month, _ := e.after["month"].(string)
		if first, err := time.Parse("2006-01", month); err == nil {
			r.months[monthOf(first)] = true
			r.Months = append(r.Months, month)
		}
	}
}

// number reads a whole number of an entry's attributes.
func number(v any) int64 {
	n, _ := v.(float64)
	return int64(n)
}

func (r *run) compareRecords(context.Context, pgx.Tx) error { return nil }
