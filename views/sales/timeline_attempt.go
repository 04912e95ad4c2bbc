package sales

import (
	"context"
	"strconv"
	"strings"
	"time"

	"veinte/models"
	"veinte/models/cancellations"
	"veinte/views/locale"
	"veinte/views/ui"
	"veinte/views/words"
)

// answered finds the attempt whose answer led to a move: both are written in
// one transaction with one instant, and name the same cause.
func answered(s *cancellations.SaleDetail, e *models.AuditEntry) *models.Attempt {
	if e.Action != models.ActionCancellationMoved || e.AttemptNumber == nil {
		return nil
	}
	detail, _ := words.Object(e.After)["detail"].(string)
	for i := range s.Cancellations {
		c := &s.Cancellations[i]
		if e.CancellationID != nil && *e.CancellationID != c.ID {
			continue
		}
		for j := range c.AttemptList {
			a := &c.AttemptList[j]
			if a.Number == *e.AttemptNumber && a.FinishedAt != nil && a.FinishedAt.Equal(e.At) && string(a.Detail) == detail {
				return a
			}
		}
	}
	return nil
}

// addAnswer puts what the service answered into the step it led to.
func (m *moment) addAnswer(ctx context.Context, a *models.Attempt) {
	m.Facts = locale.T(ctx, "audit.attempt", "N", ui.Itoa(int64(a.Number)))
	if facts := answerFacts(ctx, a); facts != "" {
		m.Facts += ": " + facts
	}
}

// answerMoment is an answer that moved nothing, because a result was faster.
func answerMoment(ctx context.Context, a *models.Attempt) moment {
	m := moment{
		at: answeredAt(a), rank: rankAnswer, icon: "inbox", tone: string(a.Meaning),
		Title: locale.T(ctx, "meaning."+string(a.Meaning), "N", ui.Itoa(int64(a.Number))),
		Facts: answerFacts(ctx, a),
	}
	if a.Meaning != models.MeaningAccepted {
		m.Detail = words.DetailWord(ctx, a.Detail)
	}
	return m
}

// answeredAt is when the answer came. It was written a little later, perhaps
// after a result that it had led to.
func answeredAt(a *models.Attempt) time.Time {
	at := a.StartedAt.Add(time.Duration(a.DurationMS) * time.Millisecond)
	if a.Meaning == models.MeaningUnknown || at.After(*a.FinishedAt) {
		return *a.FinishedAt
	}
	return at
}

// answerFacts are the answer's numbers, each with its name: HTTP 200 · código
// 00 · menos de 0.1 s.
func answerFacts(ctx context.Context, a *models.Attempt) string {
	var facts []string
	if a.HTTPStatus != 0 {
		facts = append(facts, "HTTP "+strconv.Itoa(a.HTTPStatus))
	}
	if a.Code != "" {
		facts = append(facts, locale.T(ctx, "attempt.code", "Code", a.Code))
	}
	switch {
	case a.Detail == models.DetailInterrupted:
		// Nobody waited to the end, so there is no time to tell.
	case a.DurationMS < 100:
		facts = append(facts, locale.T(ctx, "attempt.tookLittle"))
	default:
		facts = append(facts, locale.T(ctx, "attempt.took", "S", strconv.FormatFloat(float64(a.DurationMS)/1000, 'f', 1, 64)))
	}
	return strings.Join(facts, " · ")
}
