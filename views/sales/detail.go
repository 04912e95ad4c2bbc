package sales

import (
	"veinte/models"
	"veinte/models/audit/compare"
	"veinte/models/cancellations"
	"veinte/models/sales"
	"veinte/views/ui"
)

// SaleDetailView is everything known about one sale.
type SaleDetailView struct {
	ui.Page
	Detail    cancellations.SaleDetail
	Wait      *sales.Wait     // what its request waits for; nil when it waits for nothing
	Reasons   []models.Reason // retired ones too: old cases name them
	List      string          // the filter of the list that it was found in, as a query
	Inquiries bool            // the service has an operation to verify with
	Form      ResolutionForm
	// Differences are in what it was not as the trail recorded it when that was last compared.
	Differences []compare.Difference
}

// ResolutionForm is the form with which a user resolves a doubt with evidence.
type ResolutionForm struct {
	Outcome  string // canceled or notCanceled
	AuthCode string
	Folio    string
	Note     string
	Errors   ui.Errors
}

// mayChange reports whether the detail page can change while it is open: by itself while
// a cancellation is open, and by a colleague's click or the terminal's result while
// the sale is of today. Confirmed is final.
func (v *SaleDetailView) mayChange() bool {
	s := &v.Detail.Sale
	return s.State.Open() || s.BusinessDay == v.Today() && s.State != models.SaleConfirmed
}

// keepsPlace reports whether the state is given the room that the next ones need,
// so that nothing below it moves when they come: while something is under way.
// The page that saw it end keeps the room, see live.js.
func (v *SaleDetailView) keepsPlace() bool {
	c := v.Detail.Latest()
	return c != nil && c.State.Open() && c.State != models.Unknown
}

func (v *SaleDetailView) shown() models.SaleState {
	return v.Detail.Sale.Shown(v.Window, v.Now)
}

// mayCorrectDate reports whether the reader may correct the date of the ticket, which
// keeps the sale from being canceled.
func (v *SaleDetailView) mayCorrectDate() bool {
	posted := v.Detail.Sale
	posted.TicketDate = nil
	return v.Detail.Sale.OfAnotherDay() && v.Actor.May(models.OverrideNegatives) && MayCancel(v.Actor, &posted, v.Window, v.Now)
}

func (v *SaleDetailView) mayWithdraw() bool {
	c := v.Detail.Latest()
	return c != nil && c.State == models.Requested && v.Actor.May(models.CancelSales)
}

func (v *SaleDetailView) mayInquire() bool {
	c := v.Detail.Latest()
	return c != nil && v.Inquiries && v.Actor.May(models.VerifyCancellations) && c.State == models.Unknown
}

// mayResolve: a doubt ends by evidence of either kind.
func (v *SaleDetailView) mayResolve() bool {
	c := v.Detail.Latest()
	return c != nil && c.State == models.Unknown && v.Actor.May(models.ResolveCancellations)
}

// mayConfirm reports whether a ticket may still prove that the sale is canceled,
// even without a doubt. Nothing was sent of a cancellation that waits or was
// withdrawn, so it can have no ticket.
func (v *SaleDetailView) mayConfirm() bool {
	c := v.Detail.Latest()
	if c == nil || !v.Actor.Role.May(models.ResolveCancellations) {
		return false
	}
	switch c.State {
	case models.Sending, models.Accepted, models.Rejected, models.NotCanceled, models.Expired:
		return true
	}
	return false
}

// conflict is what contradicts the latest cancellation; "" when nothing does.
func (v *SaleDetailView) conflict() models.Conflict {
	if c := v.Detail.Latest(); c != nil {
		return c.Conflict
	}
	return ""
}

// sentLate reports whether the terminal may still act on a request that left late. Until
// somebody has looked, neither another request nor a refund is safe.
func (v *SaleDetailView) sentLate() bool {
	return v.conflict() == models.ConflictSentLate && v.Detail.Latest().ReviewedAt == nil
}
