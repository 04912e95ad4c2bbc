package e2e

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

var (
	down     = key{"ArrowDown", "ArrowDown", "", 40}
	up       = key{"ArrowUp", "ArrowUp", "", 38}
	home     = key{"Home", "Home", "", 36}
	end      = key{"End", "End", "", 35}
	letterC  = key{"c", "KeyC", "c", 67}
	letterN  = key{"n", "KeyN", "n", 78}
	question = key{"?", "Slash", "?", 191}
)

// scans types as a scanner does: faster than any hand, with Enter behind it. The keys
// say so themselves, because a machine that is busy may stop between two of them.
func (p *page) scans(text string) {
	p.t.Helper()
	p.whole()
	p.do(step(fmt.Sprintf(`{
		const begin = performance.now();
		[...%q, "Enter"].forEach((key, i) => {
			const e = new KeyboardEvent("keydown", {key, bubbles: true, cancelable: true});
			Object.defineProperty(e, "timeStamp", {value: begin + i});
			document.activeElement.dispatchEvent(e);
		});
	}`, text)))
}

// wantRow waits until a sale's row has the focus.
func (p *page) wantRow(order string) {
	p.t.Helper()
	p.until("the focus on "+order, fmt.Sprintf("document.activeElement.matches(%q)", sale(order)+" th a"))
}

// The list with single keys: rows, detail page, sheet, the list of the keys; and
// none of them once they are turned off.
func TestKeysOfTheList(t *testing.T) {
	t.Parallel()
	place := shared.newTerminal(t, romaNorte)
	oldest := shared.box.sell(t, place.serial, "61.00", nil)
	middle := shared.box.sell(t, place.serial, "62.00", nil)
	newest := shared.box.sell(t, place.serial, "63.00", nil)
	gone := shared.saleID(t, middle)
	shared.as(t, manager).cancel(t, gone)
	shared.as(t, manager).waitFor(t, gone, "confirmed")
	p := shared.openAs(t, manager, desk)
	list := "/sales?terminal=" + place.id
	p.goTo(list)
	p.see(sale(newest))

	p.hit(letterC)
	p.until("which row it means", says("[data-keys-says]", "Primero elige una venta"))
	p.hit(up)
	if got := p.focused(); got != "body " {
		t.Errorf("the arrow up took the focus to %q, want it to scroll only", got)
	}
	p.hit(down)
	p.wantRow(newest)
	p.hit(down)
	p.wantRow(middle)
	p.hit(letterC)
	p.until("why it cannot be canceled", says("[data-keys-says]", "Esta venta ya está cancelada."))
	p.hit(end)
	p.wantRow(oldest)
	p.hit(down) // there is no further
	p.wantRow(oldest)
	fresh := shared.box.sell(t, place.serial, "64.00", nil)
	p.until("that there is a new sale", says(id("new-sales"), "1 venta nueva · $64.00"))
	p.wantRow(oldest)
	p.hit(letterN)
	p.until("the new sale", has(sale(fresh)))
	p.wantRow(oldest)
	p.hit(home)
	p.wantRow(fresh)

	p.hit(question)
	p.see("dialog[open] " + id("shortcuts"))
	p.hit(letterC, down, slash)
	if p.count("dialog "+id("cancel-form")) != 0 || !eval[bool](p, `!!document.activeElement.closest("dialog")`) {
		t.Errorf("a shortcut works in the dialog: the focus is on %q", p.focused())
	}
	p.hit(escape)
	p.until("a closed dialog", "!"+has("dialog[open]"))
	p.wantRow(fresh)

	p.hit(letterC)
	p.see("dialog[open] " + id("cancel-form"))
	p.hit(escape, down) // before the page has brought the focus back
	p.wantRow(newest)
	shared.box.wantNoCancel(t, fresh)
	p.hit(enter)
	p.at("/sales/" + shared.saleID(t, newest))

	// Typed into a field they are letters.
	p.goTo(list)
	p.hit(slash)
	p.hit(letterC, question)
	if got := eval[string](p, has("#f-q")+".value"); got != "c?" {
		t.Errorf("the search field = %q, want what was typed", got)
	}
	p.hit(up, home)
	if got := p.focused(); !eval[bool](p, "document.activeElement.id === 'f-q'") {
		t.Errorf("the arrow up and Inicio left the search for %q", got)
	}
	// Nothing has that in it; once its answer is there, so is the list that the arrows mean.
	p.until("the answer to what was typed", "!"+has("[data-testid=sale]"))
	p.do(step(`document.getElementById("f-q").value = "";
		document.getElementById("f-q").dispatchEvent(new Event("input", {bubbles: true}))`))
	p.until("all of them again", "document.querySelectorAll('[data-testid=sale]').length === 4")
	p.hit(down) // whatever row had the focus before
	p.wantRow(fresh)
	p.hit(down)
	p.wantRow(newest)
	p.press("[data-keys-toggle]")
	p.reload()
	p.press("#f-q")
	p.hit(down)
	if !eval[bool](p, "document.activeElement.id === 'f-q'") {
		t.Errorf("turned off, the arrow down left the search for %q", p.focused())
	}
	p.do(chromedp.Evaluate[chromedp.Void]("document.activeElement.blur()"))
	p.hit(down, letterC, question)
	p.scans(newest)
	if got := p.focused(); got != "body " || p.count("dialog[open]") != 0 {
		t.Errorf("turned off, the keys took the focus to %q", got)
	}
	if got := eval[string](p, has("#f-q")+".value"); got != "" {
		t.Errorf("turned off, a scan went to the search: %q", got)
	}
	p.press("[data-keys-hint] a")
	p.see("dialog[open] " + id("shortcuts"))
}

