package api_test

import (
	"fmt"
	"net/url"
	"strings"
	"testing"

	"veinte/handlers/api"
	"veinte/handlers/api/shapes"
	"veinte/models"
	"veinte/models/apikeys"
	"veinte/models/intake"
	"veinte/models/modelstest"
)

// told is a sale that a program reported, with a terminal and a reference of its own.
func (d *desk) told() *models.Sale {
	d.tb.Helper()
	order := "TOLD-" + modelstest.NextSerial()
	in := modelstest.GivenSale(d.Office, order)
	in.SerialNumber, in.Reference = string(d.NewTerminal(d.Store).SerialNumber), "ref-"+order
	_, err := d.Intake.RecordSales(d.tb.Context(), modelstest.RequestKey(), modelstest.ByAPI, []models.SaleInput{in})
	d.must(err)
	return d.FindSale(order)
}

// twin adds a second row of a sale's order, as older data may contain it, under another
// merchant id.
func (d *desk) twin(s *models.Sale) (id int64) {
	d.tb.Helper()
	d.must(d.Owner.QueryRow(`INSERT INTO sales (store_id, terminal_id, serial_number, merchant_id, order_id, amount, currency, sold_at,
			received_at, business_day, cutoff_at, last4, card_brand, auth_code, folio, source, recorded_by)
		SELECT store_id, terminal_id, serial_number, 'OTHER', order_id, amount, currency, sold_at, received_at, business_day, cutoff_at,
			last4, card_brand, auth_code, folio, source, recorded_by FROM sales WHERE id = $1 RETURNING id`, s.ID).Scan(&id))
	return id
}

// TestCancelableIsWhatPostWouldSay: a sale says whether asking for its cancellation would
// be accepted, and else with which code it would be refused: by order, by id, by
// reference and in the list.
func TestCancelableIsWhatPostWouldSay(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		of   func(d *desk) *models.Sale
		want string // "" where it can be asked for
	}{
		"nobody asked":       {func(d *desk) *models.Sale { return d.told() }, ""},
		"rejected":           {func(d *desk) *models.Sale { s, _ := d.StateOf(models.Rejected); return s }, ""},
		"requested":          {func(d *desk) *models.Sale { s, _ := d.StateOf(models.Requested); return s }, "case-open"},
		"in doubt":           {func(d *desk) *models.Sale { s, _ := d.StateOf(models.Unknown); return s }, "case-open"},
		"canceled":           {func(d *desk) *models.Sale { s, _ := d.StateOf(models.Confirmed); return s }, "not-requestable"},
		"not canceled":       {func(d *desk) *models.Sale { s, _ := d.StateOf(models.NotCanceled); return s }, "needs-supervisor"},
		"its cut-off passed": {func(d *desk) *models.Sale { s := d.told(); d.Clock.Set(s.CutoffAt); return s }, "window-closed"},
		"a day that nobody can prove": {func(d *desk) *models.Sale {
			s := d.told()
			d.exec(`UPDATE sales SET day_unproven = true WHERE id = $1`, s.ID)
			return s
		}, "day-not-proven"},
		"a pause": {func(d *desk) *models.Sale {
			d.must(d.Cancellations.Pause(d.tb.Context(), d.Admin, "El servicio está caído."))
			return d.told()
		}, "paused"},
		"a retired terminal": {func(d *desk) *models.Sale {
			s := d.told()
			d.must(d.Terminals.RetireTerminal(d.tb.Context(), d.Admin, s.TerminalID, 1))
			return s
		}, "terminal-retired"},
		"the other sale of its order is open": {func(d *desk) *models.Sale {
			s := d.told()
			d.Request(&models.Sale{ID: d.twin(s)})
			return s
		}, "not-requestable"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newDesk(t)
			sale := tt.of(d)
			p := d.any()
			query := "?serialNumber=" + string(sale.SerialNumber) + "&storeId=" + url.QueryEscape(sale.MerchantID)
			seen := map[string]shapes.Sale{
				"order": *into[shapes.Sale](p.get("/api/v1/sales/" + sale.OrderID + query).want(200)),
				"id":    *into[shapes.Sale](p.get(fmt.Sprintf("/api/v1/sales/id/%d", sale.ID)).want(200)),
			}
			for _, s := range into[shapes.Sales](p.get("/api/v1/sales?limit=200").want(200)).Items {
				if s.ID == sale.ID {
					seen["list"] = s
				}
			}
			for where, s := range seen {
				if s.Cancelable != (tt.want == "") || s.WhyNot != tt.want || (s.WhyNotText == "") != (tt.want == "") {
					t.Errorf("by %s: cancelable %t, why not %q %q; want %q", where, s.Cancelable, s.WhyNot, s.WhyNotText, tt.want)
				}
			}
			if len(seen) != 3 {
				t.Errorf("seen by %d ways, want 3", len(seen))
			}
			body := fmt.Sprintf(`{"reason":"chargedTwice","serialNumber":%q,"storeId":%q}`, sale.SerialNumber, sale.MerchantID)
			a := p.post("/api/v1/sales/"+sale.OrderID+"/cancellation", body)
			switch {
			case tt.want == "":
				a.want(202)
			default:
				said := into[api.Problem](a)
				if said.Code != tt.want || said.Detail != seen["id"].WhyNotText {
					t.Errorf("POST says %s %q, the sale %q %q", said.Code, said.Detail, tt.want, seen["id"].WhyNotText)
				}
			}
		})
	}
}

