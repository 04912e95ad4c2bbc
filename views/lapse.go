package views

import (
	"context"
	"slices"
	"time"

	"veinte/models"
	"veinte/views/locale"
)

// lapse words a span of time as people say it: 12 s, 3 min 4 s, 2 h 5 min, 3 d 4 h.
func lapse(d time.Duration) string {
	if d < time.Minute {
		return itoa(int64(d/time.Second)) + " s"
	}
	units := []struct {
		of   time.Duration
		name string
	}{{24 * time.Hour, " d"}, {time.Hour, " h"}, {time.Minute, " min"}, {time.Second, " s"}}
	for i, u := range units {
		if d < u.of {
			continue
		}
		text := itoa(int64(d/u.of)) + u.name
		if i+1 < len(units) && d%u.of >= units[i+1].of {
			text += " " + itoa(int64(d%u.of/units[i+1].of)) + units[i+1].name
		}
		return text
	}
	return ""
}

// later says how long after the step before something came.
func later(ctx context.Context, d time.Duration) string {
	if d < time.Second {
		return locale.T(ctx, "lapse.atOnce")
	}
	return locale.T(ctx, "lapse.later", "Time", lapse(d))
}

// moment is when the i-th entry was; the date stands with the first of a day.
func (n *auditNames) moment(ctx context.Context, entries []models.AuditEntry, i int) string {
	at := entries[i].At
	if i > 0 && at.In(n.zone).Format(time.DateOnly) == entries[i-1].At.In(n.zone).Format(time.DateOnly) {
		return clockSeconds(at, n.zone)
	}
	return date(ctx, at, n.zone) + ", " + clockSeconds(at, n.zone)
}

// oldestFirst is the page in the order of time.
func (v *AuditView) oldestFirst() []models.AuditEntry {
	entries := slices.Clone(v.List.Entries)
	slices.Reverse(entries)
	return entries
}

// total is how long the latest case took from the request to its end, or has
// taken so far.
func (v *StoryView) total(ctx context.Context) string {
	c := v.Story.Latest()
	if c == nil || c.Origin == models.FromTerminal {
		return ""
	}
	if c.State.Open() {
		return locale.T(ctx, "lapse.soFar", "Time", lapse(v.Now.Sub(c.RequestedAt)))
	}
	end := c.RequestedAt
	for i := range v.Story.Entries {
		e := &v.Story.Entries[i]
		if e.Action == models.ActionCaseMoved && e.CancellationID != nil && *e.CancellationID == c.ID && e.At.After(end) {
			end = e.At
		}
	}
	return locale.T(ctx, "lapse.total", "Time", lapse(end.Sub(c.RequestedAt)))
}
