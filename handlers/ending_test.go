package handlers_test

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"veinte/models"
	"veinte/models/modelstest"
)

// links are the addresses on a page that begin with a text.
func (p *page) links(prefix string) (all []string) {
	for _, n := range p.all(func(n *html.Node) bool { return n.Data == "a" && strings.HasPrefix(attr(n, "href"), prefix) }) {
		all = append(all, attr(n, "href"))
	}
	return all
}

// A sale leads back to the list that it was found in, with its filter and to its row;
// a list that cannot hold it is no way back.
func TestTheWayBackLeadsToTheListThatWasSeen(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	here, there := h.Sale(hereAmount), h.SaleAt(h.NewTerminal(h.Store), 900)
	v := h.manager()
	path := func(s *models.Sale) string { return fmt.Sprintf("/sales/%d", s.ID) }
	back := func(fact string, s *models.Sale, want string) {
		t.Helper()
		want += fmt.Sprintf("#sale-%d", s.ID)
		if got := v.get(path(s)).want(200).links("/sales?"); len(got) == 0 || got[0] != want {
			if got := v.get(path(s)).links("/sales#"); len(got) == 0 || got[0] != want {
				t.Errorf("%s: the way back is %q, want %q", fact, got, want)
			}
		}
	}
	back("no list was seen", here, "/sales")
	filter := fmt.Sprintf("/sales?state=cancelable&terminal=%d", here.TerminalID)
	v.get(filter).want(200)
	back("its terminal's list was seen", here, filter)
	back("another terminal's list was seen", there, "/sales")
	v.get("/sales?date=2026-11-19").want(200)
	back("another day's list was seen", here, "/sales")
	v.get("/sales").want(200)
	back("the whole list was seen", here, "/sales")
	v.jar["veinte_list"] = "terminal=%zz&state=<script>"
	back("the cookie is not one of ours", here, "/sales")
}

// That a request was taken is said on the panel of its state, which changes with it, and
// not above the page, where it would stand over the end.
func TestThatItWasTakenIsSaidOnItsPanel(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	sale := h.Sale(hereAmount)
	v := h.manager()
	page := v.follow(v.post(cancelPath(sale), url.Values{"reason": {"wrongAmount"}, "click": {"c"}})).want(200)
	said := page.one("flash")
	if got := attr(said.Parent, "id"); got != "truth-requested" {
		t.Errorf("that it was taken is said in %q, want on the panel of its state", got)
	}
	if part := v.get(fmt.Sprintf("/sales/%d?fragment=story", sale.ID)).want(200); len(part.byTestID("flash")) > 0 {
		t.Error("what is polled says again that it was taken")
	}
}

// The slip for the customer says what became of a request: before one there is nothing to
// say. A sale that is canceled leads on to the list and to the terminal's others.
func TestWhatAStoryOffersByState(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	v := h.manager()
	path := fmt.Sprintf("/sales/%d", h.Sale(hereAmount).ID)
	if page := v.get(path).want(200); len(page.byTestID("slip-link"))+len(page.byTestID("back-to-list")) > 0 {
		t.Error("a sale that nobody asked to cancel offers the slip, or an end")
	}
	decided, _ := h.StateOf(models.Confirmed)
	if page := v.get(fmt.Sprintf("/sales/%d", decided.ID)).want(200); len(page.byTestID("paper")) > 0 {
		t.Error("where a person decided, the terminal prints a receipt")
	}
	ended, c := h.StateOf(models.Accepted)
	h.Post(modelstest.CancelPost(ended, modelstest.CurrentKey(h.Office, c)))
	page := v.get(fmt.Sprintf("/sales/%d", ended.ID)).want(200)
	page.one("slip-link")
	if got := attr(page.one("back-to-list"), "href"); got != fmt.Sprintf("/sales#sale-%d", ended.ID) {
		t.Errorf("the end leads to %q", got)
	}
	page.says("Cancelar otra de " + h.Terminal.Label)
	if got := textOf(page.one("paper")); !strings.Contains(got, "Entrega el comprobante que imprime "+h.Terminal.Label) {
		t.Errorf("of the receipt it says %q", got)
	}
	if len(page.byTestID("cutoff")) > 0 {
		t.Error("the countdown runs above a sale that is canceled")
	}
	if others := page.links(fmt.Sprintf("/sales?terminal=%d", ended.TerminalID)); len(others) != 1 {
		t.Errorf("the terminal's other sales are at %q", others)
	}
}

// Whoever looks at a sale comes back to what they had found. An act ends the search, as
// the next customer's sale is another: the list's filter stays, and so does the text where
// nothing was done.
func TestAnActEndsTheSearch(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	sale := h.Sale(hereAmount)
	filter := fmt.Sprintf("terminal=%d", sale.TerminalID)
	searched := "/sales?q=visa+4242&" + filter
	path, row := fmt.Sprintf("/sales/%d", sale.ID), fmt.Sprintf("#sale-%d", sale.ID)
	v := h.manager()
	back := func(fact, want string) {
		t.Helper()
		if got := v.get(path).want(200).links("/sales?"); len(got) == 0 || got[0] != want+row {
			t.Errorf("%s: the way back is %q, want %q", fact, got, want+row)
		}
	}
	v.get(searched).want(200).one("sale")
	back("a look", searched)
	v.get(cancelPath(sale) + "/new").want(200)
	back("the sheet was opened and closed", searched)
	v.post(cancelPath(sale), url.Values{"click": {"c"}}).want(422)
	back("a request that was refused", searched)
	v.get("/sales?fragment=list", "Veinte-Poll", "1").want(200)
	back("another page asked for itself", searched)
	v.post(cancelPath(sale), url.Values{"reason": {"wrongAmount"}, "click": {"c"}}).want(303)
	back("a request", "/sales?"+filter)
	v.get(searched).want(200)
	back("a look at what was requested before", searched)

	// With several at once, the way back is on the page of what came of them.
	other := h.SaleAt(h.Terminal, 900)
	v = h.supervisor()
	v.get(searched).want(200)
	back("a look at what somebody else requested", searched)
	page := v.follow(v.post("/sales/cancellations", url.Values{
		"sale": {fmt.Sprintf("%d:%d", other.ID, other.Amount)}, "reason": {"wrongAmount"}, "click": {"d"}, "from": {searched},
	})).want(200)
	if got := page.links("/sales?"); len(got) == 0 || got[0] != "/sales?"+filter {
		t.Errorf("several: the way back is %q, want %q", got, "/sales?"+filter)
	}
	back("several", "/sales?"+filter)
}

// From another day today's list has all of its sales, and the list says on which days it
// looked for what it did not find.
func TestASearchOfAnotherDayLeadsBackToTodaysSales(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	sale := h.Sale(hereAmount)
	page := h.manager().get(fmt.Sprintf("/sales?q=zapatos&date=2026-11-10&terminal=%d", sale.TerminalID)).want(200)
	if got, want := page.links("/sales?terminal"), fmt.Sprintf("/sales?terminal=%d", sale.TerminalID); !slices.Contains(got, want) {
		t.Errorf("the ways to today are %q, want %q", got, want)
	}
	page.one("searched-days")
	page.says("Días revisados: del 3 nov 2026 al 11 nov 2026, " + h.Store.Name + ".")
	page.says("Se buscó como número de orden, folio, autorización o referencia.")
	if got, want := page.sends("other-day").Encode(), "date=2026-11-02&q=zapatos"; got != want {
		t.Errorf("another day is asked for by %q, want %q", got, want)
	}
}
