package api_test

import (
	"testing"

	"veinte/handlers/api/shapes"
	"veinte/models"
	"veinte/models/modelstest"
)

// TestCancelForAnAmount: what a program saw travels with its request.
func TestCancelForAnAmount(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	p := d.any()
	in := modelstest.GivenSale(d.Office, "ORDER-1")
	in.Amount = "125.00"
	modelstest.Record(t, d.Office, modelstest.RequestKey(), modelstest.ByAPI, in)
	post := d.SalePost(d.Terminal.SerialNumber, 125000)
	post.OrderID = "ORDER-1"
	post.OwnAddress = true // nobody else may correct it
	if r := d.Post(post); r.Note != "corrected" {
		t.Fatalf("the terminal's post is %s (%s), want a correction", r.Status, r.Note)
	}
	sale := d.FindSale("ORDER-1")
	changed := p.post(cancelPath(sale), `{"reason":"chargedTwice","amount":"125.0"}`, "Idempotency-Key", "k").problem(409, "amount-changed")
	if changed.Amount != "1250.00" || changed.AmountSeen != "125.00" || changed.CancellationID != 0 {
		t.Errorf("the problem = %+v, want both amounts", changed)
	}
	if n := d.count(`SELECT count(*) FROM cancellations`); n != 0 {
		t.Errorf("%d cancellations, want none", n)
	}
	if n := d.count(`SELECT count(*) FROM audit_entries WHERE action = 'cancellation.refused' AND reason = 'error.amountChanged'
		AND actor_id = $1 AND after->>'seenAmount' = '12500'`, p.id); n != 1 {
		t.Errorf("refusals in the trail = %d, want 1", n)
	}
	for body, want := range map[string]string{
		`{"reason":"chargedTwice","amount":1250}`:               "body.amount:amount.notText",
		`{"reason":"chargedTwice","amount":null}`:               "body.amount:api.field.notText",
		`{"reason":"chargedTwice","amount":""}`:                 "body.amount:amount.invalid",
		`{"reason":"chargedTwice","amount":"1,250.00"}`:         "body.amount:amount.invalid",
		`{"reason":"chargedTwice","amount":"1250.001"}`:         "body.amount:amount.invalid",
		`{"reason":"chargedTwice","amount":"4111111111111111"}`: "body.amount:field.cardNumber",
	} {
		if got := p.post(cancelPath(sale), body).problem(422, "validation"); places(got.Errors) != want {
			t.Errorf("%s: %s, want %s", body, places(got.Errors), want)
		}
	}
	// The number of a refused request is free for the corrected one.
	got := into[shapes.Cancellation](p.post(cancelPath(sale), `{"reason":"chargedTwice","amount":"1250"}`, "Idempotency-Key", "k").want(202))
	if got.State != string(models.Requested) {
		t.Errorf("the cancellation = %+v, want it requested", got)
	}
	// Without an amount nothing is compared.
	p.post(cancelPath(d.Sale(9900)), wish).want(202)
}

// TestCancelOneChargeTwice: both sales of the charge are named.
func TestCancelOneChargeTwice(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	p := d.any()
	sale := d.Sale(125000)
	d.Request(sale)
	other := d.NewTerminal(d.Store)
	d.postsAsWell(other, sale.OrderID, 125000)
	body := `{"reason":"chargedTwice","serialNumber":"` + string(other.SerialNumber) + `"}`
	got := p.post(cancelPath(sale), body).problem(409, "not-requestable")
	if len(got.Sales) != 2 || got.Sales[0].SerialNumber != string(other.SerialNumber) ||
		got.Sales[1].SerialNumber != string(sale.SerialNumber) {
		t.Errorf("sales = %+v, want both of the charge", got.Sales)
	}
	// The door: neither of a third terminal.
	third := d.NewTerminal(d.Store)
	refused := p.post("/api/v1/sales", d.sale(sale.OrderID, "serialNumber", `"`+string(third.SerialNumber)+`"`)).problem(422, "validation")
	if places(refused.Errors) != "body.orderId:sale.orderOfAnother" {
		t.Errorf("an order of another terminal: %s, want it refused", places(refused.Errors))
	}
}
