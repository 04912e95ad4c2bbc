package alerts

import (
	"context"
	"fmt"
	"sort"
	"time"

	"veinte/models"
	"veinte/models/database"
)

// signIns are the failed sign-ins around a batch of entries. They are read once and
// counted in memory: a count for each entry would read the same entries again and again.
type signIns struct {
	from, to time.Time // of the batch
	read     bool
	at       []time.Time
	sum      []int // of all up to it
}

func newSignIns(entries []models.AuditEntry) *signIns {
	s := &signIns{from: entries[0].At, to: entries[0].At}
	for i := range entries {
		if entries[i].At.Before(s.from) {
			s.from = entries[i].At
		}
		if entries[i].At.After(s.to) {
			s.to = entries[i].At
		}
	}
	return s
}

// count returns how many there were in the time before an instant. An entry of those
// that followed the first of a minute counts them.
func (s *signIns) count(ctx context.Context, t database.Tx, within time.Duration, until time.Time) (int64, error) {
	if !s.read {
		rows, err := database.TxRows[struct {
			At   time.Time
			Many int
		}](ctx, t, `SELECT at, coalesce((after->>'more')::int, 1) AS many FROM audit_entries
			WHERE action = $1 AND outcome <> 'success' AND at > $2 AND at <= $3 ORDER BY at, id`,
			models.ActionLogin, s.from.Add(-within), s.to)
		if err != nil {
			return 0, fmt.Errorf("count failed sign-ins: %w", err)
		}
		total := 0
		for _, r := range rows {
			total += r.Many
			s.at, s.sum = append(s.at, r.At), append(s.sum, total)
		}
		s.read = true
	}
	return int64(s.upTo(until) - s.upTo(until.Add(-within))), nil
}

// upTo returns how many there were until an instant.
func (s *signIns) upTo(until time.Time) int {
	n := sort.Search(len(s.at), func(i int) bool { return s.at[i].After(until) })
	if n == 0 {
		return 0
	}
	return s.sum[n-1]
}

func (a *Service) judgeSignIn(ctx context.Context, t database.Tx, r *AlertRule, e *models.AuditEntry, s *signIns, now time.Time) error {
	if !r.Active || e.Outcome == models.OutcomeSuccess {
		return nil
	}
	f := findingOf(e, "signIns")
	f.facts.Minutes, f.facts.Address, f.facts.Person = r.Minutes, e.Address, ""
	var err error
	f.facts.Count, err = s.count(ctx, t, time.Duration(r.Minutes)*time.Minute, e.At)
	if err != nil || f.facts.Count < int64(r.Count) {
		return err
	}
	return a.raise(t, r, a.within(f, e.At, r.Minutes), now)
}
