package e2e

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
)

// tooWide lists what is wider than the screen; nothing when the page does not
// scroll sideways.
func (p *page) tooWide() []string {
	p.t.Helper()
	return eval[[]string](p, fmt.Sprintf(`(() => {
		const root = document.documentElement, room = root.clientWidth;
		if (root.scrollWidth <= room && innerWidth <= %d) return [];
		// What scrolls by itself is no reason for the page to.
		const inScroller = e => { for (let a = e.parentElement; a && a !== document.body; a = a.parentElement)
			if (getComputedStyle(a).overflowX !== "visible") return true; };
		return [...document.querySelectorAll("body *")]
			.filter(e => e.getBoundingClientRect().right > room + 0.5 && e.checkVisibility() && !inScroller(e))
			.slice(0, 8).map(e => e.tagName.toLowerCase() + "." + e.className + " to " + Math.round(e.getBoundingClientRect().right))
			.concat("page " + root.scrollWidth + ", room " + room + ", view " + innerWidth) })()`, p.screen.width))
}

// tooSmall lists what a thumb would miss: under 44 px high.
func (p *page) tooSmall() []string {
	p.t.Helper()
	return eval[[]string](p, `[...document.querySelectorAll(
			".button, .help, input:not([type=hidden], [type=checkbox], [type=radio]), select, textarea, label.toggle, label.radio, " +
			".chip, nav a, summary")]
		.filter(e => e.checkVisibility({visibilityProperty: true}) && e.getBoundingClientRect().height < 43.5)
		.map(e => e.tagName.toLowerCase() + "." + e.className + " “" + (e.innerText || e.name || "").trim().slice(0, 30) + "” " +
			e.getBoundingClientRect().height.toFixed(1) + " px")`)
}

// What the pages are watched for is seen when it happens, or the watching
// proves nothing.
func TestWatchSees(t *testing.T) {
	t.Parallel()
	p := shared.open(t, phone)
	p.goTo("/login")
	if wide, small := p.tooWide(), p.tooSmall(); len(wide)+len(small) > 0 {
		t.Fatalf("before anything is wrong: too wide %q, too small %q, want nothing", wide, small)
	}
	p.do(chromedp.Evaluate[chromedp.Void](`{
		console.error("said by a page");
		setTimeout(() => { throw new Error("thrown by a page") });
		fetch("/nowhere").then(() => { window.answered = true });
		const img = new Image(), script = document.createElement("script"), wide = document.createElement("div");
		img.src = "http://127.0.0.1:9/elsewhere.png";
		script.textContent = "window.ran = true";
		wide.innerHTML = "<button class='button' id='small'>x</button>";
		document.querySelector("main").append(img, script, wide);
		const sheet = new CSSStyleSheet();
		sheet.replaceSync("main > div:last-child { width: 600px } #small { min-height: 0; height: 20px; padding: 0 }");
		document.adoptedStyleSheets = [sheet]; }`))
	if eval[bool](p, "!!window.ran") {
		t.Error("an inline script ran, want the security policy to forbid it")
	}
	if got := p.tooWide(); len(got) == 0 {
		t.Error("a page 600 px wide on a phone is not seen as too wide")
	}
	if got := p.tooSmall(); len(got) != 1 {
		t.Errorf("too small = %q, want the button of 20 px", got)
	}
	p.until("the answer to its request", "window.answered")
	var all strings.Builder
	for _, want := range []string{"said by a page", "thrown by a page", "status of 404", "elsewhere.png", "script-src"} {
		for end := time.Now().Add(patience); !strings.Contains(all.String(), want); { // events come after the answers to commands
			all.WriteString(strings.Join(p.watch.take(), "\n"))
			if time.Now().After(end) {
				t.Fatalf("watched = %q, want %q in it", all.String(), want)
			}
			p.whole()
		}
	}
}

