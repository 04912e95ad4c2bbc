package sales

import (
	"context"

	"veinte/models"
	"veinte/views/locale"
	"veinte/views/ui"
	"veinte/views/words"
)

// refundFacts are what a devolución asks for.
func refundFacts(ctx context.Context, p ui.Page, s *models.Sale, store *models.Store) []ui.Fact {
	ticket := ""
	if s.TicketDate != nil {
		ticket = ui.Day(ctx, *s.TicketDate)
	}
	return ui.KnownFacts([]ui.Fact{
		{Label: locale.T(ctx, "sales.amount"), Value: ui.Money(s.Amount) + " " + models.Currency},
		{Label: locale.T(ctx, "sheet.ticketDate"), Value: ticket},
		{Label: timeLabel(ctx, s), Value: words.SaleTime(ctx, p, s, store)},
		{Label: locale.T(ctx, "sales.order"), Value: s.OrderID},
		{Label: locale.T(ctx, "sale.folio"), Value: s.Folio},
		{Label: locale.T(ctx, "sale.authCode"), Value: s.AuthCode},
		{Label: locale.T(ctx, "sales.card"), Value: words.CardText(s)},
		{Label: locale.T(ctx, "terminal.serial"), Value: string(s.SerialNumber)},
		{Label: locale.T(ctx, "terminal.merchantId"), Value: s.MerchantID},
		{Label: locale.T(ctx, "sales.store"), Value: store.Name},
	}...)
}
