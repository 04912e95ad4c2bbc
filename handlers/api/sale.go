package api

import (
	"cmp"
	"context"
	"fmt"

	"veinte/handlers/api/shapes"
	"veinte/models"
	"veinte/models/terminals"
	"veinte/views/locale"
)

// amountOf writes money as contract and terminals do.
func amountOf(m models.Money) string { return fmt.Sprintf("%d.%02d", m/100, m%100) }

// canceledWord answers "¿se canceló?" in a word that a program can rely on.
func canceledWord(state models.State) string {
	return cmp.Or(map[models.State]string{
		models.Confirmed: "yes", models.Unknown: "unknown",
		models.Requested: "inProgress", models.Sending: "inProgress", models.Accepted: "inProgress",
	}[state], "no")
}

// saleOf builds the response for a sale. latest is its latest cancellation; nil when
// there is none or it was not read. whyNot is what a request to cancel it would be
// refused with.
func (a *API) saleOf(c *call, dir *terminals.Directory, s *models.Sale, latest *models.Cancellation, whyNot error) shapes.Sale {
	ctx, now, window := c.UserContext(), a.Clock.Now(), a.Rules.Window()
	shown := s.Shown(window, now)
	out := shapes.Sale{
		ID: s.ID, SerialNumber: string(s.SerialNumber), StoreID: s.MerchantID, MerchantID: s.MerchantID, OrderID: s.OrderID,
		Amount: amountOf(s.Amount), Currency: s.Currency, SoldAt: s.SoldAt.UTC(), ReceivedAt: s.ReceivedAt.UTC(),
		Last4: s.Last4, CardBrand: s.CardBrand, AuthCode: s.AuthCode, Folio: s.Folio, Reference: s.Reference, Source: string(s.Source),
		DayProven: !s.DayNotProven(),
		Canceled:  canceledWord(models.State(s.State)), State: string(shown), StateText: locale.T(ctx, "state."+string(shown)),
		Cancelable: whyNot == nil, CancelUntil: window.Closes(s).UTC(),
	}
	if whyNot != nil {
		p := a.problem(c.Ctx, whyNot)
		out.WhyNot, out.WhyNotText = p.Code, p.Detail
	}
	if s.TicketDate != nil {
		out.TicketDate = string(*s.TicketDate)
	}
	if store := dir.Stores[s.StoreID]; store != nil {
		out.Store, out.StoreName = store.Code, store.Name
	}
	if latest != nil {
		cancellation := cancellationOf(ctx, dir, s, latest)
		out.Cancellation = &cancellation
	}
	return out
}

func cancellationOf(ctx context.Context, dir *terminals.Directory, s *models.Sale, c *models.Cancellation) shapes.Cancellation {
	out := shapes.Cancellation{
		Amount: amountOf(s.Amount), Currency: s.Currency,
		ID: c.ID, SaleID: s.ID, SerialNumber: string(s.SerialNumber), StoreID: s.MerchantID, MerchantID: s.MerchantID, OrderID: s.OrderID,
		Canceled: canceledWord(c.State), State: string(c.State), StateText: locale.T(ctx, "case."+string(c.State)), Final: !c.State.Open(),
		Reason: c.Reason, Note: c.Note, OmitReceipt: c.OmitReceipt, RequestedBy: c.Requester,
		RequestedAt: c.RequestedAt.UTC(), ChangedAt: c.ChangedAt.UTC(), Attempts: c.Attempts,
	}
	if store := dir.Stores[s.StoreID]; store != nil {
		out.Store = store.Code
	}
	return out
}
