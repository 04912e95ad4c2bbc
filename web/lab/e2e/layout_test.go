package e2e

import (
	"fmt"
	"strings"
	"testing"
	"time"

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
