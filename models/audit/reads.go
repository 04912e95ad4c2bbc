package audit

import (
	"context"
	"fmt"
	"slices"
	"time"

	"veinte/models"
	"veinte/models/database"
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
	rows, err := database.Rows[struct {
		ID        int64
		State     models.State
		ChangedAt time.Time
	}](ctx, s.db.Pool(), `SELECT id, state, changed_at FROM cancellations WHERE id = ANY($1)`, ids)
	if err != nil {
		return nil, fmt.Errorf("read what came of requests: %w", err)
	}
	now := make(map[int64]CurrentState, len(ids))
	for _, c := range rows {
		now[c.ID] = CurrentState{c.State, c.ChangedAt}
	}
	return now, nil
}

// SealedNumbers returns which leaf of the tree each entry is; those that are not
// sealed yet are not in it.
func (s *Service) SealedNumbers(ctx context.Context, entries []models.AuditEntry) (map[int64]int64, error) {
	ids := make([]int64, len(entries))
	for i := range entries {
		ids[i] = entries[i].ID
	}
	rows, err := database.Rows[struct{ EntryID, N int64 }](ctx, s.db.Pool(),
		`SELECT entry_id, n FROM sealed_entries WHERE entry_id = ANY($1)`, ids)
	if err != nil {
		return nil, fmt.Errorf("find sealed entries: %w", err)
	}
	numbers := make(map[int64]int64, len(ids))
	for _, sealed := range rows {
		numbers[sealed.EntryID] = sealed.N
	}
	return numbers, nil
}
