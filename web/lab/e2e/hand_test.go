package e2e

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
)

// A press on the red button says what the sheet lacks, at the place that lacks it and with
// the focus there, by the finger and by the keyboard. Nothing is sent, and nothing is lost.
func TestASheetSaysWhatItLacks(t *testing.T) {
	t.Parallel()
	order := shared.box.sell(t, shared.newTerminal(t, romaNorte).serial, "87.00", nil)
	saleID := shared.saleID(t, order)
	for _, sheet := range []struct {
		path string
		sc   screen
	}{{"/sales", phone}, {"/sales", desk}, {"/sales/" + saleID + "/cancellation/new", phone}} {
		p := shared.openAs(t, manager, sheet.sc)
		p.goTo(sheet.path)
		if sheet.path == "/sales" {
			p.press(sale(order) + " " + id("cancel"))
		}
		p.see(id("cancel-form"))
		p.do(markLoaded)
		p.press(id("receipt"))
		kept := eval[bool](p, has(id("receipt"))+".checked")
		if sheet.sc.phone {
			p.press(id("confirm"))
		} else {
			p.tabTo(id("confirm"))
			p.hit(enter)
		}
		p.until("that the reason is missing", says("[data-reasons] [role=alert]", "Elige el motivo."))
		p.until("the reasons, which it describes", `document.activeElement.name === "reason" &&
			document.querySelector("[data-reasons]").getAttribute("aria-describedby") === document.querySelector("[role=alert][id^=e-]").id`)
		p.wantInSight("[data-reasons] [role=alert]")
		p.press("[name=reason][data-note]")
		p.until("nothing said of the reason", "!"+has("[data-reasons] [role=alert]"))
		p.press(id("confirm"))
		p.until("that the note is missing", says(".field:has(#f-note) [role=alert]", "Explica el motivo en la nota."))
		p.until("the note", `document.activeElement.id === "f-note" && document.activeElement.getAttribute("aria-describedby") === "e-note"`)
		p.wantInSight(".field:has(#f-note) [role=alert]")
		if got := eval[bool](p, has(id("receipt"))+".checked"); got != kept || p.count("[name=reason][data-note]:checked") != 1 {
			t.Errorf("%s: what was chosen is lost", sheet.path)
		}
		p.write("El cliente volvió")
		p.until("nothing said of the note", "!"+has("#sheet [role=alert][id^=e-]"))
		p.wantNotReloaded()
		shared.box.wantNoCancel(t, order)
		if sheet.path != "/sales" {
			p.press(id("confirm"))
			p.at("/sales/" + saleID)
			p.wantState("confirmed")
		}
	}
}

// rect is where something stands that has nothing in it but words.
func (p *page) rect(selector string) box {
	p.t.Helper()
	p.see(selector)
	return eval[box](p, fmt.Sprintf(`(() => { const r = document.querySelector(%q).getBoundingClientRect();
		return {X: r.x, Y: r.y + scrollY, W: r.width, H: r.height} })()`, selector))
}

// wantInSight reports what has something over it, or lies outside the screen.
func (p *page) wantInSight(selector string) {
	p.t.Helper()
	p.until(selector+" in sight", fmt.Sprintf(`(() => { const e = document.querySelector(%q), b = e.getBoundingClientRect();
		return e.contains(document.elementFromPoint(b.left + 5, b.top + b.height / 2)) })()`, selector))
}

