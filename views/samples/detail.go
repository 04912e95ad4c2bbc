package samples

import (
	"time"

	"veinte/models"
	"veinte/models/cancellations"
	"veinte/models/sales"
	salesview "veinte/views/sales"
)

// Withdrawn is no state of a sale; it selects the sample whose cancellation was
// withdrawn.
const Withdrawn = models.SaleState(models.Withdrawn)

// SaleDetail is that of a sale in a state, with the steps that led there.
func (s Shop) SaleDetail(role models.Role, hhmmss string, state models.SaleState) *salesview.SaleDetailView {
	v := &salesview.SaleDetailView{Page: s.Page(role, "/sales/100", hhmmss), Reasons: s.reasons(), Inquiries: true}
	v.Detail = cancellations.SaleDetail{
		Sale: s.Sale(100, "19:33:07", 125000, state), Store: s.Stores()[0], Terminal: s.Terminals()[1],
	}
	if state == models.SaleTooLate || state == Withdrawn {
		v.Detail.Sale.State = models.SaleCancelable
	}
	if state == models.SaleCancelable {
		v.Detail.Facts = s.told(&v.Detail.Sale)
	}
	if state == models.SaleCancelable || state == models.SaleTooLate {
		return v
	}
	asked := s.At("19:41:00")
	v.Detail.Cancellations = []cancellations.CancellationDetail{{Cancellation: models.Cancellation{
		ID: s.First + 5, SaleID: v.Detail.Sale.ID, State: models.State(state), Version: 3, Detail: sampleDetail(state), Reason: "chargedTwice",
		Note: "El cliente trae los dos tickets.", Origin: models.FromPerson, Requester: "Ana Torres Luna", RequestedAt: asked,
	}}}
	t := &TimelineBuilder{Detail: &v.Detail, Now: asked}
	amount := v.Detail.Sale.Amount
	t.entry(models.AuditEntry{
		ActorName: "Ana Torres Luna", ActorRole: models.Manager, Action: models.ActionCancellationRequested, Outcome: models.OutcomeSuccess,
		Reason: "chargedTwice: El cliente trae los dos tickets.", Amount: &amount,
		After: []byte(`{"state":"requested","printReceipt":true,"reason":"chargedTwice"}`),
	})
	t.tell(state)
	if state == models.SaleUnknown {
		c := v.Detail.Latest()
		c.Tries, c.NextInquiry = 2, asked.Add(30*time.Minute)
	}
	if state == models.SaleRequested {
		other := s.Sale(101, "19:20:41", 33289, models.SaleUnknown)
		v.Wait = &sales.Wait{For: other, State: models.Unknown, Until: asked.Add(100 * time.Second)}
	}
	return v
}

// told is what the till says of a sale beside its terminal: its own reference, and
// other digits of the card.
func (s Shop) told(sale *models.Sale) []models.SaleFact {
	fact := models.SaleFact{SaleID: sale.ID, Source: models.SourceAPI, RecordedBy: "Punto de venta", ToldAt: s.At("19:34:00")}
	authCode, last4 := fact, fact
	authCode.Fact, authCode.Value, authCode.Filled = "authCode", sale.AuthCode, true
	last4.Fact, last4.Value = "last4", "1111"
	return []models.SaleFact{authCode, last4}
}

func sampleDetail(state models.SaleState) models.Detail {
	switch state {
	case models.SaleRejected:
		return models.DetailTerminalNotFound
	case models.SaleUnknown:
		return models.DetailTimeout
	case models.SaleConfirmed:
		return models.DetailTerminalConfirmed
	case models.SaleNotCanceled:
		return models.DetailInquiryCharged
	case models.SaleExpired:
		return models.DetailTooLate
	case Withdrawn:
		return models.DetailWithdrawn
	}
	return ""
}

// Sheet is the confirmation for a sale.
func (s Shop) Sheet(hhmmss string) *salesview.SheetView {
	return &salesview.SheetView{
		Page: s.Page(models.Manager, "/sales/100/cancellation/new", hhmmss), Sale: s.Sale(100, "19:33:07", 125000, models.SaleCancelable),
		Store: s.Stores()[0], Terminal: s.Terminals()[1], Reasons: s.reasons(),
		Form: salesview.CancelForm{Click: "CLICK", Receipt: true},
	}
}
