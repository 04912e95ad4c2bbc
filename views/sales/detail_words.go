package sales

import (
	"context"
	"time"

	"veinte/models"
	"veinte/models/audit/compare"
	"veinte/models/cancellations"
	"veinte/models/evidence"
	"veinte/models/sales"
	"veinte/views/locale"
	"veinte/views/ui"
	"veinte/views/words"
)

// listURL leads back to the list where the sale was found, and to its row.
func (v *SaleDetailView) listURL() string {
	to := "/sales"
	if v.List != "" {
		to += "?" + v.List
	}
	return to + "#sale-" + ui.Itoa(v.Detail.Sale.ID)
}

// others leads to the other sales of the terminal, of the same day.
func (v *SaleDetailView) others() string {
	f := sales.Filter{TerminalID: v.Detail.Sale.TerminalID}
	if v.Detail.Sale.BusinessDay != v.Today() {
		f.Day = v.Detail.Sale.BusinessDay
	}
	return "/sales?" + f.Encode()
}

// ended reports whether the sale is canceled and nothing contradicts it.
func (v *SaleDetailView) ended() bool {
	return v.shown() == models.SaleConfirmed && v.conflict() == "" && !v.acknowledged()
}

// mayBeWrong reports whether the sale is canceled by the word of a person, to a reader who
// may settle it: what they can do is said where nothing offers to take it back.
func (v *SaleDetailView) mayBeWrong() bool {
	c := v.Detail.Latest()
	return c != nil && v.ended() && words.Decided[c.Detail] && v.Actor.Role.May(models.ResolveCancellations)
}

// paper is what the customer is handed after a cancellation of today: a terminal prints a
// receipt where one was asked for, and does not say whether it came out.
func (v *SaleDetailView) paper(ctx context.Context) string {
	c := v.Detail.Latest()
	switch {
	case c == nil || !v.ended() || words.Decided[c.Detail] || v.Detail.Sale.BusinessDay != v.Today() || !v.Actor.May(models.CancelSales):
		return ""
	case c.OmitReceipt:
		return locale.T(ctx, "story.noPaper")
	}
	return locale.T(ctx, "story.paper", "Terminal", v.terminal())
}

// framed is the page as its frame shows it. That a request was taken is said on the
// panel of its state, which changes: above the page it would stay and be true no more.
func (v *SaleDetailView) framed() ui.Page {
	p := v.Page
	if v.taken() {
		p.Flash = nil
	}
	return p
}

// taken reports whether the reader has just asked for the cancellation.
func (v *SaleDetailView) taken() bool { return v.Flash != nil && v.Flash.Code == "flash.requested" }

func (v *SaleDetailView) closes() string {
	return v.Window.Closes(&v.Detail.Sale).UTC().Format(time.RFC3339Nano)
}

// byWhom says who is canceling it, or asked for it where nobody knows what came
// of that.
func (v *SaleDetailView) byWhom(ctx context.Context, c *cancellations.CancellationDetail) string {
	key := "story.by"
	if c.State == models.Unknown {
		key = "story.asked"
	}
	return locale.T(ctx, key, "Name", c.Requester, "Time", ui.Clock(c.RequestedAt, v.Zone()))
}

// askedAndAnswered says of a cancellation that ended who asked for it, and by what it
// ended: what somebody who oversees opens the page for.
func (v *SaleDetailView) askedAndAnswered(ctx context.Context, c *cancellations.CancellationDetail) string {
	text := locale.T(ctx, "story.askedBy", "Name", c.Requester, "At", v.at(ctx, c.RequestedAt))
	if by := words.Decision(v.Detail.Entries, &c.Cancellation); by != nil {
		return text + " " + words.DecidedBy(ctx, by, v.at(ctx, by.At))
	}
	if r := words.LastAnswer(v.Detail.Results, c.ID); r != nil {
		return text + " " + words.Answer(ctx, r, v.at(ctx, r.ReceivedAt))
	}
	return text
}

// at is when something was, on the page of the sale.
func (v *SaleDetailView) at(ctx context.Context, t time.Time) string {
	return ui.At(ctx, v.Page, t, v.Detail.Sale.BusinessDay)
}

// handledBy says who handled what contradicts it, when, and what they found.
func (v *SaleDetailView) handledBy(ctx context.Context) string {
	c := v.Detail.Latest()
	if e := words.Handled(v.Detail.Entries, &c.Cancellation); e != nil {
		return words.HandledBy(ctx, e, v.at(ctx, e.At))
	}
	return ""
}

// charged says how often the terminal stated that the sale is still charged; "" when it
// did not. Whoever settles it as canceled does so knowing that.
func (v *SaleDetailView) charged(ctx context.Context) string {
	n, last := words.Charged(v.Detail.Results, v.Detail.Latest().ID)
	if n == 0 {
		return ""
	}
	says := ui.CountOf(ctx, "resolution.charged", n, "At", v.at(ctx, last))
	if a := words.LastAnswer(v.Detail.Results, v.Detail.Latest().ID); a != nil && a.Note == string(evidence.WhyTooEarly) {
		says += " " + locale.T(ctx, "resultNote."+a.Note)
	}
	return says
}

// why is what led to the state, where the state alone leaves the question open.
func (v *SaleDetailView) why(ctx context.Context) string {
	c := v.Detail.Latest()
	if c == nil {
		return ""
	}
	switch c.State {
	case models.Rejected, models.Unknown, models.Requested:
		return words.DetailWord(ctx, c.Detail)
	case models.Confirmed:
		if v.acknowledged() {
			return words.DetailWord(ctx, c.Detail)
		}
	case models.Withdrawn:
		// Not a person's second thought: it could not be sent.
		if c.Detail != models.DetailWithdrawn {
			return locale.T(ctx, "truth.notSent") + " " + words.DetailWord(ctx, c.Detail)
		}
	}
	return ""
}

