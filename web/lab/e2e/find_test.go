package e2e

import (
	"context"
	"fmt"

	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"
)

// id is the selector of a hook that the contract names.
func id(testid string) string { return fmt.Sprintf("[data-testid=%q]", testid) }

// sale is the selector of a row.
func sale(order string) string { return fmt.Sprintf("[data-testid=sale][data-order-id=%q]", order) }

// rowHooks gives each row of today's list the hooks that other elements have in the page:
// rows are fifty, and carry only what a browser needs. What they say is read as shown.
const rowHooks = `(() => {
	const set = (e, name, value) => e.getAttribute(name) === value || e.setAttribute(name, value);
	for (const row of document.querySelectorAll("tr[id^=sale-]")) {
		const cells = [...row.children];
		if (cells.length < 7) continue; // it is still being read
		const order = cells.at(-2), serial = /\d{10}$/.exec(cells.at(-4).textContent)?.[0];
		set(row, "data-testid", "sale");
		set(row, "data-order-id", order.textContent.replace("·", "") + (order.querySelector("i") ? "-" + serial : ""));
		if (!row.dataset.state) set(row, "data-state", "cancelable");
		const way = row.querySelector("a[href$='/cancellation/new']");
		if (way) set(way, "data-testid", "cancel");
	}
})`

// keepRowHooks gives them to every row that comes. A page without scripts cannot, and
// stays as it is: there await does.
const keepRowHooks = `window.rowHooks = ` + rowHooks + `;
	new MutationObserver(window.rowHooks).observe(document, {subtree: true, childList: true, characterData: true, attributes: true})`

// has is a condition: the selector finds something.
func has(selector string) string { return fmt.Sprintf("document.querySelector(%q)", selector) }

// reads is what a person reads of a thing, null while there is none. Below the first
// screen of a phone a browser may not have laid it out yet, and has no words for it
// until one scrolls to it.
func reads(selector string) string {
	return fmt.Sprintf(`((e) => {
		if (!e) return null;
		const skipped = (c) => c.checkVisibility() && !c.checkVisibility({contentVisibilityAuto: true});
		const later = !e.innerText && [...e.querySelectorAll("*")].some(skipped);
		if (later) e.scrollIntoView({block: "nearest", behavior: "instant"});
		return later ? null : e.innerText;
	})(document.querySelector(%q))`, selector)
}

// says is a condition: the selector's element shows the words.
func says(selector, words string) string {
	return fmt.Sprintf("%s?.includes(%q)", reads(selector), words)
}

// see waits until something is on the page and visible.
func (p *page) see(selector string) {
	p.t.Helper()
	p.until(selector, fmt.Sprintf("document.querySelector(%q)?.checkVisibility({visibilityProperty: true})", selector))
}

func (p *page) count(selector string) int {
	p.t.Helper()
	return eval[int](p, fmt.Sprintf("document.querySelectorAll(%q).length", selector))
}

func (p *page) text(selector string) string {
	p.t.Helper()
	return *await(p, selector, reads(selector), func(words *string) bool { return words != nil })
}

func (p *page) attribute(selector, name string) string {
	p.t.Helper()
	p.until(selector, has(selector))
	return eval[string](p, fmt.Sprintf("%s.getAttribute(%q) ?? ''", has(selector), name))
}

// point is where a person would press: the middle of a visible thing with
// nothing over it.
type point struct{ X, Y float64 }