// outOfLine lists what of a page's frame does not stand beside its neighbour: the words
// of the footer on one line, the way to help at its heading's height, the breadcrumb
// above its title.
const outOfLine = `(() => {
	const box = (e) => { const b = e.getBoundingClientRect(); return (b.top + b.bottom) / 2 };
	const words = (e) => { const r = document.createRange(); r.selectNodeContents(e); return r };
	const wrong = [], shown = (e) => e.checkVisibility();
	const foot = [...document.querySelectorAll(".bottom .languages button, .bottom > a, .bottom .keys > :is(a, button)")].filter(shown);
	for (const e of foot) {
		const off = box(words(e)) - box(words(foot[0]));
		if (Math.abs(off) > 1.5) wrong.push("footer: " + e.innerText + " " + off);
	}
	const title = document.querySelector("main h1:has(+ .help)"), help = title?.nextElementSibling;
	if (help && shown(help) && Math.abs(box(help) - box(title)) > 2) {
		wrong.push("help beside " + title.innerText + " " + (box(help) - box(title)));
	}
	const crumbs = document.querySelector(".crumbs:has(+ .narrow)"), h1 = document.querySelector("main h1");
	const left = (e) => e.getBoundingClientRect().left;
	if (crumbs && Math.abs(left(crumbs) - left(h1)) > 1) wrong.push("breadcrumb of " + h1.innerText);
	for (const input of document.querySelectorAll("label:is(.radio, .toggle) > input:has(+ span)")) {
		const says = input.nextElementSibling, first = words(says).getClientRects()[0];
		const off = first && box(input) - (first.top + first.bottom) / 2;
		if (shown(input) && Math.abs(off) > 3) wrong.push("the box of " + says.innerText + " " + off);
	}
	for (const pair of document.querySelectorAll(".chart-pair:not(.crowded)")) {
		const last = pair.querySelector("figure > :last-child"), table = pair.querySelector("table").getBoundingClientRect();
		const off = last.getBoundingClientRect().bottom + parseFloat(getComputedStyle(last).marginBottom) - table.bottom;
		if (Math.abs(off) > 1.5) wrong.push("the picture ends " + off + " below its table");
	}
	for (const word of document.querySelectorAll(".chart-cutoff-word")) { // a number stands over the highest bar
		const room = word.closest(".plot").getBoundingClientRect().top - word.getBoundingClientRect().bottom;
		if (room < 20) wrong.push("the cut-off is " + room + " above the highest bar");
	}
	return wrong; })()`

// What stands side by side lines up.
func TestNeighboursLineUp(t *testing.T) {
	t.Parallel()
	shared.saleID(t, shared.box.sell(t, shared.newTerminal(t, romaNorte).serial, "85.00", nil)) // something to draw
	for role, paths := range map[string][]string{
		administrator: {
			"/stores", "/users", "/settings", "/settings/connection", "/terminals", "/stores/new", "/users/new",
			"/settings/alerts/person", "/settings/rules",
		},
		supervisor: {
			"/today", "/sales", "/oversight", "/closings", "/review", "/audit", "/results", "/reconciliations/new",
			"/audit/views/new?outcome=denied", "/sales/new", "/sales/day", "/sales/day?by=sales", "/oversight/days",
		},
	} {
		p := shared.openAs(t, role, desk)
		for _, path := range paths {
			p.goTo(path)
			if got := eval[[]string](p, outOfLine); len(got) > 0 {
				t.Errorf("%s: %q", path, got)
			}
		}
	}
}

// On paper nothing can be pressed, and so nothing is printed that wants to be.
func TestPaperHasNothingToPress(t *testing.T) {
	t.Parallel()
	saleID := shared.saleID(t, shared.box.sell(t, shared.newTerminal(t, romaNorte).serial, "85.00", nil))
	p := shared.openAs(t, supervisor, desk)
	call(p, func(ctx context.Context) error {
		_, err := chromedp.Call(ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Media: "print"})
		return err
	})
	for _, path := range []string{"/sales", "/sales/" + saleID, "/sales/day", "/audit", "/audit/1", "/closings", "/sales/pending"} {
		p.goTo(path)
		pressed := eval[[]string](p, `[...document.querySelectorAll("button, .button, .help, input, select")]
			.filter((e) => e.checkVisibility()).map((e) => e.outerHTML.slice(0, 80))`)
		if len(pressed) > 0 {
			t.Errorf("%s prints %q", path, pressed)
		}
	}
}
