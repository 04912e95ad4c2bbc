package api_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"veinte/handlers/api/shapes"
	"veinte/models"
	"veinte/models/apikeys"
	"veinte/models/modelstest"
)

// TestWasItCanceled asks in every state.
func TestWasItCanceled(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	p := d.any()
	untouched := d.Sale(125000)
	got := into[shapes.Sale](p.get("/api/v1/sales/" + untouched.OrderID).want(200))
	if got.Canceled != "no" || got.State != "cancelable" || !got.Cancelable || got.Cancellation != nil || got.Amount != "1250.00" ||
		got.Source != "terminal" ||
		got.Store != d.Store.Code || !got.CancelUntil.Equal(modelstest.At(t, "2026-11-20T19:59:55-06:00")) {
		t.Errorf("a sale that nobody asked for = %+v", got)
	}
	for state, want := range map[models.State]string{
		models.Requested: "inProgress requested false", models.Withdrawn: "no withdrawn true", models.Expired: "no expired true",
		models.Accepted: "inProgress accepted false", models.Rejected: "no rejected true", models.Unknown: "unknown unknown false",
		models.Confirmed: "yes confirmed true", models.NotCanceled: "no notCanceled true",
	} {
		branch := open(t, d.Branch(t)) // a terminal of its own
		sale, c := branch.StateOf(state)
		q := branch.any()
		got := into[shapes.Sale](q.get("/api/v1/sales/" + sale.OrderID).want(200))
		if said := fmt.Sprint(got.Cancellation.Canceled, " ", got.Cancellation.State, " ", got.Cancellation.Final); said != want ||
			got.Canceled != got.Cancellation.Canceled {
			t.Errorf("%s: %s and the sale %s, want %s", state, said, got.Canceled, want)
		}
		one := into[shapes.Cancellation](q.get(fmt.Sprintf("/api/v1/cancellations/%d", c.ID)).want(200))
		if *one != *got.Cancellation || one.ID != c.ID || one.StateText == "" {
			t.Errorf("the cancellation = %+v, of the sale %+v", one, got.Cancellation)
		}
	}
	d.Clock.Set(untouched.CutoffAt)
	late := into[shapes.Sale](p.get("/api/v1/sales/" + untouched.OrderID).want(200))
	if late.State != "tooLate" || late.Cancelable || late.Canceled != "no" {
		t.Errorf("after the cut-off = %+v", late)
	}
}

// TestManySalesOfOneNumber: none is chosen in silence.
func TestManySalesOfOneNumber(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	p := d.any()
	second := d.NewTerminal(d.Store)
	p.post("/api/v1/sales", d.sale("SAME")).want(201)
	d.postsAsWell(second, "SAME", 750)
	both := p.get("/api/v1/sales/SAME").problem(409, "ambiguous")
	if len(both.Sales) != 2 || both.Sales[0].SerialNumber == both.Sales[1].SerialNumber {
		t.Errorf("sales = %+v, want both named", both.Sales)
	}
	p.post("/api/v1/sales/SAME/cancellation", `{"reason":"chargedTwice"}`).problem(409, "ambiguous")
	if n := d.count("SELECT count(*) FROM cancellations"); n != 0 {
		t.Fatalf("%d cancellations of one of several", n)
	}
	one := into[shapes.Sale](p.get("/api/v1/sales/SAME?serialNumber=" + string(second.SerialNumber)).want(200))
	if one.Amount != "7.50" {
		t.Errorf("of the second terminal = %+v", one)
	}
	into[shapes.Sale](p.get("/api/v1/sales/SAME?merchantId=M" + string(second.SerialNumber)).want(200))
	// The terminal was silent before, and its order number holds no time.
	chosen := `{"reason":"chargedTwice","ticketDate":"2026-11-20","serialNumber":"` + string(second.SerialNumber) + `"}`
	got := into[shapes.Cancellation](p.post("/api/v1/sales/SAME/cancellation", chosen).want(202))
	if got.SaleID != one.ID {
		t.Errorf("canceled sale %d, want %d", got.SaleID, one.ID)
	}
	p.get("/api/v1/sales/SAME?merchantId=OTHER").problem(404, "not-found")
	// A key of a store that has only one of them sees only that one.
	there := d.Branch(t)
	q := d.program(apikeys.Scopes, there.Store)
	q.get("/api/v1/sales/SAME").problem(404, "not-found")
}

// postsAsWell has another terminal post an order: only its own post is believed then.
func (d *desk) postsAsWell(t *models.Terminal, order string, amount models.Money) {
	d.tb.Helper()
	p := d.SalePost(t.SerialNumber, amount)
	p.OrderID = order
	if r := d.Post(p); r.Status != models.ResultApplied {
		d.tb.Fatalf("the post of order %s by terminal %s is %s (%s), want a sale", order, t.SerialNumber, r.Status, r.Note)
	}
}

