package sales

import (
	"context"
	"strings"
	"time"

	"veinte/models"
	"veinte/models/cancellations"
	"veinte/views/locale"
	"veinte/views/ui"
	"veinte/views/words"
)

// SlipView is what the store hands to the customer of a sale.
type SlipView struct {
	ui.Page
	Slip cancellations.CustomerNotice
}

// Asked says when the store asked for the cancellation; "" when it did not.
func (v *SlipView) Asked(ctx context.Context) string {
	if v.Slip.AskedAt == nil {
		return ""
	}
	return v.instant(ctx, *v.Slip.AskedAt)
}

// instant is in full, with its zone: paper outlives the day.
func (v *SlipView) instant(ctx context.Context, t time.Time) string {
	return ui.DateTime(ctx, t, v.Zone()) + ", " + ui.ZoneName(ctx, v.Zone().String())
}

// Known is what is known of the outcome, with since when.
func (v *SlipView) Known(ctx context.Context) string {
	at := v.Slip.Since
	if v.Slip.Told == cancellations.NoticeSent || v.Slip.Told == cancellations.NoticeDoubt || v.Slip.Told == cancellations.NoticeWaiting {
		at = v.Slip.AskedAt // what matters of it is when it was asked for
	}
	if at == nil {
		at = &v.Now
	}
	words := locale.T(ctx, "slip."+string(v.Slip.Told), "Time", ui.Clock(*at, v.Zone()), "Day", ui.Date(ctx, *at, v.Zone()))
	if next := v.next(); next != "" {
		words += " " + locale.T(ctx, next)
	}
	return words
}

// next is what the customer of a sale that is still charged may ask for; of what
// is known to be canceled, is under way or in doubt, nothing.
func (v *SlipView) next() string {
	switch v.Slip.Told {
	case cancellations.NoticeRejected, cancellations.NoticeCharged, cancellations.NoticeNotSent:
		if !v.Slip.Closed {
			return "slipNext.again"
		}
	case cancellations.NoticeTooLate, cancellations.NoticeWithdrawn, cancellations.NoticeNotRequested:
		if !v.Slip.Closed {
			return ""
		}
	default:
		return ""
	}
	return "slipNext.refund"
}

// facts are the data by which the customer and the store know the sale.
func (v *SlipView) facts(ctx context.Context) []ui.Fact {
	s := &v.Slip.Sale
	return ui.KnownFacts([]ui.Fact{
		{Label: locale.T(ctx, "sales.store"), Value: v.Slip.Store.Name},
		{Label: locale.T(ctx, "sales.amount"), Value: ui.Money(s.Amount) + " " + models.Currency},
		{Label: locale.T(ctx, "slip.soldAt"), Value: words.SaleTime(ctx, v.Page, s, &v.Slip.Store)},
		{Label: locale.T(ctx, "sales.order"), Value: s.OrderID},
		{Label: locale.T(ctx, "sales.card"), Value: words.CardText(s)},
		{Label: locale.T(ctx, "sales.terminal"), Value: ui.TerminalName(v.Slip.Terminal.Label, s.SerialNumber)},
		{Label: locale.T(ctx, "terminal.serial"), Value: string(s.SerialNumber)},
		{Label: locale.T(ctx, "slip.asked"), Value: v.Asked(ctx)},
	}...)
}

// Text is the customer notice as a message that can be sent.
func (v *SlipView) Text(ctx context.Context) string {
	var b strings.Builder
	line := func(words string) { b.WriteString(words + "\n") }
	line(locale.T(ctx, "slip.title"))
	line("")
	line(locale.T(ctx, "slipHead."+string(v.Slip.Told)) + ". " + v.Known(ctx))
	line("")
	for _, f := range v.facts(ctx) {
		line(f.Label + ": " + f.Value)
	}
	line("")
	line(v.AsOf(ctx))
	b.WriteString(locale.T(ctx, "slip.noReceipt"))
	return b.String()
}

func slipURL(saleID int64) string { return "/sales/" + ui.Itoa(saleID) + "/slip" }

// AsOf states the time of the notice, and that its status may change if more may
// follow.
func (v *SlipView) AsOf(ctx context.Context) string {
	key := "slip.asOf"
	if v.Slip.Told == cancellations.NoticeCanceled {
		key = "slip.asOfEnd"
	}
	return locale.T(ctx, key, "When", ui.PrintedAt(ctx, v.Page))
}
