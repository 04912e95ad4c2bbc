package views

import (
	"context"
	"sort"
	"strings"
	"time"

	"veinte/models"
	"veinte/views/locale"
)

// moment is a step of a sale's story.
type moment struct {
	at                 time.Time
	rank               int // what comes first of what bears the same instant
	icon, tone         string
	title, detail, who string
	facts              string // of the attempt: what was answered, and how fast; of a request: with how many others
	lapse              string // how long after the step before
	entry              int64  // of the trail; 0 when the step is none
}

// Of two steps at one instant the cause is told before its effect.
const (
	rankReceived = iota
	rankBegun
	rankResult
	rankAnswer
	rankMove
)

// moments tells the story oldest first: what people and the system did, what
// was sent, what the service answered and what the terminal posted. What the
// service answered and the move it led to are one step.
func moments(ctx context.Context, v *StoryView) []moment {
	s := &v.Story
	begin := moment{at: s.Sale.ReceivedAt, icon: "receipt-text", tone: "plain", title: locale.T(ctx, "story.received")}
	if s.Sale.Source != models.SourceTerminal {
		begin.title, begin.who = locale.T(ctx, "source."+string(s.Sale.Source)), s.Sale.RecordedBy
	}
	all := []moment{begin}
	told := map[*models.Attempt]bool{}
	for i := range s.Entries {
		m := entryMoment(ctx, v, &s.Entries[i])
		if a := answered(s, &s.Entries[i]); a != nil && !told[a] {
			told[a] = true
			m.addAnswer(ctx, a)
		}
		all = append(all, m)
	}
	for i := range s.Cases {
		for j := range s.Cases[i].AttemptList {
			// One without an end began with a move, which is told above.
			if a := &s.Cases[i].AttemptList[j]; a.FinishedAt != nil && !told[a] {
				all = append(all, answerMoment(ctx, a))
			}
		}
	}
	for i := range s.Results {
		if s.Results[i].Kind == models.ResultSale {
			continue // told above
		}
		all = append(all, resultMoment(ctx, &s.Results[i]))
	}
	sort.SliceStable(all, func(i, j int) bool {
		if all[i].at.Equal(all[j].at) {
			return all[i].rank < all[j].rank
		}
		return all[i].at.Before(all[j].at)
	})
	for i := 1; i < len(all); i++ {
		all[i].lapse = later(ctx, all[i].at.Sub(all[i-1].at))
	}
	return onceEach(all)
}

// onceEach leaves out a cause that the step before has already named.
func onceEach(all []moment) []moment {
	for i := 1; i < len(all); i++ {
		if all[i].detail == all[i-1].detail || all[i].detail == all[i-1].title {
			all[i].detail = ""
		}
	}
	return all
}

// titled are the causes that the title of the step they lead to already tells.
var titled = map[models.Detail]bool{models.DetailAccepted: true, models.DetailTooLate: true, models.DetailTakenBack: true}

// reported are the causes that a provider's report proves.
var reported = map[models.Detail]bool{models.DetailReconciledCanceled: true, models.DetailReconciledNotCanceled: true}

func entryMoment(ctx context.Context, v *StoryView, e *models.AuditEntry) moment {
	m := moment{
		at: e.At, rank: rankMove, icon: "circle-dot", tone: "plain",
		title: actionWord(ctx, e.Action), who: who(ctx, e), entry: e.ID,
	}
	after := object(e.After)
	if state, ok := after["state"].(string); ok && e.Action == models.ActionCaseMoved && locale.Has("moved."+state) {
		m.title = locale.T(ctx, "moved."+state)
		if state == string(models.Withdrawn) && e.ActorRole == models.SystemRole {
			m.title = locale.T(ctx, "moved.notSent")
		}
		m.icon, m.tone = "arrow-right", state
		if icon := stateIcons[models.SaleState(state)]; icon != "" {
			m.icon = icon
		}
		if state == string(models.Sending) {
			m.rank = rankBegun
			if e.AttemptNumber != nil {
				m.title = locale.T(ctx, "attempt.begun", "N", itoa(int64(*e.AttemptNumber)))
			}
		}
	}
	if detail, ok := after["detail"].(string); ok && !titled[models.Detail(detail)] {
		m.detail = detailWord(ctx, models.Detail(detail))
		if reported[models.Detail(detail)] {
			m.detail += " " + reasonText(ctx, v.Reasons, e.Reason) // the file and its line
		}
	}
	switch {
	case e.Outcome == models.OutcomeDenied:
		m.icon, m.tone = "ban", "denied"
		m.title += " · " + outcomeWord(ctx, e.Outcome)
		m.detail = reasonText(ctx, v.Reasons, e.Reason)
	case e.Action == models.ActionCancelRefused, e.Action == models.ActionResolutionRefused:
		m.icon, m.detail = "ban", reasonText(ctx, v.Reasons, e.Reason)
	case e.Action == models.ActionCaseConflict:
		m.icon, m.tone = "triangle-alert", "conflict"
		m.detail = reasonText(ctx, v.Reasons, e.Reason)
	case e.Action == models.ActionCaseRequested:
		m.icon, m.rank = "user-round", rankBegun
		m.detail = reasonText(ctx, v.Reasons, e.Reason)
		if _, of := together(e); of > 1 {
			m.facts = locale.T(ctx, "several.oneOf", "N", number(int64(of)))
		}
	}
	return m
}

func resultMoment(ctx context.Context, r *models.Result) moment {
	m := moment{
		at: r.ReceivedAt, rank: rankResult, icon: "smartphone-nfc", tone: "plain",
		title: locale.T(ctx, "story.posted", "Kind", locale.T(ctx, "resultKind."+string(r.Kind))),
	}
	var says []string
	if r.Kind == models.ResultInquiry || r.Status != models.ResultApplied {
		// What an answer says and what follows from it are two things: one that
		// came too early proves nothing, whatever it says.
		if r.Standing != "" && !strings.HasPrefix(r.Note, "standing") {
			says = append(says, locale.T(ctx, "story.standing", "Standing", maybe(ctx, "standing.", string(r.Standing))))
		}
		if r.Note != "" {
			says = append(says, maybe(ctx, "resultNote.", r.Note))
		}
	}
	if r.ResponseCode != "" {
		says = append(says, locale.T(ctx, "story.responseCode", "Code", r.ResponseCode))
	}
	m.detail = strings.Join(says, " ")
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