// TestTheListsTagFollowsCancelable: a list is read anew when a pause or a retired
// terminal changes what can be canceled.
func TestTheListsTagFollowsCancelable(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	p := d.any()
	sale := d.told()
	tag := func() string { return p.get("/api/v1/sales").want(200).header.Get("ETag") }
	before := tag()
	p.send("GET", "/api/v1/sales", "", "If-None-Match", before).want(304)
	d.must(d.Terminals.RetireTerminal(t.Context(), d.Admin, sale.TerminalID, 1))
	p.send("GET", "/api/v1/sales", "", "If-None-Match", before).want(200)
	before = tag()
	d.must(d.Cancellations.Pause(t.Context(), d.Admin, "El servicio está caído."))
	p.send("GET", "/api/v1/sales", "", "If-None-Match", before).want(200)
}

// TestSalesByIDAndReference: of the key's stores, and several where a ticket was paid
// with several cards.
func TestSalesByIDAndReference(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	p, there := d.any(), d.Branch(t)
	one, reference := d.told(), "ticket 7/8 ñ"
	for i := range 2 {
		p.post("/api/v1/sales", d.sale(fmt.Sprint("PART-", i), "reference", string(quoted(reference)))).want(201)
	}
	got := into[shapes.SaleMatches](p.get("/api/v1/sales/reference/" + url.PathEscape(reference)).want(200)).Items
	if len(got) != 2 || got[0].OrderID != "PART-1" || got[1].OrderID != "PART-0" || got[0].Reference != reference {
		t.Errorf("by reference = %+v", got)
	}
	if s := into[shapes.Sale](p.get(fmt.Sprintf("/api/v1/sales/id/%d", one.ID)).want(200)); s.OrderID != one.OrderID || s.ID != one.ID {
		t.Errorf("by id = %+v", s)
	}
	q := d.program(apikeys.Scopes, there.Store)
	for _, path := range []string{fmt.Sprintf("/api/v1/sales/id/%d", one.ID), "/api/v1/sales/reference/" + one.Reference} {
		q.get(path).problem(404, "not-found")
	}
	for _, path := range []string{"id/0", "id/x", "id/99999999999999999999", "reference/none", "reference/a%00b"} {
		p.get("/api/v1/sales/"+path).problem(404, "not-found")
	}
	// Those words are order numbers too.
	for _, order := range []string{"id", "reference"} {
		p.post("/api/v1/sales", d.sale(order)).want(201)
		if s := into[shapes.Sale](p.get("/api/v1/sales/" + order).want(200)); s.OrderID != order {
			t.Errorf("order %q = %+v", order, s)
		}
	}
}

// TestAProgramWithdrawsACancellation: until it is sent, and the same again.
func TestAProgramWithdrawsACancellation(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	p := d.any()
	sale := d.told()
	asked := into[shapes.Cancellation](p.post(cancelPath(sale), wish).want(202))
	path := fmt.Sprintf("/api/v1/cancellations/%d/withdrawal", asked.ID)
	for range 2 {
		c := into[shapes.Cancellation](p.post(path, `{}`).want(200))
		if c.State != "withdrawn" || !c.Final || c.Canceled != "no" || c.ID != asked.ID {
			t.Errorf("withdrawn = %+v", c)
		}
	}
	if s := into[shapes.Sale](p.get("/api/v1/sales/" + sale.OrderID).want(200)); !s.Cancelable || s.Cancellation.State != "withdrawn" {
		t.Errorf("the sale = %+v", s)
	}
	again := into[shapes.Cancellation](p.post(cancelPath(sale), wish).want(202))
	d.Dispatch(again.ID)
	problem := p.post(fmt.Sprintf("/api/v1/cancellations/%d/withdrawal", again.ID), `{}`).problem(409, "already-sent")
	if problem.CancellationID != again.ID {
		t.Errorf("the problem names cancellation %d, want %d", problem.CancellationID, again.ID)
	}
	p.post(path, `{"note":"x"}`).problem(422, "validation")
	p.post(path, `[]`).problem(422, "validation")
}

