package views

import "veinte/models"

// withdrawn is no state of a sale; the story of one whose case was taken back.
const withdrawn = models.SaleState(models.Withdrawn)

// story is that of a sale in a state, with the steps that led there.
func (s sampleShop) story(role models.Role, hhmmss string, state models.SaleState) *StoryView {
	v := &StoryView{Page: s.page(role, "/sales/100", hhmmss), Reasons: s.reasons(), Inquiries: true}
	v.Story = models.SaleStory{
		Sale: s.sale(100, "19:33:07", 125000, state), Store: s.stores()[0], Terminal: s.terminals()[1],
	}
	if state == models.SaleTooLate || state == withdrawn {
		v.Story.Sale.State = models.SaleCancelable
	}
	if state == models.SaleCancelable || state == models.SaleTooLate {
		return v
	}
	asked := s.at("19:41:00")
	v.Story.Cases = []models.CaseStory{{Cancellation: models.Cancellation{
		ID: s.first + 5, SaleID: v.Story.Sale.ID, State: models.State(state), Version: 3, Detail: sampleDetail(state), Reason: "chargedTwice",
		Note: "El cliente trae los dos tickets.", Origin: models.FromPerson, Requester: "Ana Torres Luna", RequestedAt: asked,
	}}}
	t := &teller{story: &v.Story, now: asked}
	amount := v.Story.Sale.Amount
	t.entry(models.AuditEntry{
		ActorName: "Ana Torres Luna", ActorRole: models.Manager, Action: models.ActionCaseRequested, Outcome: models.OutcomeSuccess,
		Reason: "chargedTwice: El cliente trae los dos tickets.", Amount: &amount, After: []byte(`{"state":"requested","printReceipt":true,"reason":"chargedTwice"}`),
	})
	t.tell(state)
	return v
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
	case withdrawn:
		return models.DetailTakenBack
	}
	return ""
}

// sheet is the confirmation for a sale.
func (s sampleShop) sheet(hhmmss string) *SheetView {
	return &SheetView{
		Page: s.page(models.Manager, "/sales/100/cancellation/new", hhmmss), Sale: s.sale(100, "19:33:07", 125000, models.SaleCancelable),
		Store: s.stores()[0], Terminal: s.terminals()[1], Reasons: s.reasons(),
		Form: CancelForm{Click: "CLICK", Receipt: true},
	}
}