// Back closes an open sheet and stays in the list, Forward opens it again, and so does
// loading the page anew. A sheet that is closed leaves no step behind, and Back from a
// sale that was canceled leads to the list without a sheet.
func TestBackClosesTheSheet(t *testing.T) {
	t.Parallel()
	place := shared.newTerminal(t, romaNorte)
	order := shared.box.sell(t, place.serial, "86.00", nil)
	saleID := shared.saleID(t, order)
	list := "/sales?terminal=" + place.id
	p := shared.openAs(t, manager, phone)
	p.goTo("/sales/day")
	p.goTo(list)
	open := func() {
		t.Helper()
		p.press(sale(order) + " " + id("cancel"))
		p.see("dialog[open] " + id("cancel-form"))
	}
	closed := func(how string) {
		t.Helper()
		p.until("a closed sheet after "+how, `!document.querySelector("dialog[open]") && !history.state?.sheet`)
		p.at("/sales")
	}
	back, forward := chromedp.Evaluate[chromedp.Void]("history.back();0"), chromedp.Evaluate[chromedp.Void]("history.forward();0")
	open()
	p.do(markLoaded, back)
	closed("Back")
	p.wantNotReloaded()
	p.until("the focus on its row", fmt.Sprintf("document.activeElement.matches(%q)", sale(order)+" a"))
	p.do(forward)
	p.see("dialog[open] " + id("cancel-form"))
	// A browser tells of a closing with its next frame, which may come when it is open again.
	p.do(step(`document.getElementById("sheet-dialog").dispatchEvent(new Event("close"))`))
	p.see("dialog[open] " + id("cancel-form"))
	p.reload()
	p.see("dialog[open] " + id("cancel-form"))
	p.hit(escape)
	closed("Escape")
	open()
	p.press("dialog [data-close]")
	closed("No")
	// Pressed at once, before the browser has taken the step of the closed sheet back.
	open()
	p.do(step(fmt.Sprintf(`const sheet = document.getElementById("sheet-dialog");
		sheet.addEventListener("close", () => document.querySelector(%q).click(), {once: true});
		sheet.querySelector("[data-close]").click();`, sale(order)+" "+id("cancel"))))
	p.see("dialog[open] " + id("cancel-form"))
	p.hit(escape)
	closed("Escape")
	p.do(back)
	p.at("/sales/day")
	p.goTo(list)
	open()
	p.press("dialog [name=reason][value=wrongAmount]")
	p.press(id("confirm"))
	p.at("/sales/" + saleID)
	p.wantState("confirmed")
	p.do(back)
	p.at("/sales")
	p.until("the list", has(sale(order))+` && !document.querySelector("dialog[open]")`)
}

// Back to a ticket that was refused asks nothing, and has what was typed; what was typed
// after that too, with scripts.
func TestBackToARefusedTicket(t *testing.T) {
	t.Parallel()
	place := shared.newTerminal(t, romaNorte)
	for _, plain := range []bool{false, true} {
		p := shared.openAs(t, manager, phone)
		if plain {
			p.withoutScripts()
		}
		p.goTo("/sales/new")
		p.fill("input[name=orderId]", "T-86-1")
		p.choose("select[name=terminal]", place.id)
		p.fill("input[name=amount]", "mucho")
		p.press(id("entry-form") + " button[type=submit]")
		p.see("[data-error-summary]")
		p.at("/sales/new")
		want := []string{"T-86-1", place.id, "mucho", ""}
		if !plain {
			want[3] = "F-7"
			p.fill("input[name=folio]", want[3])
		}
		p.press(".crumbs a")
		p.at("/sales")
		p.do(chromedp.Evaluate[chromedp.Void]("history.back();0"))
		p.at("/sales/new")
		p.see("[data-error-summary]")
		got := eval[[]string](p, `["orderId", "terminal", "amount", "folio"].map((n) => document.querySelector("[name=" + n + "]").value)`)
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("Back to a refused ticket has %q, want %q", got, want)
		}
	}
}

// The demo's sales of yesterday came in when they were made, as those of a day without
// trouble do.
func TestTheDemosYesterdayIsNotLate(t *testing.T) {
	t.Parallel()
	v := shared.as(t, manager)
	_, list := v.get(t, "/sales?date="+shared.box.now(t).AddDate(0, 0, -1).Format(time.DateOnly))
	first := regexp.MustCompile(`href=/sales/(\d+)>`).FindStringSubmatch(list)
	if first == nil {
		t.Fatal("the demo has no sales of yesterday")
	}
	_, story := v.get(t, "/sales/"+first[1])
	if !strings.Contains(story, "La venta llegó de la terminal") || strings.Contains(story, "después de cobrarse") {
		t.Errorf("sale %s of yesterday came in late", first[1])
	}
}

