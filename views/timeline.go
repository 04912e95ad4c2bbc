package views

import (
	"context"
	"sort"
	"strconv"
	"time"

	"veinte/models"
	"veinte/views/locale"
)

// moment is a step of a sale's story.
type moment struct {
	at                 time.Time
	icon, tone         string
	title, detail, who string
}

// moments tells the story oldest first: what people and the system did, what
// was sent, what the service answered and what the terminal posted.
func moments(ctx context.Context, v *StoryView) []moment {
	s := &v.Story
	all := []moment{{at: s.Sale.ReceivedAt, icon: "receipt-text", tone: "plain", title: locale.T(ctx, "story.received")}}
	for i := range s.Entries {
		all = append(all, entryMoment(ctx, v, &s.Entries[i]))
	}
	for i := range s.Cases {
		for j := range s.Cases[i].AttemptList {
			all = append(all, attemptMoment(ctx, &s.Cases[i].AttemptList[j]))
		}
	}
	for i := range s.Results {
		if s.Results[i].Kind == models.ResultSale {
			continue // told above
		}
		all = append(all, resultMoment(ctx, &s.Results[i]))
	}
	sort.SliceStable(all, func(i, j int) bool { return all[i].at.Before(all[j].at) })
	return all
}

func entryMoment(ctx context.Context, v *StoryView, e *models.AuditEntry) moment {
	m := moment{
		at: e.At, icon: "circle-dot", tone: "plain",
		title: actionWord(ctx, e.Action), who: who(ctx, e),
	}
	after := object(e.After)
	if state, ok := after["state"].(string); ok && e.Action == models.ActionCaseMoved && locale.Has("moved."+state) {
		m.title = locale.T(ctx, "moved."+state)
		m.icon, m.tone = "arrow-right", state
		if icon := stateIcons[models.SaleState(state)]; icon != "" {
			m.icon = icon
		}
	}
	if detail, ok := after["detail"].(string); ok {
		m.detail = detailWord(ctx, models.Detail(detail))
	}
	switch {
	case e.Outcome == models.OutcomeDenied:
		m.icon, m.tone = "ban", "denied"
		m.title += " · " + outcomeWord(ctx, e.Outcome)
	case e.Action == models.ActionCaseConflict:
		m.icon, m.tone = "triangle-alert", "conflict"
	case e.Action == models.ActionCaseRequested:
		m.icon = "user-round"
		m.detail = reasonText(ctx, v.Reasons, e.Reason)
	}
	return m
}

// attemptMoment is what came of an attempt; that it began is told by the trail,
// unless it is still under way.
func attemptMoment(ctx context.Context, a *models.Attempt) moment {
	n := strconv.Itoa(a.Number)
	if a.FinishedAt == nil {
		return moment{at: a.StartedAt, icon: "send", tone: "sending", title: locale.T(ctx, "attempt.begun", "N", n)}
	}
	answer := moment{
		at: *a.FinishedAt, icon: "inbox", tone: string(a.Meaning),
		title:  locale.T(ctx, "meaning."+string(a.Meaning), "N", n),
		detail: detailWord(ctx, a.Detail),
	}
	if a.DurationMS > 0 {
		answer.who = locale.T(ctx, "attempt.took", "S", strconv.FormatFloat(float64(a.DurationMS)/1000, 'f', 1, 64))
	}
	return answer
}

func resultMoment(ctx context.Context, r *models.Result) moment {
	m := moment{
		at: r.ReceivedAt, icon: "smartphone-nfc", tone: "plain",
		title: locale.T(ctx, "story.posted", "Kind", locale.T(ctx, "resultKind."+string(r.Kind))),
	}
	if r.ResponseCode != "" {
		m.detail = locale.T(ctx, "story.responseCode", "Code", r.ResponseCode)
	}
	if r.Status != models.ResultApplied {
		m.who = locale.T(ctx, "resultStatus."+string(r.Status))
	}
	return m
}

// who names the person, and for whom when a job carries out their wish.
func who(ctx context.Context, e *models.AuditEntry) string {
	name := actorName(ctx, e)
	if e.OnBehalfOf != "" {
		return locale.T(ctx, "audit.onBehalf", "Name", name, "Of", e.OnBehalfOf)
	}
	return name
}

func momentTime(ctx context.Context, v *StoryView, t time.Time) string {
	if v.Window.Calendar.Day(t) == v.Story.Sale.BusinessDay {
		return clockSeconds(t, v.zone())
	}
	return date(ctx, t, v.zone()) + ", " + clockSeconds(t, v.zone())
}
