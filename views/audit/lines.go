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
	"veinte/views/words"
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

// decisive are the actions that move a cancellation or say something of it, before those
// that only look. The first of them that is among a line's steps is what the line tells.
var decisive = []models.Action{
	models.ActionCancellationRequested, models.ActionCancellationMoved, models.ActionReviewed, models.ActionCancellationConflict,
	models.ActionResolutionRefused, models.ActionCancelRefused,
}

// head is the entry that the line tells: what moved the cancellation, the last of it.
func (l *line) head() *models.AuditEntry {
	for _, action := range decisive {
		for _, e := range l.entries {
			if e.Action == action {
				return e
			}
		}
	}
	return l.entries[0]
}

// marked is the outcome that stands beside an entry's sentence. A person who settles a
// cancellation has done so, however it ended: that is what the sentence says.
func marked(e *models.AuditEntry) models.Outcome {
	if e.Action == models.ActionCancellationMoved && words.IsPerson(e) {
		return models.OutcomeSuccess
	}
	return e.Outcome
}

// came is what has come of the request that the line tells.
func (l *line) came(came map[int64]audit.CurrentState) (now audit.CurrentState, ok bool) {
	if e := l.head(); e.Action == models.ActionCancellationRequested && e.CancellationID != nil {
		now, ok = came[*e.CancellationID]
	}
	return now, ok
}

// seal is what the line says of its entries' seals, the worst of them: "holds" only where
// each was compared on this page, "" where one was not.
func (s *Seals) seal(entries []*models.AuditEntry) string {
	worst := "holds"
	for _, e := range entries {
		switch at, compared := s.Standings[e.ID]; {
		case at.Altered():
			return "altered"
		case !compared && worst == "holds":
			worst = ""
		case compared && !at.Sealed:
			worst = "notYet"
		}
	}
	return worst
}

// compared is how many entries the page shows, and of how many of them bytes and columns
// were compared with what was sealed, and are as they were.
func (v *AuditView) compared() (shown, compared int) {
	for _, e := range Shown(v) {
		if at, ok := v.Standings[e.ID]; ok && at.Sealed && !at.Altered() {
			compared++
		}
		shown++
	}
	return shown, compared
}

// alteredHere are the entries of the page that are not as they were sealed.
func (v *AuditView) alteredHere() (ids []string) {
	for i := range v.List.Entries {
		if at := v.Standings[v.List.Entries[i].ID]; at.Altered() {
			ids = append(ids, ui.Itoa(v.List.Entries[i].ID))
		}
	}
	return ids
}