// A scanner finds the sale of a ticket from wherever the focus is, and the next.
func TestScanner(t *testing.T) {
	t.Parallel()
	place := shared.newTerminal(t, romaNorte)
	first := shared.box.sell(t, place.serial, "71.00", nil)
	second := shared.box.sell(t, place.serial, "72.00", nil)
	p := shared.openAs(t, manager, desk)
	p.goTo("/sales")
	p.scans(first)
	p.until("the one sale", "document.readyState === 'complete' && document.querySelectorAll('[data-testid=sale]').length === 1")
	p.wantRow(first)
	if got, want := eval[string](p, "location.search"), "?q="+first; got != want {
		t.Errorf("the address holds %q, want %q and nothing else", got, want)
	}
	p.scans(second) // on a row's link, where Enter would open the detail page
	p.until("the other sale", has(sale(second)))
	p.wantRow(second)
	p.hit(letterC)
	p.see("dialog[open] " + id("cancel-form"))
	p.hit(escape)
	p.until("a closed sheet", "!"+has("dialog[open]")+" && !history.state?.sheet")

	// In the box, over what is there.
	p.hit(slash)
	p.scans(first)
	p.until("the first sale", has(sale(first)))

	// A whole card number does not leave the page.
	p.fill("#f-q", "4111 1111 1111 1111")
	p.hit(enter)
	p.until("the refusal", says(id("flash"), "número de tarjeta completo"))
	if got := eval[string](p, "location.href + document.documentElement.outerHTML"); strings.Contains(got, "1111 1111") ||
		strings.Contains(got, "1111+1111") || strings.Contains(got, "11111111") {
		t.Error("the page holds the card number")
	}
}

