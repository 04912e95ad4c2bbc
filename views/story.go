package views

import "veinte/models"

// StoryView is everything known about one sale.
type StoryView struct {
	Page
	Story     models.SaleStory
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
	Errors   Errors
}

// live reports whether the story can change by itself.
func (v *StoryView) live() bool { return v.Story.Sale.State.Open() }

func (v *StoryView) shown() models.SaleState {
	return v.Story.Sale.Shown(v.Window, v.Now)
}

func (v *StoryView) mayWithdraw() bool {
	c := v.Story.Latest()
	return c != nil && c.State == models.Requested && v.Actor.May(models.CancelSales)
}

func (v *StoryView) mayInquire() bool {
	c := v.Story.Latest()
	return c != nil && v.Inquiries && v.Actor.May(models.VerifyCases) && c.State == models.Unknown
}

func (v *StoryView) maySettle() bool {
	c := v.Story.Latest()
	return c != nil && c.State == models.Unknown && v.Actor.May(models.SettleCases)
}

// conflict is what contradicts the latest case; "" when nothing does.
func (v *StoryView) conflict() models.Conflict {
	if c := v.Story.Latest(); c != nil {
		return c.Conflict
	}
	return ""
}