// spot scrolls a thing into view and returns the point to click. It waits while the
// thing is covered, moving or without size. A page with scripts may change between this
// and the click: until then it has a guard, which takes clicks on anything else away.
func (p *page) spot(selector string) point {
	p.t.Helper()
	find := fmt.Sprintf(`(() => {
		const e = document.querySelector(%q);
		if (document.readyState !== "complete" || !e || window.veinte?.settling?.()) return null;
		if (!e.checkVisibility({visibilityProperty: true}) || e.matches(":disabled")) return null;
		e.scrollIntoView({block: "center", behavior: "instant"});
		const r = e.getClientRects()[0];
		if (!r || !r.width || !r.height) return null;
		const x = r.x + r.width / 2, y = r.y + r.height / 2, top = document.elementFromPoint(x, y);
		const hits = (at) => e.isConnected && (e.contains(at) || at?.closest?.("label")?.control === e);
		if (!hits(top)) return null;
		const was = window.testSpot;
		window.testSpot = {X: x, Y: y};
		if (was?.X !== x || was?.Y !== y) return null;
		window.testClick = "awaited";
		const guard = (event) => {
			if (!hits(event.target) || window.testClick === "missed") {
				event.preventDefault();
				event.stopImmediatePropagation();
				window.testClick = "missed";
			}
			if (event.type !== "click") return;
			if (window.testClick === "awaited") window.testClick = "made";
			for (const type of ["mousedown", "click"]) removeEventListener(type, guard, true);
		};
		for (const type of ["mousedown", "click"]) addEventListener(type, guard, true);
		return window.testSpot;
	})()`, selector)
	return *await(p, "a free spot on "+selector, find, func(at *point) bool { return at != nil })
}

// missed waits for the click that a guard expects, and reports whether it was on
// something else. The click may have led to another page.
func (p *page) missed() bool {
	p.t.Helper()
	clicked := await(p, "the click", "String(window.testClick)", func(is string) bool { return is != "awaited" })
	return clicked == "missed"
}

// sendsAsIs sends a sheet as a browser does that runs no scripts.
func (p *page) sendsAsIs() {
	p.t.Helper()
	p.do(step(`document.querySelector("[data-testid=cancel-form], [data-testid=several-form]").submit()`))
}

// press clicks, on a phone taps. A list may be redrawn while the pointer is on its
// way: what was missed is pressed again.
func (p *page) press(selector string) {
	p.t.Helper()
	for {
		p.see(selector)
		// The pointer comes near before it clicks: a list that changes stops for it.
		p.do(step(has(selector) + `?.dispatchEvent(new PointerEvent("pointermove", {bubbles: true}))`))
		at := p.spot(selector)
		if p.screen.phone {
			p.do(chromedp.TapXY(at.X, at.Y))
		} else {
			p.do(chromedp.MouseClickXY(at.X, at.Y))
		}
		if p.plain || !p.missed() { // without scripts nothing changes by itself
			return
		}
	}
}

// doubleClick presses twice as fast as a hand can. The answer to the first click takes
// a while, so that the second is on the same page.
func (p *page) doubleClick(selector string) {
	p.t.Helper()
	p.connection(network.Conditions{Latency: 1000})
	defer p.connection(network.Conditions{})
	at := p.spot(selector)
	p.do(chromedp.MouseClickXY(at.X, at.Y), chromedp.MouseClickXY(at.X, at.Y, chromedp.ClickCount(2)))
	if !p.plain && p.missed() {
		p.t.Fatalf("%s went away under the pointer", selector)
	}
}

// fill types into a field in place of what is there.
func (p *page) fill(selector, text string) {
	p.t.Helper()
	p.see(selector)
	p.do(step(has(selector) + ".select()"))
	p.write(text)
}

// choose picks an option of a select by its value.
func (p *page) choose(selector, value string) {
	p.t.Helper()
	p.see(selector)
	p.do(chromedp.SetValue(chromedp.CSS(selector), value))
}

// focused describes what has the focus, for failures and comparisons.
func (p *page) focused() string {
	p.t.Helper()
	return eval[string](p, `(() => { const e = document.activeElement;
		return [e.tagName.toLowerCase(), e.dataset.testid || e.id || e.name || e.getAttribute("href") || ""].join(" ") })()`)
}

// picture is the whole page on a screen as tall as it, so that what sticks to
// the screen's edges is where it belongs; an open dialog on its own screen.
func (p *page) picture() (png []byte) {
	p.t.Helper()
	p.do(spread)
	if p.count("dialog[open]") == 0 {
		tall := p.screen
		tall.height = eval[int64](p, "Math.max(document.documentElement.scrollHeight, innerHeight)")
		p.resize(tall)
		defer p.resize(p.screen)
	}
	call(p, func(ctx context.Context) (err error) {
		png, err = chromedp.Run(ctx, chromedp.CaptureScreenshot())
		return err
	})
	return png
}