// The search answers while one types: the rows on the page at once, the server's a
// moment later, and the page stays the one it was; Enter leads to the one that was found.
// What may be the beginning of a card number is only sent whole, where it can be told.
func TestTheSearchAnswersWhileOneTypes(t *testing.T) {
	t.Parallel()
	place := shared.newTerminal(t, romaNorte)
	wanted := shared.box.sell(t, place.serial, "164.90", nil)
	other := shared.box.sell(t, place.serial, "73.10", nil)
	p := shared.openAs(t, manager, phone)
	p.goTo("/sales?terminal=" + place.id)
	p.see(sale(other))
	p.do(markLoaded, step(`window.sent = [];
		document.addEventListener("htmx:beforeRequest", (e) => window.sent.push(e.detail.pathInfo.requestPath))`))
	p.press("#f-q")
	// Something changes just when the answer has come. The page asks by itself meanwhile, and
	// never while an answer is on its way.
	p.do(step(`const change = (e) => {
			if (!e.detail.pathInfo?.requestPath.includes("q=164.9")) return;
			document.removeEventListener("htmx:afterSwap", change);
			htmx.trigger(document.getElementById("sales-list"), "refresh");
		};
		document.addEventListener("htmx:afterSwap", change)`))
	p.write("164.9")
	p.until("what changed", `window.sent.filter((path) => path.includes("q=164.9")).length > 1`)
	p.until("the one sale", fmt.Sprintf("document.querySelectorAll('[data-testid=sale]').length === 1 && %s", has(sale(wanted))))
	p.until("what matches, marked", `[...CSS.highlights.get("found")].map(String).join() === "164.9"`)
	p.until("its address", `location.search.includes("q=164.9")`)
	if got := eval[float64](p, has(sale(wanted)+" "+id("cancel"))+".getBoundingClientRect().height"); got < 50 {
		t.Errorf("the way to cancel the one sale is %.0f px high, want a large one", got)
	}
	if !eval[bool](p, "document.activeElement.id === 'f-q'") {
		t.Errorf("the focus went from the search to %q", p.focused())
	}
	p.hit(enter)
	p.wantRow(wanted)
	p.press("#f-q")
	p.do(step(`document.getElementById("f-q").value = "";
		document.getElementById("f-q").dispatchEvent(new Event("input", {bubbles: true}))`))
	p.until("all of them again", has(sale(other))+" && "+has(sale(wanted))+` && !location.search.includes("q=")`)
	p.write("41111111")
	p.until("a list that nothing was asked of", `document.getElementById("f-q").value === "41111111"`)
	shared.box.sell(t, place.serial, "5.00", nil)
	p.until("the page's own question", "window.sent.at(-1).includes('fragment=list')")
	p.see("[data-find-whole]")
	p.until("no row without that number, also of those that came", `!document.querySelector("[data-testid=sale]:not([hidden])")`)
	if got := eval[string](p, "window.sent.join() + location.href"); strings.Contains(got, "4111") {
		t.Errorf("the beginning of a card number was sent: %s", got)
	}
	p.wantNotReloaded()

	// What was looked for while typing is the list that one comes back to.
	p.do(step(`document.getElementById("f-q").value = "164.9";
		document.getElementById("f-q").dispatchEvent(new Event("input", {bubbles: true}))`))
	p.until("the one sale again", `location.search.includes("q=164.9") && !`+has(sale(other)))
	p.press(sale(wanted) + " th a")
	p.press(".crumbs a")
	p.at("/sales")
	p.until("what was typed", `document.getElementById("f-q").value === "164.9"`)
}

// What an order number tells is filled in by it, and whoever types a sale that is in the
// list already is led there. What a person has set stays.
func TestATicketIsReadFromItsNumber(t *testing.T) {
	t.Parallel()
	place := shared.newTerminal(t, romaNorte)
	there := shared.box.sell(t, place.serial, "61.00", nil)
	p := shared.openAs(t, manager, phone)
	p.goTo("/sales/new")
	p.do(step(`{
		const time = document.querySelector("input[name=time]");
		time.value = "07:07"; // its own keys differ between languages
		time.dispatchEvent(new Event("input", {bubbles: true}));
	}`))
	p.fill("input[name=orderId]", "261118190142-"+place.serial)
	p.press("input[name=amount]")
	p.until("the terminal of the number", fmt.Sprintf("document.querySelector('select[name=terminal]').value === %q", place.id))
	p.until("its day", "document.querySelector('input[name=date]').value === '2026-11-18'")
	if got := eval[string](p, "document.querySelector('input[name=time]').value"); got != "07:07" {
		t.Errorf("a time that was typed became %q", got)
	}
	if !eval[bool](p, "document.querySelector('[data-known]').hidden") {
		t.Error("a sale that is nowhere is called known")
	}
	p.fill("input[name=orderId]", there)
	p.press("input[name=amount]")
	p.see("[data-known] a")
	p.press("[data-known] a")
	p.at("/sales/" + shared.saleID(t, there))
}