// acknowledged reports whether the sale counts as canceled by the service's answer
// alone, which is the merchant's setting and no evidence.
func (v *SaleDetailView) acknowledged() bool {
	c := v.Detail.Latest()
	return c != nil && c.State == models.Confirmed && c.Detail == models.DetailAckMeansCanceled
}

// truth is what is known of the sale.
func (v *SaleDetailView) truth(ctx context.Context) string {
	if v.acknowledged() {
		return locale.T(ctx, "truth.acknowledged")
	}
	if c := v.Detail.Latest(); c != nil && c.State == models.Confirmed && words.Decided[c.Detail] {
		return locale.T(ctx, "truth.decided")
	}
	if v.sentLate() && v.shown() != models.SaleConfirmed {
		return locale.T(ctx, "truth.unknown")
	}
	if v.shown() == models.SaleTooLate && v.Detail.Sale.BusinessDay < v.Today() {
		return locale.T(ctx, "truth.anotherDay", "Time", ui.Clock(v.Detail.Sale.CutoffAt, v.Zone()))
	}
	return words.Truth(ctx, v.shown(), v.terminal())
}

// terminal is what people call the sale's terminal.
func (v *SaleDetailView) terminal() string {
	return ui.TerminalName(v.Detail.Terminal.Label, v.Detail.Terminal.SerialNumber)
}

// whichTerminal names the one to look at, which may have the name of another.
func (v *SaleDetailView) whichTerminal(ctx context.Context) string {
	key, t := "story.whichTerminal", &v.Detail.Terminal
	if t.Label == "" {
		key = "story.whichSerial"
	}
	return locale.T(ctx, key, "Label", t.Label, "Serial", string(t.SerialNumber), "Store", v.Detail.Store.Name)
}

// Next is the one thing to do now. It never proposes a second cancellation
// while the first may still happen.
func (v *SaleDetailView) Next(ctx context.Context) string {
	state := v.shown()
	if v.sentLate() || state == models.SaleConfirmed && v.conflict() != "" {
		if v.Detail.Latest().ReviewedAt != nil {
			return locale.T(ctx, "next.handled")
		}
		return locale.T(ctx, "conflict.next")
	}
	if v.acknowledged() {
		if v.Detail.Latest().OmitReceipt {
			return locale.T(ctx, "next.acknowledgedNoReceipt")
		}
		return locale.T(ctx, "next.acknowledged")
	}
	if paused(v.Page, &v.Detail.Sale) {
		return locale.T(ctx, "next.paused")
	}
	if state.Requestable() && state != models.SaleCancelable {
		if MayCancel(v.Actor, &v.Detail.Sale, v.Window, v.Now) {
			return locale.T(ctx, "next.again")
		}
		if !v.refundNext() {
			return locale.T(ctx, "next.askSupervisor")
		}
	}
	if v.refundNext() {
		return locale.T(ctx, "refund.next")
	}
	return locale.T(ctx, "next."+string(words.DisplayState(&v.Detail.Sale, v.Page)))
}

// refundNext reports whether only a devolución is left for this sale.
func (v *SaleDetailView) refundNext() bool {
	switch v.shown() {
	case models.SaleTooLate, models.SaleExpired, models.SaleRejected, models.SaleNotCanceled:
		return !v.Window.Open(&v.Detail.Sale, v.Now)
	}
	return false
}

// verification says when the doubt is verified by itself, or that this is over.
func (v *SaleDetailView) verification(ctx context.Context) string {
	c := v.Detail.Latest()
	switch {
	case c == nil || !v.Inquiries || c.State != models.Unknown:
		return ""
	case c.NextInquiry.IsZero() && c.Tries == 0:
		return ""
	case c.NextInquiry.IsZero():
		return locale.T(ctx, "story.inquiriesOver", "N", c.Tries)
	case v.Now.Before(c.NextInquiry):
		return locale.T(ctx, "story.nextInquiry", "Time", ui.ClockSeconds(c.NextInquiry, v.Zone()), "N", c.Tries+1)
	}
	return locale.T(ctx, "story.nextNow", "N", c.Tries+1)
}

func (v *SaleDetailView) cancelKey() string {
	if v.Detail.Sale.State == models.SaleCancelable {
		return "sales.cancel"
	}
	return "story.again"
}

func mayReadEntries(p ui.Page) bool { return p.Actor.May(models.ReadAudit) }

// differenceWords says a difference in a sentence.
func differenceWords(ctx context.Context, d *compare.Difference) string {
	return locale.T(ctx, "compare."+string(d.Kind), "What", words.TableRow(ctx, d.Table, d.Row), "Field", differenceField(ctx, d),
		"Recorded", differenceValue(ctx, d, d.Recorded), "Found", differenceValue(ctx, d, d.Found))
}

func differenceField(ctx context.Context, d *compare.Difference) string {
	if key := "compareField." + d.Field; locale.Has(key) {
		return locale.T(ctx, key)
	}
	return d.Field
}

// differenceValue writes a value as pages do.
func differenceValue(ctx context.Context, d *compare.Difference, value string) string {
	switch {
	case value == "":
		return locale.T(ctx, "compare.nothing")
	case d.Field == "amount":
		if m, err := models.ParseMoney(value); err == nil {
			return ui.Money(m)
		}
	case d.Field == "state" && locale.Has("state."+value):
		return words.StateWord(ctx, models.SaleState(value))
	case d.Field == "role" && locale.Has("role."+value):
		return ui.RoleWord(ctx, models.Role(value))
	case value == "true" || value == "false":
		return locale.T(ctx, "compare."+value)
	}
	return value
}
