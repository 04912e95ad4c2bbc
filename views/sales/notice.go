package sales

import (
	"context"
	"strings"
	"time"

	"veinte/models"
	"veinte/models/notices"
	"veinte/views/locale"
	"veinte/views/seal"
	"veinte/views/ui"
	"veinte/views/words"
)

// NoticeView is what the store hands to the customer of a sale.
type NoticeView struct {
	ui.Page
	Notice notices.Notice
	Seal   *seal.View // the last checkpoint; nil: none
}

// Asked says when the store asked for the cancellation; "" when it did not.
func (v *NoticeView) Asked(ctx context.Context) string {
	if v.Notice.RequestedAt == nil {
		return ""
	}
	return v.instant(ctx, *v.Notice.RequestedAt)
}

// instant is in full, with its zone: paper outlives the day.
func (v *NoticeView) instant(ctx context.Context, t time.Time) string {
	return ui.DateTime(ctx, t, v.Zone()) + ", " + ui.ZoneName(ctx, v.Zone().String())
}

// Known is what is known of the outcome, with since when.
func (v *NoticeView) Known(ctx context.Context) string {
	at := v.Notice.Since
	switch v.Notice.Status {
	case notices.Sent, notices.Doubt, notices.Waiting:
		at = v.Notice.RequestedAt // what matters of it is when it was asked for
	}
	if at == nil {
		at = &v.Now
	}
	words := locale.T(ctx, "slip."+string(v.Notice.Status), "Time", ui.Clock(*at, v.Zone()), "Day", ui.Date(ctx, *at, v.Zone()))
	if next := v.next(); next != "" {
		words += " " + locale.T(ctx, next)
	}
	return words
}

// next is what the customer of a sale that is still charged may ask for; of what
// is known to be canceled, is under way or in doubt, nothing.
func (v *NoticeView) next() string {
	switch v.Notice.Status {
	case notices.Rejected, notices.Charged, notices.NotSent:
		if !v.Notice.Closed {
			return "slipNext.again"
		}
	case notices.TooLate, notices.Withdrawn, notices.NotRequested:
		if !v.Notice.Closed {
			return ""
		}
	default:
		return ""
	}
	return "slipNext.refund"
}

// facts are the data by which the customer and the store know the sale.
func (v *NoticeView) facts(ctx context.Context) []ui.Fact {
	s := &v.Notice.Sale
	return ui.KnownFacts([]ui.Fact{
		{Label: locale.T(ctx, "sales.store"), Value: v.Notice.Store.Name},
		{Label: locale.T(ctx, "sales.amount"), Value: ui.Money(s.Amount) + " " + models.Currency},
		{Label: locale.T(ctx, "slip.soldAt"), Value: words.SaleTime(ctx, v.Page, s, &v.Notice.Store)},
		{Label: locale.T(ctx, "sales.order"), Value: s.OrderID},
		{Label: locale.T(ctx, "sales.card"), Value: words.CardText(s)},
		{Label: locale.T(ctx, "sales.terminal"), Value: ui.TerminalName(v.Notice.Terminal.Label, s.SerialNumber)},
		{Label: locale.T(ctx, "terminal.serial"), Value: string(s.SerialNumber)},
		{Label: locale.T(ctx, "slip.asked"), Value: v.Asked(ctx)},
	}...)
}

// Text is the customer notice as a message that can be sent.
func (v *NoticeView) Text(ctx context.Context) string {
	var b strings.Builder
	line := func(words string) { b.WriteString(words + "\n") }
	line(locale.T(ctx, "slip.title"))
	line("")
	line(locale.T(ctx, "slipHead."+string(v.Notice.Status)) + ". " + v.Known(ctx))
	line("")
	for _, f := range v.facts(ctx) {
		line(f.Label + ": " + f.Value)
	}
	line("")
	line(v.AsOf(ctx))
	b.WriteString(locale.T(ctx, "slip.noReceipt"))
	return b.String()
}

func noticeURL(saleID int64) string { return "/sales/" + ui.Itoa(saleID) + "/slip" }

// AsOf states the time of the notice, and that its status may change if more may
// follow.
func (v *NoticeView) AsOf(ctx context.Context) string {
	key := "slip.asOf"
	if v.Notice.Status == notices.Canceled {
		key = "slip.asOfEnd"
	}
	return locale.T(ctx, key, "When", ui.PrintedAt(ctx, v.Page))
}