// What a search finds on several days is no sale to cancel at once: the page asks for the
// day of the ticket, and today's row keeps its ordinary button.
func TestSeveralDaysAreAskedFor(t *testing.T) {
	t.Parallel()
	s := ownServer(t, noon)
	const serial, amount = "1490001001", "7654.32" // of the demo: it stood there yesterday
	before := s.box.now(t).AddDate(0, 0, -1)
	s.box.sell(t, serial, amount, map[string]any{"soldAt": before})
	today := s.box.sell(t, serial, amount, nil)
	alone := s.box.sell(t, serial, "8765.43", nil)
	for _, sc := range []screen{phone, desk} {
		p := s.openAs(t, manager, sc)
		p.goTo("/sales")
		p.press("#f-q")
		p.write(amount)
		p.see(id("which-day"))
		p.until("the one row", fmt.Sprintf("document.querySelectorAll('[data-testid=sale]').length === 1 && %s", has(sale(today))))
		button := p.rect(sale(today) + " " + id("cancel"))
		if day := p.rect(id("beside") + " a"); button.H > 48 || day.H < 40 || day.Y > button.Y {
			t.Errorf("%d px: the way to cancel is %+v, that to the other day %+v; want an ordinary one below", sc.width, button, day)
		}
		what := has(sale(today) + " " + id("cancel"))
		if c := eval[string](p, fmt.Sprintf("getComputedStyle(%s).backgroundColor", what)); c != "rgba(0, 0, 0, 0)" {
			t.Errorf("%d px: the way to cancel is filled with %s", sc.width, c)
		}
		p.hit(enter)
		p.until("the focus on the other day", `document.activeElement.closest("[data-testid=beside]")`)
		p.hit(enter)
		p.until("yesterday's", `location.search.includes("date=") && document.querySelectorAll("[data-testid=sale]").length === 1`)
		if got := p.text("[data-testid=sale] td:nth-last-child(5)"); len(got) < 5 || got[:4] != "Ayer" {
			t.Errorf("a row of yesterday says %q, want its day", got)
		}
		p.goTo("/sales?q=8765.43")
		p.see(sale(alone))
		if b := p.rect(sale(alone) + " " + id("cancel")); b.H < 50 || p.count(id("which-day")) != 0 {
			t.Errorf("%d px: the one sale of that amount has %+v to cancel it, want a large one and no days", sc.width, b)
		}
	}
}

// On a phone an amount of the sums is whole or not there, once something was canceled too;
// and each row of who sees several stores says whose it is, whatever its state.
func TestSumsAndStoresAreWholeOnAPhone(t *testing.T) {
	t.Parallel()
	s := ownServer(t, noon)
	s.box.sell(t, "1490001004", "123456.78", nil) // Mostrador: a long name
	order := s.box.sell(t, "1490003004", "234567.89", nil)
	ana := s.as(t, supervisor)
	ana.cancel(t, s.saleID(t, order))
	ana.waitFor(t, s.saleID(t, order), "confirmed")
	for _, width := range []int64{390, 360} {
		for _, lang := range []string{"es-MX", "en"} {
			p := s.openAs(t, supervisor, screen{width, 844, true})
			p.setCookie("veinte_language", lang)
			p.goTo("/sales")
			p.drawn()
			cut := eval[[]string](p, `(() => {
				const sums = document.querySelector(".sums").getBoundingClientRect();
				return [...document.querySelectorAll(".sums > *")].filter((e) => {
					const r = e.getBoundingClientRect();
					return r.width && r.top < sums.bottom - 2 && (r.right > sums.right + 1 || r.bottom > sums.bottom + 2);
				}).map((e) => e.innerText);
			})()`)
			if left := p.text(".sums"); len(cut) > 0 || !strings.Contains(left, "$") {
				t.Errorf("%s, %d px: the sums %q are cut at %q", lang, width, left, cut)
			}
			cut = eval[[]string](p, `[...document.querySelectorAll("[data-testid=sale]")].slice(0, 10).filter((row) => {
				const td = row.querySelector("td:nth-last-child(4)"), code = document.createRange();
				code.selectNode(td.querySelector("small").firstChild);
				const r = code.getBoundingClientRect(), of = td.getBoundingClientRect();
				return !r.width || r.left < of.left - 1 || r.right > of.right + 1;
			}).map((row) => row.innerText)`)
			if len(cut) > 0 {
				t.Errorf("%s, %d px: these rows do not say whose they are: %q", lang, width, cut)
			}
		}
	}
	// Who asked and what the terminal said is said on the first screen of the sale: from the
	// list a press leads there.
	p := s.openAs(t, supervisor, phone)
	p.goTo("/sales")
	p.press(sale(order) + " th a")
	p.at("/sales/" + s.saleID(t, order))
	said := p.text(id("asked-answered"))
	if b := p.rect(id("asked-answered")); b.Y+b.H > 500 || !strings.Contains(said, "La solicitó Sofía Méndez a las 12:0") ||
		!strings.Contains(said, "La terminal contestó a las 12:0") || !strings.Contains(said, "con el código 00") {
		t.Errorf("%+v of a canceled sale says %q, want on its first screen who asked and what the terminal said", b, said)
	}
}

