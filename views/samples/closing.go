package samples

import (
	"strings"
	"time"

	"github.com/a-h/templ"

	"veinte/models"
	"veinte/models/alerts"
	"veinte/models/closings"
	oversightview "veinte/views/oversight"
	"veinte/views/ui"
)

// addClosingPages adds closing reports and alerts.
func (s Shop) addClosingPages(pages map[string]templ.Component) {
	p := s.Page(models.Supervisor, "/closings", "20:41:00")
	changed := s.At("20:12:00")
	c := closings.Closing{
		Day: "2026-11-20", CutoffAt: s.At("20:00:00"), ClosedAt: s.At("20:37:00"), Hash: []byte(strings.Repeat("k", 32)), Sales: 132,
		Amount: 8422149,
	}
	sums := closings.Sums{
		{Count: 120, Amount: 7922149},
		{Count: 6, Amount: 200000},
		{Count: 1, Amount: 125000},
		{Count: 1, Amount: 50000},
		{Count: 2, Amount: 25000},
		{Count: 1},
		{},
		{Count: 1, Amount: 100000},
	}
	store := closings.StoreSums{
		ID: 1, Code: "CDMX-01", Name: "Roma Norte", Sums: sums,
		Terminals: []closings.ClosingTerminal{{StoreID: 1, SerialNumber: "1234567890", Sums: sums}},
	}
	after := closings.Changes{closings.ChangeOutcome: 1, closings.ChangeArrived: 12}
	pages["closings"] = oversightview.Closings(&oversightview.ClosingsView{
		Page: p, Before: "2026-11-25",
		List: closings.List{Next: "2026-10-20", Lines: []closings.Line{{Closing: c, Sums: sums, Since: after}}},
	})
	pages["closings-none"] = oversightview.Closings(&oversightview.ClosingsView{Page: p, Errors: ui.Errors{"date": "date.invalid"}})
	r := closings.Report{
		Closing: c, Whole: true, Sums: sums, Stores: []closings.StoreSums{store}, More: true,
		Amendments: []closings.Amendment{
			{
				SaleID: 7, StoreID: 1, StoreName: "Roma Norte", OrderID: "26112019-1", SerialNumber: "1234567890", Was: closings.ClosedDoubt,
				Now: closings.ClosedCanceled, WasAmount: 125000, NowAmount: 125000, At: &changed,
			},
			{
				SaleID: 8, StoreID: 1, StoreName: "Roma Norte", OrderID: "26112019-2", SerialNumber: "1234567890", Now: closings.ClosedTooLate,
				NowAmount: 900, At: &changed,
			},
			{SaleID: 9, StoreID: 1, OrderID: "26112019-3", SerialNumber: "1234567890", Was: closings.ClosedCharged, WasAmount: 900},
		},
		Doubts: []closings.DoubtfulSale{
			{SaleID: 7, OrderID: "26112019-1", StoreID: 1, SerialNumber: "1234567890", Amount: 125000, State: models.SaleUnknown, Since: changed},
			{SaleID: 6, OrderID: "26112019-0", StoreID: 1, SerialNumber: "1234567890", Amount: 5000, State: models.SaleAccepted, Since: changed},
		},
	}
	p = s.Page(models.Supervisor, "/closings/2026-11-20", "20:41:00")
	pages["closing"] = oversightview.Closing(&oversightview.ClosingView{
		Page: p, Report: r, Compared: s.compared(), Seal: s.seal(),
	})
	part := closings.Report{Closing: c}
	pages["closing-part"] = oversightview.Closing(&oversightview.ClosingView{Page: p, Report: part, Compared: s.compared()})
	admin := s.Page(models.Administrator, "/settings/alerts", "19:52:03")
	rules := make([]alerts.AlertRule, len(alerts.Kinds))
	for i, k := range alerts.Kinds {
		rules[i] = alerts.AlertRule{
			Kind: k, Active: i%2 == 0, Count: 10, Minutes: 60, Amount: 1000000, Factor: 300, Webhook: i == 1, AllStores: true, Version: 1,
		}
		pages["alert-rule-"+string(k)] = oversightview.AlertRuleEdit(&oversightview.AlertRuleView{
			Page: admin, Form: rules[i].Input(), Stores: s.Stores(), CanMail: i > 1,
		})
	}
	rules[0].Emails = models.Texts{"gerencia@tiendas.example"}
	wrong := rules[0].Input()
	wrong.Count, wrong.Emails = "muchas", "gerencia"
	pages["alert-rule-wrong"] = oversightview.AlertRuleEdit(&oversightview.AlertRuleView{
		Page: admin, Form: wrong, CanMail: true, Errors: ui.Errors{"count": "alert.countInvalid", "emails": "alert.emailInvalid"},
	})
	mails := []alerts.Mail{
		{
			ID: 2, Recipient: "gerencia@tiendas.example", State: alerts.MailWaiting, Detail: alerts.MailLater, Answer: "451 try later",
			CreatedAt: changed,
		},
		{ID: 1, Recipient: "sofia@tiendas.example", State: alerts.MailSent, Detail: alerts.MailAccepted, CreatedAt: changed},
	}
	pages["alert-rules"] = oversightview.AlertRules(&oversightview.AlertRulesView{Page: admin, Rules: rules, CanMail: true, Mails: mails})
	pages["alert-rules-no-mail"] = oversightview.AlertRules(&oversightview.AlertRulesView{Page: admin, Rules: rules})
}

func (s Shop) Alerts() []alerts.Alert {
	var all []alerts.Alert
	when, store, sale := s.At("19:40:00"), int64(1), int64(7)
	for i, k := range alerts.Kinds {
		a := alerts.Alert{ID: int64(i + 1), Kind: k, RaisedAt: when, LastAt: when.Add(time.Minute), Times: 1 + i, Facts: []byte(
			`{"person":"Ana Torres Luna","orderId":"26112019-1","serialNumber":"1234567890","amountCentavos":1250000,"count":12,` +
				`"minutes":60,"of":"Luis Pech","role":"supervisor","percent":412,"day":"2026-11-20","action":"result.unmatched",` +
				`"sales":132,"canceled":6,"inDoubt":1}`)}
		if i < 5 {
			a.StoreID, a.StoreName, a.SaleID = &store, "Roma Norte", &sale
		}
		if i == 2 {
			a.SeenAt, a.SeenBy, a.Note = &when, "Sofía Méndez", "Hablé con la encargada"
		}
		all = append(all, a)
	}
	return append(all, alerts.Alert{
		ID: 99, Kind: alerts.KindTrail, RaisedAt: when, Times: 1, Facts: []byte(`{"count":1200,"minutes":7,"action":"sealing.still"}`),
	})
}
