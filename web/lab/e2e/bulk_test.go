package e2e

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// chooseSales ticks the boxes of orders in today's list of the store.
func (p *page) chooseSales(orders ...string) {
	p.t.Helper()
	for _, order := range orders {
		p.press(sale(order) + " [name=sale]")
	}
}

// outcome is the row of an order on the result page.
func outcome(order string) string {
	return fmt.Sprintf("[data-testid=outcome][data-order-id=%q]", order)
}

// wantOutcome waits until the result page shows an order's state, without a reload.
func (p *page) wantOutcome(order, state string) {
	p.t.Helper()
	p.until(order+" is "+state, has(outcome(order)+fmt.Sprintf("[data-state=%s]", state)))
}

// bulkRequested sends a bulk request for two sales of a terminal that delays the
// first, and for others that are refused; it returns the address of the result page.
func (s *server) bulkRequested(t testing.TB, refused ...string) string {
	t.Helper()
	place := s.newTerminal(t, romaNorte)
	first := s.box.sell(t, place.serial, "1250.00", nil)
	s.box.fault(t, first, "ackNoResult", nil)
	sales := append([]string{s.saleID(t, first), s.saleID(t, s.box.sell(t, place.serial, "1250.00", nil))}, refused...)
	form := url.Values{"reason": {"wrongAmount"}, "click": {"varias-" + sales[0]}}
	path := "/sales/cancellations/varias-" + sales[0] + "?from=%2Fsales"
	for _, id := range sales {
		form.Add("sale", id+":125000")
		path += "&sale=" + id
	}
	sofia := s.as(t, supervisor)
	if status, text := sofia.post(t, "/sales", "/sales/cancellations", form); status != http.StatusSeeOther {
		t.Fatalf("ask for several = %d, want 303: %.500s", status, text)
	}
	sofia.waitFor(t, sales[0], "accepted")
	return path
}

// Three are chosen, two of them on one terminal: each is requested exactly once, and
// a terminal gets the second only after the first.
func TestBulk(t *testing.T) {
	t.Parallel()
	store := shared.newStore(t) // its list has no sales of other tests
	one, two := shared.newTerminal(t, store), shared.newTerminal(t, store)
	first := shared.box.sell(t, one.serial, "100.00", nil)
	second := shared.box.sell(t, one.serial, "200.00", nil)
	third := shared.box.sell(t, two.serial, "300.50", nil)
	left := shared.box.sell(t, one.serial, "400.00", nil)
	shared.box.withhold(t, first)
	p := shared.openAs(t, supervisor, desk)
	p.goTo("/sales?store=" + shared.storeID(t, store))
	p.chooseSales(first, second, third)
	p.until("how many and how much", says("[data-several-says]", "3 ventas elegidas · $600.50"))
	// The list updates itself, and what is chosen stays chosen.
	late := shared.box.sell(t, two.serial, "500.00", nil)
	p.until("that there is a new sale", says(id("new-sales"), "1 venta nueva · $500.00"))
	p.press(id("new-sales"))
	p.see(sale(late))
	if got := p.count("input[form=several]:checked"); got != 3 {
		t.Fatalf("chosen after the list changed = %d, want 3", got)
	}
	p.press(id("several"))
	p.see(id("several-form"))
	p.until("the focus", "document.activeElement !== document.body") // a browser sets it when it has drawn the page
	if got := p.focused(); !strings.HasPrefix(got, "a ") || !strings.Contains(p.text(":focus"), "conservar") {
		t.Errorf("the focus is on %q, want the safe button", got)
	}
	p.press("input[name=reason][value=chargedTwice]")
	p.doubleClick(id("confirm"))
	p.see(id("several-outcome"))
	p.wantOutcome(third, "confirmed")
	p.wantOutcome(first, "accepted")
	p.wantOutcome(second, "requested")
	if got := p.text(outcome(second)); !strings.Contains(got, "Hay 1 cancelación antes") {
		t.Errorf("the second of a terminal says %q, want its place in line", got)
	}
	shared.box.wantNoCancel(t, second) // the terminal is busy with the first
	shared.box.report(t, first)
	p.wantOutcome(first, "confirmed")
	p.wantOutcome(second, "confirmed")
	p.until("the counts", says(".page-head", "3 de 3 canceladas"))
	p.reload()
	p.see(outcome(third) + "[data-state=confirmed]")
	for _, order := range []string{first, second, third} {
		shared.box.wantOneCancel(t, order, false)
	}
	shared.box.wantNoCancel(t, left)
	shared.box.wantNoCancel(t, late)
}

// The same by keyboard and without scripts, on a phone: mistakes are explained, and
// going back and clicking again requests nothing more.
func TestBulkWithoutJavaScript(t *testing.T) {
	t.Parallel()
	place := shared.newTerminal(t, romaNorte)
	a, b := shared.box.sell(t, place.serial, "10.00", nil), shared.box.sell(t, place.serial, "20.00", nil)
	p := shared.openAs(t, supervisor, phone)
	p.withoutScripts()
	p.goTo("/sales?q=" + b)
	p.press(id("several"))
	p.until("nothing was chosen", says(id("flash"), "No elegiste ninguna venta"))
	p.goTo("/sales?terminal=" + place.id)
	for _, order := range []string{a, b} {
		p.do(chromedp.Focus(chromedp.CSS(sale(order) + " [name=sale]")))
		p.hit(space)
	}
	p.press(id("several"))
	p.see(id("several-form"))
	p.watch.allow("status of 422")
	p.press(id("receipt"))
	p.press("input[name=reason][value=other]")
	p.press(id("confirm"))
	p.see("[data-error-summary]")
	p.press("input[name=reason][value=wrongAmount]")
	p.press(id("confirm"))
	p.see(id("several-outcome"))
	sofia := shared.as(t, supervisor)
	for _, order := range []string{a, b} {
		sofia.waitFor(t, shared.saleID(t, order), "confirmed")
	}
	p.reload()
	p.until("the counts", says(".page-head", "2 de 2 canceladas"))
	for _, order := range []string{a, b} {
		shared.box.wantOneCancel(t, order, true)
	}
}