func TestOddOrderNumbers(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	p := d.any()
	for _, order := range []string{"a/b", "a b", "100%", "ñandú", "a?b=c", "a#b", "..", "a+b", "%2F"} {
		p.post("/api/v1/sales", d.sale(order)).want(201)
		if got := into[shapes.Sale](
			p.get("/api/v1/sales/" + strings.ReplaceAll(url.PathEscape(order), "..", "%2E%2E")).want(200),
		); got.OrderID != order {
			t.Errorf("asked for %q, got %q", order, got.OrderID)
		}
	}
	for _, path := range []string{
		"/api/v1/sales/none", "/api/v1/sales/a%00b", "/api/v1/sales/%ff", "/api/v1/sales/" + strings.Repeat("x", 3000),
		"/api/v1/cancellations/0", "/api/v1/cancellations/-1", "/api/v1/cancellations/x", "/api/v1/cancellations/99999999999999999999",
	} {
		if a := p.get(path); a.status != 404 && a.status != 400 {
			t.Errorf("%.60s = %d, want 404\n%s", path, a.status, a.body)
		}
	}
	p.get("/api/v1/nothing").problem(404, "no-such-address")
	p.get("/api/v1").problem(404, "no-such-address")
	if a := p.send("DELETE", "/api/v1/sales", ""); a.problem(405, "method-not-allowed") == nil ||
		a.header.Get("Allow") != "GET, POST, HEAD" {
		t.Errorf("Allow = %q", a.header.Get("Allow"))
	}
	p.send("PUT", "/api/v1/sales/x", "{}").problem(405, "method-not-allowed")
}

func TestDayList(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	p := d.any()
	for i := range 7 {
		p.post("/api/v1/sales", d.sale(fmt.Sprint("S-", i), "soldAt", fmt.Sprintf(`"2026-11-20T11:0%d:00-06:00"`, i))).want(201)
	}
	var seen []string
	path, pages := "/api/v1/sales?limit=3", 0
	for cursor := ""; ; pages++ {
		page := into[shapes.Sales](p.get(path + cursor).want(200))
		for _, s := range page.Items {
			seen = append(seen, s.OrderID)
		}
		if page.Totals.Sales != 7 || page.Totals.Amount != "8750.00" || page.Date != "2026-11-20" {
			t.Errorf("totals = %+v", page.Totals)
		}
		if page.Next == "" {
			break
		}
		cursor = "&cursor=" + page.Next
	}
	if got := strings.Join(seen, " "); got != "S-6 S-5 S-4 S-3 S-2 S-1 S-0" || pages != 2 {
		t.Errorf("seen %s in %d pages more", got, pages)
	}
	for query, want := range map[string]int{
		"date=2026-11-19": 0, "store=" + strings.ToLower(d.Store.Code): 7, "terminal=" + string(d.Terminal.SerialNumber): 7,
		"state=cancelable": 7, "state=confirmed": 0, "state=tooLate": 0,
	} {
		if got := into[shapes.Sales](p.get("/api/v1/sales?" + query).want(200)); len(got.Items) != want {
			t.Errorf("%s lists %d, want %d", query, len(got.Items), want)
		}
	}
	for query, want := range map[string]string{
		"date=20-11-2026": "query.date:date.invalid", "date=2026-02-30": "query.date:date.invalid",
		"state=gone": "query.state:state.invalid",
		"limit=0":    "query.limit:api.limit", "limit=201": "query.limit:api.limit", "limit=x": "query.limit:api.limit",
		"cursor=x":    "query.cursor:cursor.invalid",
		"terminal=12": "query.terminal:serial.invalid", "page=2": "query.page:api.query.unknown",
		"limit=1&limit=2": "query.limit:api.query.twice",
		"store=%00":       "query.store:field.invalidText", "date=x&state=y": "query.date:date.invalid query.state:state.invalid",
	} {
		if got := p.get("/api/v1/sales?"+query).problem(422, "validation"); places(got.Errors) != want {
			t.Errorf("%s: %s, want %s", query, places(got.Errors), want)
		}
	}
	p.get("/api/v1/sales?store=NOWHERE").problem(404, "not-found")
	p.get("/api/v1/sales?terminal=0000000000").problem(404, "not-found")
	head := p.send("HEAD", "/api/v1/sales", "").want(200)
	if len(head.body) != 0 || head.header.Get("ETag") == "" {
		t.Errorf("HEAD = %q with %v", head.body, head.header)
	}
}

// TestUnchangedDay: a poll of an unchanged day has no body, one of a changed day
// does.
func TestUnchangedDay(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	p := d.any()
	sale := d.Sale(125000)
	tag := p.get("/api/v1/sales").want(200).header.Get("ETag")
	same := func(want int, why string) {
		t.Helper()
		if a := p.get("/api/v1/sales", "If-None-Match", `"x", `+tag); a.status != want {
			t.Errorf("%s: %d, want %d", why, a.status, want)
		} else if want == 200 {
			tag = a.header.Get("ETag")
		}
	}
	same(http.StatusNotModified, "nothing changed")
	d.Sale(100)
	same(200, "a sale more")
	d.Request(sale)
	same(200, "a cancellation")
	same(http.StatusNotModified, "nothing changed since")
	if a := p.get("/api/v1/sales?limit=1", "If-None-Match", tag); a.status != 200 {
		t.Errorf("another list = %d, want 200", a.status)
	}
	if a := d.program([]apikeys.Scope{apikeys.ScopeSalesRead}, d.Store).get("/api/v1/sales", "If-None-Match", tag); a.status != 200 {
		t.Errorf("another key = %d, want 200", a.status)
	}
	d.Clock.Set(modelstest.At(t, "2026-11-20T19:59:55-06:00").Add(-time.Second))
	same(http.StatusNotModified, "a second before the window closes")
	d.Clock.Advance(time.Second)
	same(200, "the window closed")
}
