package audit

import (
	"context"
	"slices"
	"time"

	"github.com/a-h/templ"

	"veinte/models"
	"veinte/models/audit"
	"veinte/views/locale"
	"veinte/views/ui"
)

// day are the lines of a day, under its heading.
type day struct {
	day   models.Day
	lines []line
}

// line is what stands as one line of the list: an entry, or the steps of a
// cancellation, the newest first.
type line struct{ entries []*models.AuditEntry }

// stepsApart is how long after a step of a cancellation another still belongs to its
// line. Longer than a terminal is given to answer; a doubt that somebody resolves in the
// evening is a line of its own, where they look for it.
const stepsApart = 5 * time.Minute

// days are the entries of the page, the newest first, the steps of a cancellation together
// at the time of what their line tells. No entry is left out.
func (v *AuditView) days() []day {
	var days []day
	open := map[int64]int{} // the line of a cancellation in the last day
	for i := range v.List.Entries {
		e := &v.List.Entries[i]
		on := models.Day(e.At.In(v.Zone()).Format(time.DateOnly))
		if len(days) == 0 || days[len(days)-1].day != on {
			days = append(days, day{day: on})
			clear(open)
		}
		last := &days[len(days)-1]
		if id := e.CancellationID; id != nil {
			if at, ok := open[*id]; ok {
				l := &last.lines[at]
				if l.oldest().At.Sub(e.At) <= stepsApart {
					l.entries = append(l.entries, e)
					continue
				}
			}
			open[*id] = len(last.lines)
		}
		last.lines = append(last.lines, line{[]*models.AuditEntry{e}})
	}
	for i := range days {
		slices.SortStableFunc(days[i].lines, func(a, b line) int { return b.head().At.Compare(a.head().At) })
	}
	return days
}

// requestDays are the days of a list of requests, each of which is a line.
func (v *AuditView) requestDays() []day {
	var days []day
	for i := range v.List.Entries {
		e := &v.List.Entries[i]
		on := models.Day(e.At.In(v.Zone()).Format(time.DateOnly))
		if len(days) == 0 || days[len(days)-1].day != on {
			days = append(days, day{day: on})
		}
		last := &days[len(days)-1]
		last.lines = append(last.lines, line{[]*models.AuditEntry{e}})
	}
	return days
}

// stepsOf are the entries of the cancellation that an entry asked for.
func (v *AuditView) stepsOf(e *models.AuditEntry) []models.AuditEntry {
	if e.CancellationID == nil {
		return nil
	}
	return v.Steps[*e.CancellationID]
}

// Shown are the entries that the page shows.
func Shown(v *AuditView) []models.AuditEntry {
	shown := slices.Clone(v.List.Entries)
	for _, steps := range v.Steps {
		shown = append(shown, steps...)
	}
	return shown
}

// dayWords names a day of the list.
func (v *AuditView) dayWords(ctx context.Context, d models.Day) string {
	if d == models.Day(v.Now.In(v.Zone()).Format(time.DateOnly)) {
		return locale.T(ctx, "audit.today", "Day", ui.Day(ctx, d))
	}
	return ui.Day(ctx, d)
}

// entryAttributes are by what an entry is found on the page.
func entryAttributes(e *models.AuditEntry) templ.OrderedAttributes {
	return templ.OrderedAttributes{
		{Key: "data-testid", Value: "audit-entry"},
		{Key: "data-action", Value: string(e.Action)},
		{Key: "data-outcome", Value: string(e.Outcome)},
	}
}

func (l *line) oldest() *models.AuditEntry { return l.entries[len(l.entries)-1] }

// head is the entry that the line tells: the request, if it is among the steps.
func (l *line) head() *models.AuditEntry {
	for _, e := range l.entries {
		if e.Action == models.ActionCancellationRequested {
			return e
		}
	}
	return l.entries[0]
}

// gravity orders outcomes: what is folded hides none that is worse than what is shown.
var gravity = []models.Outcome{models.OutcomeSuccess, models.OutcomeFailure, models.OutcomeDenied, models.OutcomeUnknown}

// outcome is the gravest of the line.
func (l *line) outcome() models.Outcome {
	worst := l.entries[0].Outcome
	for _, e := range l.entries {
		if slices.Index(gravity, e.Outcome) > slices.Index(gravity, worst) {
			worst = e.Outcome
		}
	}
	return worst
}

// saidByState are the outcomes that the present state of a cancellation says too.
var saidByState = map[models.State]models.Outcome{models.Unknown: models.OutcomeUnknown, models.Rejected: models.OutcomeFailure}

// came is what has come of the request that the line tells.
func (l *line) came(came map[int64]audit.CurrentState) (now audit.CurrentState, ok bool) {
	if e := l.head(); e.Action == models.ActionCancellationRequested && e.CancellationID != nil {
		now, ok = came[*e.CancellationID]
	}
	return now, ok
}

// marks reports whether the line says its outcome: not where all was done, nor where the
// state beside it says the same.
func (l *line) marks(came map[int64]audit.CurrentState) bool {
	worst := l.outcome()
	now, ok := l.came(came)
	return worst != models.OutcomeSuccess && (!ok || saidByState[now.State] != worst)
}

// seal is what the line says of its entries' seals: the worst of them.
func (s *Seals) seal(entries []*models.AuditEntry) string {
	worst := ""
	for _, e := range entries {
		if s.Altered[e.ID] {
			return "altered"
		}
		if _, sealed := s.Numbers[e.ID]; !sealed && s.Checkpoint != nil {
			worst = "notYet"
		}
	}
	return worst
}

// alteredHere are the entries of the page that are not as they were sealed.
func (v *AuditView) alteredHere() (ids []string) {
	for i := range v.List.Entries {
		if id := v.List.Entries[i].ID; v.Altered[id] {
			ids = append(ids, ui.Itoa(id))
		}
	}
	return ids
}
