package e2e

import (
	"fmt"
	"testing"
)

// typeSearch puts a text into the search as a hand does, all at once.
func (p *page) typeSearch(text string) {
	p.t.Helper()
	p.do(step(fmt.Sprintf(`document.getElementById("f-q").value = %q;
		document.getElementById("f-q").dispatchEvent(new Event("input", {bubbles: true}))`, text)))
}

const shown = `.checkVisibility({visibilityProperty: true})`

// That nothing was found holds for the text that was searched: once another one is typed
// it is not said any more, until the answer to that one is there.
func TestNothingIsSaidOfATextThatWasNotSearched(t *testing.T) {
	t.Parallel()
	place := shared.newTerminal(t, romaNorte)
	wanted := shared.box.sell(t, place.serial, "191.70", nil)
	p := shared.openAs(t, manager, phone)
	p.goTo("/sales?terminal=" + place.id)
	p.see(sale(wanted))
	p.do(step(`{
		const send = XMLHttpRequest.prototype.send;
		XMLHttpRequest.prototype.send = function (...a) { window.hold ? (window.held = () => send.apply(this, a)) : send.apply(this, a) };
	}`))
	nothing := id("nothing")
	p.typeSearch("zapatos")
	p.until("that nothing was found", says(nothing, "«zapatos»"))
	p.do(step(`window.hold = true`))
	p.typeSearch("191,70")
	if eval[bool](p, has(nothing)+shown) || !eval[bool](p, has(".asking")+shown) {
		t.Error("that there is no such sale is said of a text that was not searched")
	}
	p.until("the question", "!!window.held")
	if eval[bool](p, has(nothing)+shown) || eval[bool](p, has(".list-head .sums")+shown) {
		t.Error("while its answer is awaited the sums of another text are said of it, or that there is no such sale")
	}
	p.do(step(`window.hold = false; window.held()`))
	p.until("the sale", has(sale(wanted))+" && !"+has(".asking")+shown)
	p.until("its sums", has(".list-head .sums")+shown)

	// What is not asked is not awaited.
	p.typeSearch("41111111")
	if eval[bool](p, has(".asking")+shown) || !eval[bool](p, has("[data-find-whole]")+shown) {
		t.Error("it says that it searches what is only searched whole")
	}
	// Several words are narrowed at once, each by itself; the terminal's digits are no sale's.
	p.typeSearch("")
	p.until("all of them", `!location.search.includes("q=")`)
	p.do(step(`window.hold = true`))
	other := fmt.Sprintf("document.querySelector('%s').hidden", sale(wanted))
	p.typeSearch("191.70 visa")
	if eval[bool](p, other) {
		t.Error("an amount and a brand do not find the row that has both")
	}
	p.do(step(`window.hold = false`))
}

// The search of a customer ends with what was done for them; whoever only looks at a sale
// comes back to what they had found, and today's list is that of nobody's search.
func TestTheNextCustomerMeetsTheWholeList(t *testing.T) {
	t.Parallel()
	place := shared.newTerminal(t, romaNorte)
	order := shared.box.sell(t, place.serial, "187.30", nil)
	other := shared.box.sell(t, place.serial, "73.10", nil)
	p := shared.openAs(t, manager, phone)
	p.goTo("/sales?terminal=" + place.id)
	p.typeSearch("187,30")
	p.until("the one sale", fmt.Sprintf("!%s && %s && %s", has(sale(other)), has(sale(order)), `location.search.includes("q=")`))
	p.press(sale(order) + " th a")
	p.at("/sales/" + shared.saleID(t, order))
	p.press(".crumbs a")
	p.at("/sales")
	p.until("the search of a mere look", `document.getElementById("f-q").value === "187,30"`)

	p.press(sale(order) + " " + id("cancel"))
	p.see("dialog[open] " + id("cancel-form"))
	p.press("dialog input[name=reason][value=customerRequest]")
	p.press("dialog " + id("confirm"))
	p.at("/sales/" + shared.saleID(t, order))
	p.wantState("confirmed")
	p.see(id("back-to-list"))
	p.press(id("back-to-list"))
	p.at("/sales")
	p.see(sale(other))
	if got := eval[string](p, `document.getElementById("f-q").value + location.search`); got != "?terminal="+place.id {
		t.Errorf("after the act the list is searched by %q, want its terminal alone", got)
	}

	p.goTo("/sales?date=2026-11-10&q=187.30&terminal=" + place.id)
	p.press(".page-head .sub a")
	p.at("/sales")
	p.see(sale(other))
	if got := eval[string](p, `document.getElementById("f-q").value + location.search`); got != "?terminal="+place.id {
		t.Errorf("today's list is searched by %q, want its terminal alone", got)
	}
}

// Another day's list answers while one types as today's does, and takes the text along that
// was typed before.
func TestYesterdayIsSearchedLikeToday(t *testing.T) {
	t.Parallel()
	place := shared.newTerminal(t, romaNorte)
	order := shared.box.sell(t, place.serial, "271.40", nil)
	p := shared.openAs(t, manager, desk)
	p.goTo("/sales?terminal=" + place.id)
	p.typeSearch("visa zapatos")
	p.until("that nothing was found", says(id("nothing"), "«visa zapatos»"))
	p.press(".near-days a:last-of-type")
	p.until("yesterday's list", `location.search.includes("date=") && document.readyState === "complete"`)
	if got := eval[string](p, `document.getElementById("f-q").value`); got != "visa zapatos" {
		t.Errorf("yesterday is searched by %q, want what was typed", got)
	}
	p.typeSearch("271.40")
	p.until("that today has it", says(id("nothing"), "«271.40»")+" && !"+has(".asking")+shown)
	if n := p.count("#sales-list"); n != 1 {
		t.Errorf("%d lists are on the page, one in the other", n)
	}
	p.see(id("beside") + " a")
	p.press(id("beside") + " a")
	p.see(sale(order))
}
