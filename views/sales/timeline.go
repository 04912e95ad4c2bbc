package sales

import (
	"context"
	"slices"
	"sort"
	"strings"
	"time"

	"veinte/models"
	"veinte/views/locale"
	"veinte/views/ui"
	"veinte/views/words"
)

// moment is a step in the timeline of a sale.
type moment struct {
	at                 time.Time
	rank               int // what comes first of what bears the same instant
	icon, tone         string
	Title, Detail, who string
	Facts              string // of the attempt: what was answered, and how fast; of a request: with how many others
	lapse              string // how long after the step before
	entry              int64  // of the trail; 0 when the step is none

	Folded   []moment // the steps that this one sums up
	inquires bool     // it is of an inquiry: the question, or what came of it
	asked    bool     // it is the question
	standing string   // what the terminal answered
}

// Of two steps at the same time the cause comes before its effect.
const (
	rankReceived = iota
	rankBegun
	rankResult
	rankAnswer
	rankMove
)

// Moments lists the steps of the timeline, oldest first: what users and the system
// did, what was sent, what the service replied and what the terminal posted. A reply
// of the service and the move that it caused are one step.
func Moments(ctx context.Context, v *SaleDetailView) []moment {
	s := &v.Detail
	begin := moment{at: s.Sale.ReceivedAt, icon: "receipt-text", tone: "plain", Title: locale.T(ctx, "story.received")}
	if late := s.Sale.ReceivedAt.Sub(s.Sale.SoldAt); late >= time.Hour {
		begin.Title = locale.T(ctx, "story.receivedLate", "Time", ui.Lapse(late.Truncate(time.Minute)))
	}
	if s.Sale.Source != models.SourceTerminal {
		begin.Title, begin.who = locale.T(ctx, "source."+string(s.Sale.Source)), s.Sale.RecordedBy
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
	for i := range s.Cancellations {
		for j := range s.Cancellations[i].AttemptList {
			// An attempt without an end began with a move, which is shown above.
			if a := &s.Cancellations[i].AttemptList[j]; a.FinishedAt != nil && !told[a] {
				all = append(all, answerMoment(ctx, a))
			}
		}
	}
	for i := range s.Results {
		r := &s.Results[i]
		if r.Kind == models.ResultSale && r.Status != models.ResultConflict {
			continue // told above
		}
		m := resultMoment(ctx, r)
		if r.Status == models.ResultConflict && r.Amount != nil && *r.Amount != s.Sale.Amount {
			m.Facts = locale.T(ctx, "story.amounts", "Posted", ui.Money(*r.Amount), "Sale", ui.Money(s.Sale.Amount))
		}
		all = append(all, m)
	}
	sort.SliceStable(all, func(i, j int) bool {
		if all[i].at.Equal(all[j].at) {
			return all[i].rank < all[j].rank
		}
		return all[i].at.Before(all[j].at)
	})
	for i := 1; i < len(all); i++ {
		all[i].lapse = ui.Later(ctx, all[i-1].at, all[i].at)
	}
	return folded(ctx, v, onceEach(all))
}

// folded sums up inquiries that follow each other: all of them say the same, or nothing.
func folded(ctx context.Context, v *SaleDetailView, all []moment) []moment {
	var out []moment
	for len(all) > 0 {
		n := 1
		if all[0].inquires {
			for n < len(all) && all[n].inquires {
				n++
			}
		}
		out = append(out, sumUp(ctx, v, all[:n])...)
		all = all[n:]
	}
	return out
}

// sumUp is one step for several inquiries; the steps themselves for less.
func sumUp(ctx context.Context, v *SaleDetailView, steps []moment) []moment {
	var questions []moment
	var answers []string
	for _, m := range steps {
		if m.asked {
			questions = append(questions, m)
		}
		if m.standing != "" {
			answers = append(answers, m.standing)
		}
	}
	if len(questions) < 2 {
		return steps
	}
	key := "story.inquiriesSome"
	switch different := len(slices.Compact(slices.Sorted(slices.Values(answers)))); {
	case different == 0:
		key = "story.inquiriesSilent"
	case different == 1 && len(answers) >= len(questions):
		key = "story.inquiriesSame"
	default:
		answers = []string{""}
	}
	one := steps[0]
	one.Detail, one.Facts, one.who, one.entry, one.Folded = "", "", "", 0, steps
	one.Title = locale.T(ctx, key, "N", ui.Number(int64(len(questions))), "From", v.onDay(ctx, questions[0].at, ui.Clock),
		"To", v.onDay(ctx, steps[len(steps)-1].at, ui.Clock), "Standing", strings.ToLower(strings.Join(answers[:min(1, len(answers))], "")))
	return []moment{one}
}

// onceEach leaves out a cause that the step before has already named.
func onceEach(all []moment) []moment {
	for i := 1; i < len(all); i++ {
		if all[i].Detail == all[i-1].Detail || all[i].Detail == all[i-1].Title {
			all[i].Detail = ""
		}
	}
	return all
}

// titled are the causes that the title of the next step already names.
var titled = map[models.Detail]bool{models.DetailAccepted: true, models.DetailTooLate: true, models.DetailWithdrawn: true}

// reported are the causes that a provider's report proves.
var reported = map[models.Detail]bool{models.DetailReconciledCanceled: true, models.DetailReconciledNotCanceled: true}

func entryMoment(ctx context.Context, v *SaleDetailView, e *models.AuditEntry) moment {
	m := moment{
		at: e.At, rank: rankMove, icon: "circle-dot", tone: "plain",
		Title: words.ActionWord(ctx, e.Action), who: words.Who(ctx, e), entry: e.ID,
	}
	after := words.Object(e.After)
	if state, ok := after["state"].(string); ok && e.Action == models.ActionCancellationMoved && locale.Has("moved."+state) {
		m.Title = locale.T(ctx, "moved."+state)
		if state == string(models.Withdrawn) && e.ActorRole == models.SystemRole {
			m.Title = locale.T(ctx, "moved.notSent")
		}
		m.icon, m.tone = "arrow-right", state
		if icon := words.StateIcons[models.SaleState(state)]; icon != "" {
			m.icon = icon
		}
		if state == string(models.Sending) {
			m.rank = rankBegun
			if e.AttemptNumber != nil {
				m.Title = locale.T(ctx, "attempt.begun", "N", ui.Itoa(int64(*e.AttemptNumber)))
			}
		}
	}
	if detail, ok := after["detail"].(string); ok && !titled[models.Detail(detail)] {
		m.Detail = words.DetailWord(ctx, models.Detail(detail))
		if reported[models.Detail(detail)] {
			m.Detail += " " + words.ReasonText(ctx, v.Reasons, e.Reason) // the file and its line
		}
	}
	switch {
	case e.Outcome == models.OutcomeDenied:
		m.icon, m.tone = "ban", "denied"
		m.Title += " · " + words.OutcomeWord(ctx, e.Outcome)
		m.Detail = words.ReasonText(ctx, v.Reasons, e.Reason)
	case e.Action == models.ActionCancelRefused, e.Action == models.ActionResolutionRefused:
		m.icon, m.Detail = "ban", words.ReasonText(ctx, v.Reasons, e.Reason)
	case e.Action == models.ActionSaleCorrected:
		was, _ := words.Object(e.Before)["amount"].(float64)
		is, _ := after["amount"].(float64)
		m.icon, m.tone = "triangle-alert", "conflict"
		m.Detail = locale.T(ctx, "story.corrected", "Was", ui.Money(models.Money(was)), "Is", ui.Money(models.Money(is)))
	case e.Action == models.ActionCancellationConflict:
		m.icon, m.tone = "triangle-alert", "conflict"
		m.Detail = words.ReasonText(ctx, v.Reasons, e.Reason)
	case e.Action == models.ActionInquirySent:
		m.inquires, m.asked = true, e.Outcome == models.OutcomeSuccess
	case e.Action == models.ActionInquiryAnswered:
		m.inquires = true
	case e.Action == models.ActionCancellationRequested:
		m.icon, m.rank = "user-round", rankBegun
		m.Detail = words.ReasonText(ctx, v.Reasons, e.Reason)
		if _, of := words.Together(e); of > 1 {
			m.Facts = locale.T(ctx, "several.oneOf", "N", ui.Number(int64(of)))
		}
	}
	return m
}

func resultMoment(ctx context.Context, r *models.Result) moment {
	m := moment{
		at: r.ReceivedAt, rank: rankResult, icon: "smartphone-nfc", tone: "plain",
		Title: locale.T(ctx, "story.posted", "Kind", locale.T(ctx, "resultKind."+string(r.Kind))), inquires: r.Kind == models.ResultInquiry,
	}
	if m.inquires && r.Standing != "" {
		m.standing = ui.Maybe(ctx, "standing.", string(r.Standing))
	}
	m.Detail = words.ResultSays(ctx, r)
	if r.Status != models.ResultApplied {
		m.who = locale.T(ctx, "resultStatus."+string(r.Status))
	}
	return m
}

// onDay is an instant with its date, unless that is the sale's.
func (v *SaleDetailView) onDay(ctx context.Context, t time.Time, clock func(time.Time, *time.Location) string) string {
	if v.Window.Calendar.Day(t) == v.Detail.Sale.BusinessDay {
		return clock(t, v.Zone())
	}
	return ui.Date(ctx, t, v.Zone()) + ", " + clock(t, v.Zone())
}
