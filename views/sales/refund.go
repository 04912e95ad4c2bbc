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
	facts := []ui.Fact{
		{locale.T(ctx, "sales.amount"), ui.Money(s.Amount) + " " + models.Currency},
		{locale.T(ctx, "sales.time"), words.SaleTime(ctx, p, s, store)},
		{locale.T(ctx, "sales.order"), s.OrderID},
		{locale.T(ctx, "sale.folio"), s.Folio},
		{locale.T(ctx, "sale.authCode"), s.AuthCode},
		{locale.T(ctx, "sales.card"), words.CardText(s)},
		{locale.T(ctx, "terminal.serial"), string(s.SerialNumber)},
		{locale.T(ctx, "terminal.merchantId"), s.MerchantID},
		{locale.T(ctx, "sales.store"), store.Name},
	}
	some := facts[:0]
	for _, f := range facts {
		if f.Value != "" {
			some = append(some, f)
		}
	}
	return some
}
