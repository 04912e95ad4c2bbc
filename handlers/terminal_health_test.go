package handlers_test

import (
	"fmt"
	"strings"
	"testing"

	"veinte/models"
)

// TestHealth shows each problem with its remedy one click away.
func TestHealth(t *testing.T) {
	t.Parallel()
	h := newHouse(t).withNeighbours()
	v := h.administrator()
	nowhere := h.NewTerminal(h.Store)
	h.exec(`UPDATE assignments SET valid_to = valid_from + interval '1 second' WHERE terminal_id = $1`, nowhere.ID)
	h.exec(`UPDATE terminals SET last_answer = 'terminalNotFound', last_answer_at = $1 WHERE id = $2`, h.Clock.Now(), h.Terminal.ID)
	p := h.SalePost("1111111111", 100) // nobody registered it
	p.MerchantID = "NUEVA-9"
	h.Post(p)
	p = h.SalePost("<b>12", 100)
	h.Post(p)

	page := v.get("/terminals/health").want(200)
	want := map[string]string{
		"unknownSerial": "/terminals/new?merchantId=NUEVA-9&serialNumber=1111111111",
		"oddSerial":     "/results?serial=%3Cb%3E12",
		"noStore":       fmt.Sprintf("/terminals/%d/moves/new", nowhere.ID),
		"notFound":      fmt.Sprintf("/terminals/%d/edit#merchant", h.Terminal.ID),
	}
	page.hides("<b>12")
	for i, row := range page.byTestID("problem") {
		kind := page.attrs("problem", "data-kind")[i]
		to, named := want[kind]
		found := false
		for link := range row.Descendants() {
			found = found || attr(link, "href") == to
		}
		if named && !found {
			t.Errorf("%s does not lead to %s", kind, to)
		}
		delete(want, kind)
	}
	if len(want) > 0 {
		t.Errorf("not shown: %v\n%s", want, page.words())
	}
	words := fmt.Sprint(len(page.byTestID("problem"))) + " terminales por corregir"
	if got := textOf(v.get("/terminals").one("health")); !strings.Contains(got, words) {
		t.Errorf("the list's head says %q", got)
	}
	// In the list each terminal says its worst.
	if got := v.get("/terminals").attrs("wrong", "data-kind"); fmt.Sprint(got) != "[noStore sharedAddress notFound]" {
		t.Errorf("the list marks %v, want the one without a store, that at the common address and that which the service does not find", got)
	}
	form := v.get("/terminals/new?serialNumber=1111111111&merchantId=NUEVA-9").want(200)
	if got := form.field("serialNumber") + " " + form.field("merchantId"); got != "1111111111 NUEVA-9" {
		t.Errorf("the form of a new terminal holds %q", got)
	}
	change := v.get(fmt.Sprintf("/terminals/%d/edit", h.Terminal.ID)).want(200)
	if got := change.formTo(fmt.Sprintf("/terminals/%d/moves", h.Terminal.ID))["store"]; got != fmt.Sprint(h.Store.ID) {
		t.Errorf("to change the merchant id, store %q is chosen, want %d", got, h.Store.ID)
	}
	if got := v.get("/results?serial=1111111111").attrs("result", "data-kind"); len(got) != 1 {
		t.Errorf("what 1111111111 posted is %v, want one sale", got)
	}
	for _, query := range []string{"problem=nonsense", "days=0", "days=-1", "days=366", "days=x", "days=9999999999999999999", "cursor=x"} {
		if p := v.get("/terminals/health?" + query); p.status != 422 || len(p.byTestID("problem")) != 0 {
			t.Errorf("/terminals/health?%s = %d with %d problems, want 422 with none", query, p.status, len(p.byTestID("problem")))
		}
	}
}

// TestStoresList finds stores and counts what stands in them.
func TestStoresList(t *testing.T) {
	t.Parallel()
	h := newHouse(t).withNeighbours()
	v := h.administrator()
	for i := range models.PageSize {
		h.exec(
			`INSERT INTO stores (code, name, time_zone, created_at) VALUES ($1, $2, 'America/Cancun', now())`, fmt.Sprintf("Z-%03d", i),
			fmt.Sprintf("Otra %d", i),
		)
	}
	if got := v.get("/stores?q=ajena").attrs("store", "data-code"); len(got) != 1 || got[0] != "AJENA-9" {
		t.Errorf("/stores?q=ajena shows %v, want AJENA-9", got)
	}
	first := v.get("/stores").want(200)
	first.says("52 sucursales")
	if got := first.attrs("store", "data-code"); len(got) != models.PageSize {
		t.Errorf("the first page has %d stores, want %d", len(got), models.PageSize)
	}
	second := v.get("/stores?cursor=Z-047").want(200)
	if got := second.attrs("store", "data-code"); len(got) != 2 || got[0] != "Z-048" {
		t.Errorf("the second page has %v, want Z-048 and Z-049", got)
	}
	v.get("/stores?q=%25").hides("AJENA-9")
}
