package sales

import (
	"context"
	"time"

	"veinte/models"
	"veinte/models/cancellations"
	"veinte/views/locale"
	"veinte/views/ui"
	"veinte/views/words"
)

// listURL leads back to the list where the sale stands.
func (v *StoryView) listURL() string {
	if v.Story.Sale.BusinessDay == v.Today() {
		return "/sales"
	}
	return "/sales?date=" + string(v.Story.Sale.BusinessDay)
}

func (v *StoryView) closes() string {
	return v.Window.Closes(&v.Story.Sale).UTC().Format(time.RFC3339Nano)
}

// byWhom says who is canceling it, or asked for it where nobody knows what came
// of that.
func (v *StoryView) byWhom(ctx context.Context, c *cancellations.CancellationDetail) string {
	key := "story.by"
	if c.State == models.Unknown {
		key = "story.asked"
	}
	return locale.T(ctx, key, "Name", c.Requester, "Time", ui.Clock(c.RequestedAt, v.Zone()))
}

// why is what led to the state, where the state alone leaves the question open.
func (v *StoryView) why(ctx context.Context) string {
	c := v.Story.Latest()
	if c == nil {
		return ""
	}
	switch c.State {
	case models.Rejected, models.Unknown, models.Requested:
		return words.DetailWord(ctx, c.Detail)
	case models.Withdrawn:
		// Not a person's second thought: it could not be sent.
		if c.Detail != models.DetailWithdrawn {
			return locale.T(ctx, "truth.notSent") + " " + words.DetailWord(ctx, c.Detail)
		}
	}
	return ""
}

// Next is the one thing to do now. It never proposes a second cancellation
// while the first may still happen.
func (v *StoryView) Next(ctx context.Context) string {
	state := v.shown()
	if state == models.SaleConfirmed && v.conflict() != "" {
		return locale.T(ctx, "conflict.next")
	}
	if paused(v.Page, &v.Story.Sale) {
		return locale.T(ctx, "next.paused")
	}
	if state.Requestable() && state != models.SaleCancelable {
		if MayCancel(v.Actor, &v.Story.Sale, v.Window, v.Now) {
			return locale.T(ctx, "next.again")
		}
		if !v.refundNext() {
			return locale.T(ctx, "next.askSupervisor")
		}
	}
	if v.refundNext() {
		return locale.T(ctx, "refund.next")
	}
	return locale.T(ctx, "next."+string(words.Look(&v.Story.Sale, v.Page)))
}

// refundNext reports whether only a devolución is left for this sale.
func (v *StoryView) refundNext() bool {
	switch v.shown() {
	case models.SaleTooLate, models.SaleExpired, models.SaleRejected, models.SaleNotCanceled:
		return !v.Window.Open(&v.Story.Sale, v.Now)
	}
	return false
}

// verification says when the doubt is verified by itself, or that this is over.
func (v *StoryView) verification(ctx context.Context) string {
	c := v.Story.Latest()
	switch {
	case c == nil || !v.Inquiries || c.State != models.Unknown:
		return ""
	case c.NextInquiry.IsZero():
		return locale.T(ctx, "story.inquiriesOver", "N", c.Tries)
	case v.Now.Before(c.NextInquiry):
		return locale.T(ctx, "story.nextInquiry", "Time", ui.ClockSeconds(c.NextInquiry, v.Zone()), "N", c.Tries+1)
	}
	return locale.T(ctx, "story.nextNow", "N", c.Tries+1)
}

func (v *StoryView) cancelKey() string {
	if v.Story.Sale.State == models.SaleCancelable {
		return "sales.cancel"
	}
	return "story.again"
}
