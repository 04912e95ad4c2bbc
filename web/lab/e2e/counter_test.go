package e2e

import (
	"fmt"
	"testing"

	"github.com/chromedp/chromedp"
)

// step does something on the page.
func step(script string) chromedp.Action[chromedp.Void] {
	return chromedp.Evaluate[chromedp.Void](script + ";0")
}

// A reason that needs a note scrolls the note field into view, and leaves the focus
// on the reasons.
func TestTheNoteComesIntoSight(t *testing.T) {
	t.Parallel()
	order := shared.box.sell(t, shared.newTerminal(t, romaNorte).serial, "88.00", nil)
	p := shared.openAs(t, manager, phone)
	p.goTo("/sales")
	p.press(sale(order) + " " + id("cancel"))
	p.see("dialog[open] " + id("cancel-form"))
	const inSight = `(() => { const n = document.querySelector("#f-note").getBoundingClientRect(),
		b = document.querySelector("dialog .sheet-body").getBoundingClientRect();
		return n.top >= b.top && n.bottom <= b.bottom })()`
	const optional = `getComputedStyle(document.querySelector("dialog .field:has(#f-note) .optional")).display !== "none"`
	p.do(step(`document.querySelector("#f-reason").click()`))
	if eval[bool](p, inSight) || !eval[bool](p, optional) {
		t.Fatal("the note is in sight, or needed, with a reason that says enough: this test tells nothing")
	}
	p.do(step(`(() => { const r = document.querySelector("[name=reason][data-note]"); r.focus({preventScroll: true}); r.click() })()`))
	p.until("the note in sight", inSight)
	if !eval[bool](p, `document.activeElement.matches("[name=reason][data-note]")`) {
		t.Errorf("the focus went from the reason to %q", p.focused())
	}
	if eval[bool](p, optional) || !eval[bool](p, `document.querySelector("#f-note").getAttribute("aria-required") === "true"`) {
		t.Error("the note is called optional for a reason that needs it")
	}
	p.do(step(`document.querySelector("#f-reason").click()`))
	if !eval[bool](p, optional) || eval[bool](p, `document.querySelector("#f-note").getAttribute("aria-required") === "true"`) {
		t.Error("the note stays needed for a reason that does not need it")
	}
	p.hit(escape)
	shared.box.wantNoCancel(t, order)
}

// A reason is chosen by pressing it, and none is chosen before: only then can the sheet be
// confirmed, also for one that was opened from the list and one that came back.
func TestTheReasonIsAPress(t *testing.T) {
	t.Parallel()
	order := shared.box.sell(t, shared.newTerminal(t, romaNorte).serial, "89.00", nil)
	saleID := shared.saleID(t, order)
	p := shared.openAs(t, manager, phone)
	ready := func(in string) bool { return p.count(in+id("confirm")+":not([aria-disabled=true])") == 1 }
	for _, sheet := range []struct{ path, in string }{{"/sales", "dialog "}, {"/sales/" + saleID + "/cancellation/new", ""}} {
		p.goTo(sheet.path)
		if sheet.in != "" {
			p.press(sale(order) + " " + id("cancel"))
		}
		p.see(sheet.in + id("cancel-form"))
		if n := p.count(sheet.in + "[name=reason]:checked"); n != 0 || ready(sheet.in) {
			t.Errorf("%s: %d reasons are chosen before any was pressed, ready: %t", sheet.path, n, ready(sheet.in))
		}
		tile := eval[[]float64](p, `(() => { const r = `+has(sheet.in+"input[name=reason]")+`.getBoundingClientRect();
			return [r.width, r.height] })()`)
		if tile[0] < 150 || tile[1] < 44 {
			t.Errorf("%s: a reason is %v px to press, want a tile", sheet.path, tile)
		}
		p.press(sheet.in + "input[name=reason][value=wrongAmount]")
		if !ready(sheet.in) {
			t.Errorf("%s: the sheet cannot be confirmed after a reason was pressed", sheet.path)
		}
	}
	p.press(id("confirm"))
	p.at("/sales/" + saleID)
	p.wantState("confirmed")
}