// TestAProgramCorrectsItsSale: with the fields that it sends, and no others.
func TestAProgramCorrectsItsSale(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	p := d.any()
	sale := d.told()
	path := "/api/v1/sales/" + sale.OrderID + "/correction"
	s := into[shapes.Sale](p.post(path, `{"amount":"12.05","authCode":"","note":"Otro monto"}`, "Idempotency-Key", "c-1").want(200))
	if s.Amount != "12.05" || s.AuthCode != "" || s.Last4 != "4242" || s.Reference != sale.Reference || !s.Cancelable {
		t.Errorf("corrected = %+v", s)
	}
	again := p.post(path, `{"amount":"12.05","authCode":"","note":"Otro monto"}`, "Idempotency-Key", "c-1").want(200)
	if again.header.Get("Idempotency-Replayed") != "true" {
		t.Error("a repeat is not answered from what is stored")
	}
	for body, want := range map[string]string{
		`{}`: "body:api.correct.nothing", `{"note":"x"}`: "body:api.correct.nothing", `{"amount":"0"}`: "body.amount:amount.zero",
		`{"amount":12.05}`: "body.amount:amount.notText", `{"orderId":"x"}`: "body.orderId:api.field.unknown",
		`{"soldAt":"2026-11-20T11:00:00-06:00"}`:   "body.soldAt:api.field.unknown",
		`{"reference":"4111111111111111"}`:         "body.reference:field.cardNumber",
		`{"amount":"1","note":"4111111111111111"}`: "body.note:field.cardNumber",
	} {
		if got := places(p.post(path, body).problem(422, "validation").Errors); got != want {
			t.Errorf("%s = %s, want %s", body, got, want)
		}
	}
	posted := d.Sale(5000)
	p.post("/api/v1/sales/"+posted.OrderID+"/correction", `{"amount":"1.00"}`).problem(409, "not-correctable")
	p.post(cancelPath(sale), wish).want(202)
	p.post(path, `{"amount":"1.00"}`).problem(409, "not-correctable")
	p.post("/api/v1/sales/"+sale.OrderID+"/undoing", `{}`).problem(409, "not-correctable")
	if got := d.FindSale(sale.OrderID); got.Amount != 1205 {
		t.Errorf("the sale costs %d now", got.Amount)
	}
}

// TestAProgramTakesItsSaleBack: of several with one number, the one that it names.
func TestAProgramTakesItsSaleBack(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	p := d.any()
	sale := d.told()
	other, path := d.twin(sale), "/api/v1/sales/"+sale.OrderID
	both := p.post(path+"/undoing", `{}`).problem(409, "ambiguous")
	if len(both.Sales) != 2 || both.Sales[0].SaleID+both.Sales[1].SaleID != sale.ID+other {
		t.Errorf("sales = %+v, want both with their ids", both.Sales)
	}
	body := `{"storeId":"OTHER","note":"Se envió dos veces"}`
	if gone := into[shapes.Undone](p.post(path+"/undoing", body).want(200)); gone.StoreID != "OTHER" || gone.SaleID != other {
		t.Errorf("taken back = %+v", gone)
	}
	p.get(fmt.Sprintf("/api/v1/sales/id/%d", other)).problem(404, "not-found")
	p.post(path+"/undoing", body).problem(404, "not-found")
	if s := into[shapes.Sale](p.get(path).want(200)); s.ID != sale.ID {
		t.Errorf("what is left = %+v", s)
	}
	// What a person typed is not the program's.
	in := modelstest.GivenSale(d.Office, "TYPED")
	_, err := d.Intake.RecordSales(t.Context(), d.Manager, intake.Options{Source: models.SourceManual}, []models.SaleInput{in})
	d.must(err)
	if problem := p.post("/api/v1/sales/TYPED/undoing", `{}`).problem(409, "not-correctable"); !strings.Contains(problem.Detail, "otra") {
		t.Errorf("detail = %s", problem.Detail)
	}
}
