package audit

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"veinte/models"
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
	string(models.ActionAuditRead), string(models.ActionAuditExported), string(models.ActionOversightRead),
	string(models.ActionClosingRead), string(models.ActionClosingExported), string(models.ActionAlertsRead),
}

// Listed is the filter as a page of the trail reads it: without entries of
// reading, unless they are asked for, by themselves or among all.
func (f Filter) Listed() Filter {
	switch {
	case f.Reads == ReadsIn:
		f.Reads = ""
	case f.Reads == "" && f.SaleID == 0 && !slices.Contains(readActions, string(f.Action)):
		f.Reads = ReadsOut
	}
	return f
}

// CurrentState is what has come of a request so far.
type CurrentState struct {
	State models.State
	Since time.Time
}

// CurrentStates returns what has come of the requests among the entries, by case: of
// all in one query. What an entry may be read for, its case may be too.
func (s *Service) CurrentStates(ctx context.Context, entries []models.AuditEntry) (map[int64]CurrentState, error) {
	var ids []int64
	for i := range entries {
		if e := &entries[i]; e.Action == models.ActionCancellationRequested && e.CancellationID != nil {
			ids = append(ids, *e.CancellationID)
		}
	}
	if len(ids) == 0 {
		return nil, nil
	}
	rows, err := s.db.Pool().Query(ctx, `SELECT id, state, changed_at FROM cancellations WHERE id = ANY($1)`, ids)
	if err != nil {
		return nil, fmt.Errorf("read what came of requests: %w", err)
	}
	now := make(map[int64]CurrentState, len(ids))
	var id int64
	var c CurrentState
	_, err = pgx.ForEachRow(rows, []any{&id, &c.State, &c.Since}, func() error {
		now[id] = c
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read what came of requests: %w", err)
	}
	return now, nil
}
