package audit

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"veinte/models"
)

// Reads states whether a filter includes the entries about reading the trail. ""
// leaves it open: a file then has all of them; the page leaves them out, because
// every search would find the searches before it.
type Reads string

// The values of Reads.
const (
	ReadsIn  Reads = "in"
	ReadsOut Reads = "out"
)

// readActions are the acts of people who read the trail and what is made of it.
var readActions = []string{
	string(models.ActionAuditRead), string(models.ActionAuditExported), string(models.ActionOversightRead),
	string(models.ActionClosingRead), string(models.ActionClosingExported), string(models.ActionAlertsRead),
}

// Listed is the filter as a page of the trail uses it: without entries about
// reading, unless they are requested, alone or among all.
func (f Filter) Listed() Filter {
	switch {
	case f.Reads == ReadsIn:
		f.Reads = ""
	case f.Reads == "" && f.SaleID == 0 && !slices.Contains(readActions, string(f.Action)):
		f.Reads = ReadsOut
	}
	return f
}

// CurrentState is the present state of a request.
type CurrentState struct {
	State models.State
	Since time.Time
}

// CurrentStates returns the present states of the requests among the entries, by
// cancellation, in one query. A user who may read an entry may read the state of its
// cancellation too.
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
