package sales

import (
	"context"
	"time"

	"github.com/a-h/templ"

	"veinte/models"
	"veinte/models/rules"
	"veinte/views/locale"
	"veinte/views/ui"
)

// SheetView is the confirmation of a cancellation: what will be canceled, on
// which terminal, and why. When it cannot be, Refusal says so.
type SheetView struct {
	ui.Page
	Sale     models.Sale
	Store    models.Store
	Terminal models.Terminal
	Reasons  []models.Reason // those in use, in their order
	Rules    rules.Rules     // say what the receipt starts with
	Form     CancelForm
	// Refusal is the catalogue key of why this sale cannot be canceled now:
	// error.tooLate, error.caseOpen, error.saleState, error.needsSupervisor…
	// "" when it can.
	Refusal string
	// Latest is the sale's latest cancellation; nil when there is none.
	Latest *models.Cancellation
	// Other is the other sale of the same charge, when that is why; otherwise nil.
	Other *OtherSale
}

// OtherSale is a second row of one charge, with where it was made.
type OtherSale struct {
	Sale     models.Sale
	Store    models.Store
	Terminal models.Terminal
}

// CancelForm is what the person has entered so far.
type CancelForm struct {
	Click   string // drawn with the sheet: the same click is the same case
	Reason  string
	Note    string
	Receipt bool // true: the terminal prints a receipt
	// TicketDate is the date on the ticket, as it was typed; asked for only where nobody
	// can prove the day of the sale.
	TicketDate string
	Errors     ui.Errors
	// AmountChanged is true when the form came back because an amount is another than
	// the one that was seen; nothing was requested.
	AmountChanged bool
	// Seen is the amount that a sheet showed then; nil when it named none.
	Seen *models.Money
}

// closes is when the sheet closes by itself. Of a sale whose ticket's date is to be
// corrected it is the cut-off of the day on which it was posted.
func (v *SheetView) closes() time.Time {
	posted := v.posted()
	return v.Window.Closes(&posted)
}

// cutoff is the hour that people know, before which it closes by the margin: which second
// that is counts in the last minute only.
func (v *SheetView) cutoff() time.Time {
	posted := v.posted()
	return v.Window.Cutoff(&posted)
}

func (v *SheetView) posted() models.Sale {
	posted := v.Sale
	posted.TicketDate = nil
	return posted
}

// lacks are the words for what a form may lack, which a script says on the sheet itself.
func lacks(ctx context.Context) templ.Attributes {
	return templ.Attributes{"data-lacks-reason": locale.T(ctx, "reason.required"), "data-lacks-note": locale.T(ctx, "note.required")}
}

// untouched reports whether the form is as it was first drawn: nothing was refused.
func (f *CancelForm) untouched() bool { return len(f.Errors) == 0 && !f.AmountChanged }

// amountChange says what changed, and what to do.
func (v *SheetView) amountChange(ctx context.Context) string {
	now := ui.Money(v.Sale.Amount)
	if v.Form.Seen == nil || *v.Form.Seen == v.Sale.Amount {
		return locale.T(ctx, "sheet.amountIs", "Now", now)
	}
	return locale.T(ctx, "sheet.amountWas", "Seen", ui.Money(*v.Form.Seen), "Now", now)
}

// needsNote reports whether the chosen reason was refused for lacking a note,
// or would be.
func (v *SheetView) needsNote() bool {
	return v.Form.Reason == models.ReasonOther || v.Form.Errors["note"] == "note.required"
}

// startsWith is what the receipt starts with for a reason, as a script reads it.
func (v *SheetView) startsWith(reason string) string {
	if v.Rules.Receipt(v.Sale.StoreID, reason) {
		return "on"
	}
	return "off"
}

// decided reports whether somebody wants the receipt otherwise than it started.
func (v *SheetView) decided() bool { return (v.startsWith(v.Form.Reason) == "on") != v.Form.Receipt }

// receiptOf says in words what the receipt starts with for a reason that has its
// own rule: without scripts choosing the reason cannot change the box.
func (v *SheetView) receiptOf(ctx context.Context, reason string) string {
	print, own := v.Rules.ReasonReceipts[reason]
	switch {
	case !own:
		return ""
	case print:
		return locale.T(ctx, "sheet.startsPrint")
	}
	return locale.T(ctx, "sheet.startsOmit")
}

// oneStore reports whether the reader works in one store, whose name then says
// nothing to them.
func (v *SheetView) oneStore() bool {
	return !v.Actor.AllStores && len(v.Actor.StoreIDs) == 1
}

// refusal says why the sale cannot be canceled now: who was there before the reader,
// where somebody was.
func (v *SheetView) refusal(ctx context.Context) string {
	c := v.Latest
	if c == nil || c.Origin != models.FromPerson || (v.Refusal != models.ErrCancellationOpen.Code && v.Refusal != "error.saleState") {
		return locale.T(ctx, v.Refusal)
	}
	key := ""
	switch {
	case c.State == models.Confirmed:
		key = "sheet.canceledBy"
	case c.State.Open():
		key = "sheet.requestedBy"
	default:
		return locale.T(ctx, v.Refusal)
	}
	if c.Requester == v.Actor.Name {
		key += "You"
	}
	return locale.T(ctx, key, "Name", c.Requester, "Time", ui.Clock(c.RequestedAt, v.Zone()))
}

// terminalOf names a terminal as people and its sticker do.
func terminalOf(ctx context.Context, t *models.Terminal) string {
	return ui.TerminalName(t.Label, t.SerialNumber) + " · " + locale.T(ctx, "terminal.serialShort") + " " + string(t.SerialNumber)
}

// timeLabel names the time of a sale: when it was made, or when it came where nobody can
// prove that.
func timeLabel(ctx context.Context, s *models.Sale) string {
	if s.DayUnproven {
		return locale.T(ctx, "sale.received")
	}
	return locale.T(ctx, "sales.time")
}

// MayCancel reports whether the user may request a sale's cancellation now. The
// list, the detail page and the sheet all use it, so they agree.
func MayCancel(actor models.Actor, s *models.Sale, w models.Window, now time.Time) bool {
	if !actor.May(models.CancelSales) || !s.State.Requestable() || !w.Open(s, now) {
		return false
	}
	return s.State != models.SaleNotCanceled || actor.May(models.OverrideNegatives)
}

// paused reports whether a pause is why the reader may not ask for what they could
// ask for otherwise. Lists and stories offer nothing then that would be refused.
func paused(p ui.Page, s *models.Sale) bool {
	return p.Notices.Pause != nil && MayCancel(p.Actor, s, p.Window, p.Now)
}