// Which sale is about to be canceled is in sight wherever its sheet is read.
func TestTheSaleStaysInSightOnItsSheet(t *testing.T) {
	t.Parallel()
	order := shared.box.sell(t, shared.newTerminal(t, romaNorte).serial, "1250.00", nil)
	for _, sc := range []screen{{390, 664, true}, {360, 640, true}, desk} {
		p := shared.openAs(t, manager, sc)
		p.goTo("/sales?q=" + order)
		p.press(sale(order) + " " + id("cancel"))
		p.see("dialog[open] " + id("cancel-form"))
		p.press("dialog input[name=reason][value=other]")
		p.press("dialog textarea")
		for _, part := range []string{".sheet-amount", ".sheet-card", "textarea"} {
			if !eval[bool](p, fmt.Sprintf(`(() => {
				const e = document.querySelector("dialog " + %q), r = e.getBoundingClientRect();
				const seen = (y) => document.elementFromPoint(r.left + r.width / 2, y)?.closest(%q) === e;
				return seen(r.top + 2) && seen(r.bottom - 2);
			})()`, part, part)) {
				t.Errorf("%d × %d: %s is not whole in sight while the note is written", sc.width, sc.height, part)
			}
		}
	}
}

// A tap beside an open menu closes it, and opens nothing that lies below; a slip beside a
// sheet that was begun loses nothing of it.
func TestATapBesideIsNoPress(t *testing.T) {
	t.Parallel()
	place := shared.newTerminal(t, romaNorte)
	var order string
	for range 8 {
		order = shared.box.sell(t, place.serial, "61.00", nil)
	}
	p := shared.openAs(t, manager, phone)
	p.goTo("/sales?terminal=" + place.id)
	p.press("[popovertarget=sales-filters]")
	p.see("#sales-filters:popover-open")
	below := has(sale(order) + " " + id("cancel"))
	p.do(step(below + `.scrollIntoView({block: "start", behavior: "instant"})`))
	p.drawn()
	at := eval[point](p, `(({x, y, width, height}) => ({X: x + width / 2, Y: y + height / 2}))(`+below+`.getBoundingClientRect())`)
	p.do(step(`window.pressed = []; document.addEventListener("click", (e) => window.pressed.push(e.target.outerHTML))`))
	p.do(chromedp.TapXY(at.X, at.Y))
	p.until("a closed menu", "!"+has("#sales-filters:popover-open"))
	p.drawn()
	if got := eval[[]string](p, "window.pressed"); len(got) > 0 {
		t.Errorf("a tap beside the menu pressed %q, which lies below it", got)
	}

	p.press(sale(order) + " " + id("cancel"))
	p.see("dialog[open] " + id("cancel-form"))
	p.do(chromedp.TapXY(20, 5))
	p.until("a sheet that a tap beside it closes", "!"+has("dialog[open]"))
	p.press(sale(order) + " " + id("cancel"))
	p.see("dialog[open] " + id("cancel-form"))
	p.press("dialog input[name=reason][value=other]")
	p.do(chromedp.TapXY(20, 5))
	p.drawn()
	if !eval[bool](p, has("dialog[open] input[value=other]")+"?.checked") {
		t.Error("a tap beside the sheet lost what was chosen on it")
	}
}
