package webhooks_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"veinte/models/alerts"
	"veinte/models/modelstest"
	"veinte/models/webhooks"
)

// bodiesOf are the bodies of an endpoint's deliveries of an event, oldest first.
func bodiesOf(r *receiver, e *webhooks.Endpoint, event webhooks.EventType) (bodies []string) {
	r.tb.Helper()
	rows, err := r.Owner.Query(`SELECT payload FROM deliveries WHERE endpoint_id = $1 AND event = $2 ORDER BY id`, e.ID, event)
	if err != nil {
		r.tb.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var body string
		if err := rows.Scan(&body); err != nil {
			r.tb.Fatal(err)
		}
		bodies = append(bodies, body)
	}
	return bodies
}

// TestBodiesOfWebhooks compares bytes, because receivers depend on them.
func TestBodiesOfWebhooks(t *testing.T) {
	t.Parallel()
	r := newReceiver(t, webhookInput(webhooks.WebhookEvents...))
	elsewhere := modelstest.Store(t, r.DB, r.Clock.Now(), "ALLA")
	in := webhookInput(webhooks.WebhookEvents...)
	in.Name, in.AllStores, in.StoreIDs = "Allá", false, []int64{elsewhere.ID}
	other := r.endpoint(in)
	now := func() string { return r.Clock.Now().UTC().Format(time.RFC3339Nano) }

	sale := r.Sale(12050)
	r.CancelByHand(sale)
	c := r.SaleDetail(sale.ID).Latest()
	fact := fmt.Sprintf(`"data":{"cancellationId":%d,"orderId":"%s","serialNumber":"%s","storeId":"%[4]s","merchantId":"%[4]s",`+
		`"store":"%[5]s","amount":"120.50","currency":"MXN","state":"confirmed","detail":"canceledOnTerminal",`+
		`%%s"requestedAt":"%[6]s","sequence":1}}`,
		c.ID, sale.OrderID, sale.SerialNumber, sale.MerchantID, r.Store.Code, c.RequestedAt.UTC().Format(time.RFC3339))
	modelstest.Equal(t, "confirmed", bodiesOf(r, r.e, webhooks.EventConfirmed), []string{
		`{"type":"cancellation.confirmed","timestamp":"` + now() + `",` + fmt.Sprintf(fact, ""),
	})
	modelstest.Equal(t, "conflict", bodiesOf(r, r.e, webhooks.EventConflict), []string{
		`{"type":"cancellation.conflict","timestamp":"` + now() + `",` + fmt.Sprintf(fact, `"conflict":"withoutCase",`),
	})
	modelstest.Equal(t, "of another store", len(bodiesOf(r, other, webhooks.EventConfirmed)), 0)

	a := modelstest.AlertsOf(t, r.Office)
	modelstest.SetRule(t, r.Office, a, alerts.AlertDoubt, func(in *alerts.RuleInput) { in.Webhook = true })
	modelstest.Doubt(time.Hour)(t, r.Office)
	modelstest.Watch(t, r.Office, a)
	raised := modelstest.Raised(t, r.Office, a, alerts.AlertDoubt)
	modelstest.Equal(t, "alerts", len(raised), 1)
	begins := fmt.Sprintf(`{"type":"alert.raised","timestamp":"%s","data":{"again":0,"alertId":%d,"facts":{`, now(), raised[0].ID)
	ends := fmt.Sprintf(`},"rule":"doubt","saleId":%d,"store":"%s"}}`, *raised[0].SaleID, r.Store.Name)
	got := bodiesOf(r, r.e, webhooks.EventAlertRaised)
	if len(got) != 1 || !strings.HasPrefix(got[0], begins) || !strings.HasSuffix(got[0], ends) ||
		!strings.Contains(got[0], `"amount":"1250.00","amountCentavos":125000`) {
		t.Errorf("alert: %s, want %s…%s", got, begins, ends)
	}
	modelstest.Equal(t, "alerts of another store", len(bodiesOf(r, other, webhooks.EventAlertRaised)), 0)

	closed := modelstest.CloseDay(t, r.Office, 0)
	body := func(all bool, sales, canceled, doubt string) string {
		const none = `{"count":0,"amount":"0.00","amountCentavos":0}`
		return fmt.Sprintf(`{"type":"day.closed","timestamp":"2026-11-21T02:00:00Z","data":{"allStores":%t,"closedAt":"2026-11-21T02:00:00Z",`+
			`"day":"2026-11-20","sha256":"%s","total":{"sales":{%[3]s},"kept":%[4]s,"canceled":{%[5]s},"inDoubt":{%[6]s},"pending":%[4]s,`+
			`"rejected":%[4]s,"notCanceled":%[4]s,"notSent":%[4]s,"madeTooLate":%[4]s}}}`, all, closed.HashText(), sales, none, canceled, doubt)
	}
	zero := `"count":0,"amount":"0.00","amountCentavos":0`
	modelstest.Equal(t, "closed", bodiesOf(r, r.e, webhooks.EventDayClosed), []string{
		body(
			true, `"count":2,"amount":"1370.50","amountCentavos":137050`, `"count":1,"amount":"120.50","amountCentavos":12050`,
			`"count":1,"amount":"1250.00","amountCentavos":125000`,
		),
	})
	modelstest.Equal(t, "closed, of another store", bodiesOf(r, other, webhooks.EventDayClosed), []string{body(false, zero, zero, zero)})
}
