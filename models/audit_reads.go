package models

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
)

// Reads says whether entries of those who only read the trail are meant. "" says
// nothing of it: a file then holds everything; the page, where every search would
// find the searches before it, leaves them out.
type Reads string

// What a filter may say of them.
const (
	ReadsIn  Reads = "in"
	ReadsOut Reads = "out"
)

// readActions are the acts of people who read the trail and what is made of it.
var readActions = []string{
	string(ActionAuditRead), string(ActionAuditExported), string(ActionOversightRead),
	string(ActionClosingRead), string(ActionClosingExported), string(ActionAlertsRead),
}

// Listed is the filter as a page of the trail reads it: without entries of
// reading, unless they are asked for, by themselves or among all.
func (f AuditFilter) Listed() AuditFilter {
	switch {
	case f.Reads == ReadsIn:
		f.Reads = ""
	case f.Reads == "" && f.SaleID == 0 && !slices.Contains(readActions, string(f.Action)):
		f.Reads = ReadsOut
	}
	return f
}

// CaseNow is what has come of a request so far.
type CaseNow struct {
	State State
	Since time.Time
}

// CasesNow returns what has come of the requests among the entries, by case: of
// all in one query. What an entry may be read for, its case may be too.
func (db *DB) CasesNow(ctx context.Context, entries []AuditEntry) (map[int64]CaseNow, error) {
	var ids []int64
	for i := range entries {
		if e := &entries[i]; e.Action == ActionCaseRequested && e.CancellationID != nil {
			ids = append(ids, *e.CancellationID)
		}
	}
	if len(ids) == 0 {
		return nil, nil
	}
	rows, err := db.pool.Query(ctx, `SELECT id, state, changed_at FROM cancellations WHERE id = ANY($1)`, ids)
	if err != nil {
		return nil, fmt.Errorf("read what came of requests: %w", err)
	}
	now := make(map[int64]CaseNow, len(ids))
	var id int64
	var c CaseNow
	_, err = pgx.ForEachRow(rows, []any{&id, &c.State, &c.Since}, func() error {
		now[id] = c
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read what came of requests: %w", err)
	}
	return now, nil
}
