package words

import (
	"context"

	"veinte/models"
	"veinte/views/locale"
	"veinte/views/ui"
)

// StateIcons has an icon for every state, so that states are not distinguished by
// colour alone.
var StateIcons = map[models.SaleState]string{
	models.SaleCancelable:  "circle-dot",
	models.SaleSoon:        "timer",
	models.SaleRequested:   "clock",
	models.SaleSending:     "send",
	models.SaleAccepted:    "smartphone-nfc",
	models.SaleConfirmed:   "circle-check",
	models.SaleRejected:    "circle-x",
	models.SaleUnknown:     "circle-question-mark",
	models.SaleNotCanceled: "credit-card",
	models.SaleExpired:     "hourglass",
	models.SaleTooLate:     "lock",
}

// DisplayState is the state as people see it: near the cut-off a cancelable sale is "soon".
func DisplayState(s *models.Sale, p ui.Page) models.SaleState {
	return Near(s.Shown(p.Window, p.Now), s, &p)
}

func Near(shown models.SaleState, s *models.Sale, p *ui.Page) models.SaleState {
	if shown == models.SaleCancelable && p.Window.Closes(s).Sub(p.Now) <= models.SoonBefore {
		return models.SaleSoon
	}
	return shown
}

func StateWord(ctx context.Context, s models.SaleState) string {
	if s == models.SaleSoon {
		s = models.SaleCancelable // the countdown says the rest
	}
	return locale.T(ctx, "state."+string(s))
}

// CounterWord is a state as the list says it, at the counter: whether the customer is
// still charged, and not how far the request is. The page of a sale has the exact one.
func CounterWord(ctx context.Context, s models.SaleState) string {
	switch {
	case s.Underway():
		return locale.T(ctx, "state.underway")
	case s == models.SaleRejected, s == models.SaleExpired:
		return locale.T(ctx, "counter."+string(s))
	}
	return StateWord(ctx, s)
}

// Truth is what is known of a sale in a state, in a sentence.
func Truth(ctx context.Context, s models.SaleState, terminal string) string {
	return locale.T(ctx, "truth."+string(s), "Terminal", terminal)
}

// ReasonLabel is a reason in the reader's language; its code when it is unknown.
func ReasonLabel(ctx context.Context, reasons []models.Reason, code string) string {
	if code == models.ReasonOther {
		reasons = nil // its label asks for the note, which here stands beside it
	}
	for i := range reasons {
		if reasons[i].Code == code {
			return Label(ctx, &reasons[i])
		}
	}
	return ui.Maybe(ctx, "reason.", code)
}

func Label(ctx context.Context, r *models.Reason) string {
	if locale.Of(ctx) == "en" {
		return r.LabelEN
	}
	return r.LabelES
}
