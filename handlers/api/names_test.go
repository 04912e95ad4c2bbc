package api_test

import (
	"io"
	"net/http"
	"os"
	"strings"
	"testing"

	"veinte/handlers/api/shapes"
)

// TestTheTerminalsIDHasTwoNames: storeId is the provider's id of the terminal, and
// merchantId is its old name; either is taken, both are written, and both mean the same.
func TestTheTerminalsIDHasTwoNames(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	p := d.any()
	merchant := "M" + string(d.Terminal.SerialNumber)
	for order, fields := range map[string][]string{
		"NONE": nil, "OLD": {"merchantId", `"OWN-1"`}, "NEW": {"storeId", `"OWN-1"`}, "BOTH": {"merchantId", `"OWN-1"`, "storeId", `"OWN-1"`},
	} {
		want := "OWN-1"
		if order == "NONE" {
			want = merchant
		}
		p.post("/api/v1/sales", d.sale(order, fields...)).want(201)
		for _, query := range []string{"", "?storeId=" + want, "?merchantId=" + want, "?merchantId=" + want + "&storeId=" + want} {
			got := into[shapes.Sale](p.get("/api/v1/sales/" + order + query).want(200))
			if got.StoreID != want || got.MerchantID != want || got.Store != d.Store.Code {
				t.Errorf("%s%s: storeId %q, merchantId %q, store %q, want %q twice, and our shop as store",
					order, query, got.StoreID, got.MerchantID, got.Store, want)
			}
		}
		p.get("/api/v1/sales/"+order+"?storeId=OTHER").problem(404, "not-found")
	}
	differ := d.sale("TWO", "merchantId", `"A"`, "storeId", `"B"`)
	if got := p.post("/api/v1/sales", differ).problem(422, "validation"); places(got.Errors) != "body.storeId:api.storeId.two" {
		t.Errorf("two ids = %s", places(got.Errors))
	}
	inQuery := p.get("/api/v1/sales/NEW?storeId=A&merchantId=B").problem(422, "validation")
	if got := places(inQuery.Errors); got != "query.storeId:api.storeId.two" {
		t.Errorf("two ids in the query = %s", got)
	}
	body := `{"reason":"chargedTwice","storeId":"OWN-1"}`
	got := into[shapes.Cancellation](p.post("/api/v1/sales/NEW/cancellation", body).want(202))
	if got.StoreID != "OWN-1" || got.MerchantID != "OWN-1" {
		t.Errorf("a cancellation names the terminal's id %q and %q", got.StoreID, got.MerchantID)
	}
	// What is wrong is told under the name that the program used.
	for _, name := range []string{"storeId", "merchantId"} {
		got := p.post("/api/v1/sales", d.sale("OLD", name, `"OTHER"`)).problem(409, "sale-differs")
		if places(got.Errors) != "body."+name+":sale.differs" {
			t.Errorf("another id under %s = %s", name, places(got.Errors))
		}
		got = p.post("/api/v1/sales/OLD/cancellation", `{"reason":"chargedTwice","`+name+`":"4111111111111111"}`).problem(422, "validation")
		if places(got.Errors) != "body."+name+":field.cardNumber" {
			t.Errorf("a card number under %s = %s", name, places(got.Errors))
		}
	}
}

// TestOldNamesSayUntilWhen: responses with an old name say since when it is deprecated
// and until when it is carried; the page that they lead to lists them with both dates.
func TestOldNamesSayUntilWhen(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	p := d.any()
	sale := d.Sale(100)
	for path, status := range map[string]int{
		"/api/v1/sales": 200, "/api/v1/sales/" + sale.OrderID: 200, "/api/v1/audit": 200, "/api/v1/sales/NONE": 404,
	} {
		h := p.get(path).want(status).header
		if h.Get("Deprecation") != "@1795392000" || h.Get("Sunset") != "Tue, 23 Nov 2027 00:00:00 GMT" ||
			!strings.Contains(h.Get("Link"), `/api/docs#deprecations>; rel="deprecation"`) {
			t.Errorf("%s: %v", path, h)
		}
	}
	if h := p.get("/api/v1/audit/checkpoint").header; h.Get("Deprecation") != "" {
		t.Errorf("what has no old name says it has: %v", h)
	}
	res, err := http.Get("http://" + d.host + "/api/docs")
	d.must(err)
	defer res.Body.Close()
	page, err := io.ReadAll(res.Body)
	d.must(err)
	for _, want := range []string{`id="deprecations"`, "2026-11-23", "2027-11-23"} {
		if !strings.Contains(string(page), want) {
			t.Errorf("the page of the reference lacks %s", want)
		}
	}
	changelog, err := os.ReadFile("../../CHANGELOG.md")
	d.must(err)
	if !strings.Contains(string(changelog), "2027-11-23") {
		t.Error("the changelog does not say until when")
	}
}

// TestTheFeedNamesOurShop: in the trail the number of our store is storeNumber, and its
// old name keeps its meaning as long as it is there: it never means the terminal's id.
func TestTheFeedNamesOurShop(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	p := d.any()
	p.post("/api/v1/sales/"+d.Sale(125000).OrderID+"/cancellation", `{"reason":"chargedTwice"}`).want(202)
	found := false
	entries, _ := p.followTo("", "chargedTwice")
	for _, e := range entries {
		found = found || e.StoreNumber == d.Store.ID && e.Store == d.Store.Name
		if e.StoreNumber != e.StoreID {
			t.Errorf("storeNumber is not what storeId was: %+v", e)
		}
	}
	if !found {
		t.Errorf("no entry names the store by its number: %+v", entries)
	}
}
