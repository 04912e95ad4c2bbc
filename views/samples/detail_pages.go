package samples

import (
	"veinte/models"
	"veinte/models/results"
	auditview "veinte/views/audit"
	exchangeview "veinte/views/exchange"
	"veinte/views/words"
)

func (s Shop) Audit() *auditview.AuditView {
	story := s.SaleDetail(models.Supervisor, "19:52:03", models.SaleUnknown)
	v := &auditview.AuditView{
		Page: s.Page(models.Supervisor, "/audit", "19:52:03"), Stores: s.Stores(),
		People: []words.Person{{ID: 7, Name: "Ana Torres Luna"}, {ID: 8, Name: "Luis Pech"}},
	}
	store, sale, cancellation := int64(1), int64(100), int64(5)
	for i := len(story.Detail.Entries) - 1; i >= 0; i-- {
		e := story.Detail.Entries[i]
		e.StoreID, e.StoreName, e.SaleID, e.OrderID = &store, "Roma Norte", &sale, story.Detail.Sale.OrderID
		e.SerialNumber, e.Address = "1234567890", "189.203.10.4"
		e.Amount, e.CancellationID = &story.Detail.Sale.Amount, &cancellation
		v.List.Entries = append(v.List.Entries, e)
	}
	v.List.Entries = append(v.List.Entries,
		models.AuditEntry{
			ID: 4, At: s.At("18:01:00"), ActorName: "Eva Ruiz", ActorRole: models.Administrator, Action: models.ActionTerminalMoved,
			Outcome: models.OutcomeSuccess, SerialNumber: "1234567891", StoreName: "Roma Norte",
			Before: []byte(`{"store":"Cancún Centro","merchantId":"7401900"}`), After: []byte(`{"store":"Roma Norte","merchantId":"7401922"}`),
			Address: "189.203.10.9",
		},
		models.AuditEntry{
			ID: 5, At: s.At("17:59:00"), ActorName: "mal@tienda.mx", ActorRole: models.Anonymous, Action: models.ActionLogin,
			Outcome: models.OutcomeFailure, Reason: "login.wrong", Address: "203.0.113.9",
		},
		models.AuditEntry{
			ID: 6, At: s.At("17:58:00"), ActorName: "?", ActorRole: models.Anonymous, Action: models.ActionLogin, Outcome: models.OutcomeFailure,
			Reason: "login.wrong", Address: "203.0.113.9",
		},
		models.AuditEntry{
			ID: 7, At: s.At("17:57:00"), ActorName: "Ana Torres Luna", ActorRole: models.Manager, Action: models.ActionRefused,
			Outcome: models.OutcomeDenied, Reason: "GET /users", Address: "189.203.10.4",
		})
	v.Terminals = map[string]string{"1234567890": "Caja 1", "1234567891": "Caja 2"}
	v.List.Next, v.Seals = "older", s.seals()
	return v
}

func (s Shop) Results() *exchangeview.ResultsView {
	amount, sale := models.Money(125000), int64(100)
	return &exchangeview.ResultsView{Page: s.Page(models.Supervisor, "/results", "19:52:03"), List: results.Page{Results: []models.Result{
		{
			ID: 2, ReceivedAt: s.At("19:50:00"), Kind: models.ResultCancellation, Status: models.ResultUnmatched, Note: "noSuchSale",
			SerialNumber: "1234567890", OrderID: "26112019000000-1", Amount: &amount, ResponseCode: "00",
			Body: `{"transType":"V","amount":"1250.00"}`, Address: "10.0.0.9",
		},
		{
			ID: 1, ReceivedAt: s.At("19:41:09"), Kind: models.ResultSale, Status: models.ResultApplied, Note: "sale", SerialNumber: "1234567891",
			OrderID: "26112019410-2", SaleID: &sale, Amount: &amount, Body: `{"transType":"A"}`, Address: "10.0.0.8",
		},
	}}}
}