// On the narrowest phones what may be looked for is read whole, the header is one
// line with the way to the guide in its menu, and a guide begins on the first screen.
func TestTheCounterOnANarrowPhone(t *testing.T) {
	t.Parallel()
	for _, lang := range []string{"es-MX", "en"} {
		for _, width := range []int64{390, 360} {
			p := shared.openAs(t, manager, screen{width, 844, true})
			p.setCookie("veinte_language", lang)
			p.goTo("/sales")
			if room := p.hintRoom(); room < 0 {
				t.Errorf("%s at %d px: what may be looked for is %.0f px too long for its field", lang, width, -room)
			}
			var tops []float64
			for _, what := range []string{".brand", "[popovertarget=me]"} {
				b := p.box(what)
				tops = append(tops, b.Y+b.H/2)
			}
			if tops[1]-tops[0] > 22 {
				t.Errorf("%s at %d px: the header is of several lines, their middles at %v", lang, width, tops)
			}
			p.press("[popovertarget=me]")
			if b := p.box(".me a[href='/help']"); b.W < 44 || b.H < 44 || b.X+b.W > float64(width) {
				t.Errorf("%s at %d px: the way to the guide is %+v, want 44 px on the screen", lang, width, b)
			}
			p.press(".me a[href='/help']")
			p.at("/help/" + manager) // whole: what is measured may come last
			if b := p.box(".guide section li"); width == 390 && b.Y+b.H > 844 {
				t.Errorf("%s: the first step of the guide ends %.0f px down, below the first screen", lang, b.Y+b.H)
			}
			if p.count(".guide-fold[open]") != 0 {
				t.Errorf("%s: the contents are unfolded", lang)
			}
			p.press(".guide-fold summary")
			p.until("the contents", `document.querySelector(".guide-fold a").getBoundingClientRect().height >= 44`)
		}
	}
}

// hintRoom is how many pixels are left behind the hint in the search box.
func (p *page) hintRoom() float64 {
	p.t.Helper()
	return eval[float64](p, `(() => { const i = document.querySelector("#f-q"), s = getComputedStyle(i), h = getComputedStyle(i,
		"::placeholder");
		const c = document.createElement("canvas").getContext("2d"); c.font = h.fontSize + " " + s.fontFamily;
		return i.clientWidth - parseFloat(s.paddingLeft) - parseFloat(s.paddingRight) - c.measureText(i.placeholder).width })()`)
}

// The same of the trail's search box, for a supervisor on the way home.
func TestTheTrailsSearchHintIsReadWhole(t *testing.T) {
	t.Parallel()
	for _, lang := range []string{"es-MX", "en"} {
		p := shared.openAs(t, supervisor, screen{360, 844, true})
		p.setCookie("veinte_language", lang)
		p.goTo("/audit")
		if room := p.hintRoom(); room < 0 {
			t.Errorf("%s: what may be looked for is %.0f px too long for its field", lang, -room)
		}
	}
}

// A row that the keyboard chose is shaded, on a desk and on a phone.
func TestTheChosenRowIsShaded(t *testing.T) {
	t.Parallel()
	place := shared.newTerminal(t, romaNorte)
	order := shared.box.sell(t, place.serial, "89.00", nil)
	for _, sc := range []screen{desk, phone} {
		p := shared.openAs(t, manager, sc)
		p.goTo("/sales?terminal=" + place.id) // what a search found is shaded by itself
		p.see(sale(order))
		shade := fmt.Sprintf(`(() => { const r = document.querySelector(%q);
			return getComputedStyle(r).backgroundColor + getComputedStyle(r.querySelector("td")).backgroundColor })()`, sale(order))
		for _, light := range []string{"light", "dark"} {
			p.prefer(light)
			p.do(step("document.activeElement.blur()"))
			plain := eval[string](p, shade)
			p.do(step(fmt.Sprintf(`document.querySelector(%q).focus()`, sale(order)+" th a")))
			if chosen := eval[string](p, shade); chosen == plain {
				t.Errorf("%s at %d px: the row with the focus looks like the others, %s", light, sc.width, plain)
			}
		}
	}
}

// The navigation fits on one line, for every role.
func TestThePlacesStandOnOneLine(t *testing.T) {
	t.Parallel()
	for _, role := range []string{manager, supervisor, administrator, auditor} {
		for _, width := range []int64{900, 1160, 1280, 1440} {
			p := shared.openAs(t, role, screen{width, 800, false})
			p.goTo("/sales")
			lines := eval[int](p, `new Set([...document.querySelectorAll(".nav li")].map((li) => Math.round(li.getBoundingClientRect().top))).size`)
			if lines != 1 {
				t.Errorf("the places of %s at %d px stand on %d lines, want 1", role, width, lines)
			}
			if wide := p.tooWide(); len(wide) > 0 {
				t.Errorf("wider than %d px for %s: %v", width, role, wide)
			}
		}
	}
}
