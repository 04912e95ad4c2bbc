package alerts

import (
	"context"
	"fmt"
	"sort"
	"time"

	"veinte/models"
	"veinte/models/database"
)

// batch is what the rules count around a batch of entries. It is read once, before
// anything is written, because a transaction that has written holds the sealer back: a
// count for each entry would read the same entries again and again.
type batch struct {
	signIns  tally            // failed ones
	requests map[string]tally // for cancellations, by who asked for them
	rates    map[string]*rate // of a store on a day, filled as they are asked for
}

// tally is how often something happened until when, in order of time.
type tally struct {
	at    []time.Time
	sum   []int // of all up to it
	turns []int // how often, up to it, the next was in another store
	store int64 // of the last
}

func (s *tally) add(at time.Time, many int, store int64) {
	sum, turns := many, 0
	if n := len(s.at); n > 0 {
		sum, turns = sum+s.sum[n-1], s.turns[n-1]
		if store != s.store {
			turns++
		}
	}
	s.at, s.sum, s.turns, s.store = append(s.at, at), append(s.sum, sum), append(s.turns, turns), store
}

// within returns how often it happened in the time before an instant, and whether in
// more than one store.
func (s *tally) within(d time.Duration, until time.Time) (count int64, stores bool) {
	from, to := s.upTo(until.Add(-d)), s.upTo(until)
	if from == to {
		return 0, false
	}
	before := 0
	if from > 0 {
		before = s.sum[from-1]
	}
	return int64(s.sum[to-1] - before), s.turns[to-1] > s.turns[from]
}

// upTo returns how many lines there are until an instant.
func (s *tally) upTo(until time.Time) int {
	return sort.Search(len(s.at), func(i int) bool { return s.at[i].After(until) })
}

// span is from when to when, and by whom, entries of one action are.
type span struct {
	from, to time.Time
	actors   []int64
}

func (s *span) add(e *models.AuditEntry) {
	if s.from.IsZero() || e.At.Before(s.from) {
		s.from = e.At
	}
	if e.At.After(s.to) {
		s.to = e.At
	}
	if e.ActorID != nil {
		s.actors = append(s.actors, *e.ActorID)
	}
}

// newBatch reads what the rules that are active count for the entries.
func newBatch(ctx context.Context, t database.Tx, rules map[Kind]*AlertRule, entries []models.AuditEntry) (*batch, error) {
	b := &batch{requests: map[string]tally{}, rates: map[string]*rate{}}
	var signIns, requests span
	for i := range entries {
		switch e := &entries[i]; e.Action {
		case models.ActionLogin:
			signIns.add(e)
		case models.ActionCancellationRequested:
			requests.add(e)
		}
	}
	if r := rules[KindSignIns]; r.Active && !signIns.to.IsZero() {
		if err := b.readSignIns(ctx, t, r, signIns); err != nil {
			return nil, err
		}
	}
	if r := rules[KindPerson]; r.Active && len(requests.actors) > 0 {
		return b, b.readRequests(ctx, t, r, requests)
	}
	return b, nil
}

// readSignIns reads the failed ones. An entry of those that followed the first of a
// minute counts them.
func (b *batch) readSignIns(ctx context.Context, t database.Tx, r *AlertRule, s span) error {
	rows, err := database.TxRows[struct {
		At   time.Time
		Many int
	}](ctx, t, `SELECT at, coalesce((after->>'more')::int, 1) AS many FROM audit_entries
		WHERE action = $1 AND outcome <> 'success' AND at > $2 AND at <= $3 ORDER BY at, id`,
		models.ActionLogin, s.from.Add(-time.Duration(r.Minutes)*time.Minute), s.to)
	if err != nil {
		return fmt.Errorf("count failed sign-ins: %w", err)
	}
	for _, x := range rows {
		b.signIns.add(x.At, x.Many, 0)
	}
	return nil
}

// readRequests reads those of the people and programs of the batch, in the stores that
// the rule covers.
func (b *batch) readRequests(ctx context.Context, t database.Tx, r *AlertRule, s span) error {
	rows, err := database.TxRows[models.AuditEntry](ctx, t, `SELECT at, actor_id, actor_role, store_id FROM audit_entries
		WHERE actor_id = ANY($1) AND action = $2 AND at > $3 AND at <= $4 AND ($5 OR store_id = ANY($6)) ORDER BY at, id`,
		s.actors, models.ActionCancellationRequested, s.from.Add(-time.Duration(r.Minutes)*time.Minute), s.to,
		r.AllStores, []int64(r.StoreIDs))
	if err != nil {
		return fmt.Errorf("count requests: %w", err)
	}
	for i := range rows {
		who, store := personSubject(&rows[i]), int64(0)
		if rows[i].StoreID != nil {
			store = *rows[i].StoreID
		}
		all := b.requests[who]
		all.add(rows[i].At, 1, store)
		b.requests[who] = all
	}
	return nil
}
