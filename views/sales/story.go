package sales

import (
	"veinte/models"
	"veinte/models/cancellations"
	"veinte/views/ui"
)

// StoryView is everything known about one sale.
type StoryView struct {
	ui.Page
	Story     cancellations.SaleDetail
	Reasons   []models.Reason // retired ones too: old cases name them
	Inquiries bool            // the service has an operation to verify with
	Form      ResolutionForm
}

// ResolutionForm is how a person with evidence settles a doubt.
type ResolutionForm struct {
	Outcome  string // canceled or notCanceled
	AuthCode string
	Folio    string
	Note     string
	Errors   ui.Errors
}

// live reports whether the story can change while somebody looks at it: by
// itself while a case is open, by a colleague's click or the terminal's word
// while the sale is of today. Confirmed is final.
func (v *StoryView) live() bool {
	s := &v.Story.Sale
	return s.State.Open() || s.BusinessDay == v.Today() && s.State != models.SaleConfirmed
}

// keepsPlace reports whether the state is given the room that the next ones need,
// so that nothing below it moves when they come: while something is under way.
// The page that saw it end keeps the room, see live.js.
func (v *StoryView) keepsPlace() bool {
	c := v.Story.Latest()
	return c != nil && c.State.Open() && c.State != models.Unknown
}

func (v *StoryView) shown() models.SaleState {
	return v.Story.Sale.Shown(v.Window, v.Now)
}

func (v *StoryView) mayWithdraw() bool {
	c := v.Story.Latest()
	return c != nil && c.State == models.Requested && v.Actor.May(models.CancelSales)
}

func (v *StoryView) mayInquire() bool {
	c := v.Story.Latest()
	return c != nil && v.Inquiries && v.Actor.May(models.VerifyCancellations) && c.State == models.Unknown
}

// maySettle: a doubt ends by evidence of either kind.
func (v *StoryView) maySettle() bool {
	c := v.Story.Latest()
	return c != nil && c.State == models.Unknown && v.Actor.May(models.ResolveCancellations)
}

// mayConfirm: where there is no doubt, or not yet, a ticket in the hand still
// proves that the sale is canceled. Nothing was sent of a case that waits or
// was taken back, so there can be no ticket of it.
func (v *StoryView) mayConfirm() bool {
	c := v.Story.Latest()
	if c == nil || !v.Actor.Role.May(models.ResolveCancellations) {
		return false
	}
	switch c.State {
	case models.Sending, models.Accepted, models.Rejected, models.NotCanceled, models.Expired:
		return true
	}
	return false
}

// conflict is what contradicts the latest case; "" when nothing does.
func (v *StoryView) conflict() models.Conflict {
	if c := v.Story.Latest(); c != nil {
		return c.Conflict
	}
	return ""
}
