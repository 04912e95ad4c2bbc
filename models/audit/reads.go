package audit

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"

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
	}](ctx, s.db, `SELECT id, state, changed_at FROM cancellations WHERE id = ANY($1)`, ids)
	if err != nil {
		return nil, fmt.Errorf("read what came of requests: %w", err)
	}
	now := make(map[int64]CurrentState, len(ids))
	for _, c := range rows {
		now[c.ID] = CurrentState{c.State, c.ChangedAt}
	}
	return now, nil
}

// Steps returns the entries of the cancellations that were asked for with the given
// entries, the newest first, within the actor's scope; by cancellation.
func (s *Service) Steps(ctx context.Context, actor models.Actor, requests []models.AuditEntry) (map[int64][]models.AuditEntry, error) {
	var sales, of []int64
	for i := range requests {
		if e := &requests[i]; e.CancellationID != nil && e.SaleID != nil {
			sales, of = append(sales, *e.SaleID), append(of, *e.CancellationID)
		}
	}
	if len(of) == 0 {
		return nil, nil
	}
	w, err := fieldsClause(actor, Filter{}, s.window().Calendar.Zone())
	if err != nil {
		return nil, err
	}
	w.add(true, "sale_id = ANY(%s)", sales) // has an index
	w.add(true, "cancellation_id = ANY(%s)", of)
	w.args = append(w.args, maxSteps)
	rows, _ := s.db.Query(ctx, `SELECT `+AuditColumns+` FROM audit_entries WHERE `+w.sql()+`
		ORDER BY at DESC, id DESC LIMIT $`+strconv.Itoa(len(w.args)), append([]any{pgx.QueryExecModeExec}, w.args...)...)
	entries, err := CollectEntries(rows)
	if err != nil {
		return nil, fmt.Errorf("read steps of cancellations: %w", err)
	}
	steps := make(map[int64][]models.AuditEntry, len(of))
	for i := range entries {
		steps[*entries[i].CancellationID] = append(steps[*entries[i].CancellationID], entries[i])
	}
	return steps, nil
}

// maxSteps limits what a page reads: a cancellation has some six steps, and one that was
// refused again and again more.
const maxSteps = 40 * models.PageSize
