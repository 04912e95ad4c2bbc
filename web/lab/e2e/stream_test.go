package e2e

import (
	"context"
	"fmt"
	"net/http"
	"testing"

	"github.com/chromedp/cdproto/network"
	cdpage "github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
)

// onEveryPage runs a script before those of each page that the tab opens.
func (p *page) onEveryPage(script string) {
	p.t.Helper()
	call(p, func(ctx context.Context) error {
		_, err := chromedp.Call(ctx, cdpage.AddScriptToEvaluateOnNewDocument, cdpage.AddScriptToEvaluateOnNewDocumentParams{Source: script})
		return err
	})
}

// streams records the streams that the page opens and which requests of a list they
// brought about, and lets a test hide the page.
const streams = `{
	const Real = window.EventSource;
	window.streams = [];
	window.EventSource = class extends Real { constructor(...a) {
		super(...a);
		window.streams.push(this);
		this.addEventListener("changed", () => { window.announced = true; });
	} };
	document.addEventListener("htmx:beforeRequest", (e) => {
		if (e.detail.elt.hasAttribute("data-live")) [window.askedAsAnnounced, window.announced] = [!!window.announced, false];
	});
	document.addEventListener("htmx:afterSwap", () => {
		window.rowHooks(); // an observer would see the rows later
		if (window.expected?.()) [window.cameAsAnnounced, window.expected] = [window.askedAsAnnounced, null];
	});
	let seen = "visible";
	Object.defineProperty(document, "visibilityState", { get: () => seen });
	Object.defineProperty(document, "hidden", { get: () => seen === "hidden" });
	window.look = (as) => { seen = as; document.dispatchEvent(new Event("visibilitychange")); };
	window.polls = () => performance.getEntriesByType("resource").filter((e) => e.name.includes("fragment=list")).length;
}`

// expect begins to wait for what a change will bring to the list.
func (p *page) expect(condition string) {
	p.t.Helper()
	p.do(step(fmt.Sprintf("window.cameAsAnnounced = undefined; window.expected = () => %s", condition)))
}

// wantAnnounced waits until the change is on the list, and checks that the page asked for it
// because the stream said so: by itself it would have asked later.
func (p *page) wantAnnounced(what string) {
	p.t.Helper()
	p.until(what, "window.cameAsAnnounced !== undefined")
	if !eval[bool](p, "window.cameAsAnnounced") {
		p.t.Errorf("%s came with a request that no event had announced, want it by the stream", what)
	}
}

// Where a proxy blocks streams, the list still updates itself.
func TestWithoutAStream(t *testing.T) {
	t.Parallel()
	place := shared.newTerminal(t, romaNorte)
	p := shared.openAs(t, manager, phone)
	p.onEveryPage(streams)
	p.watch.allow("/events")
	call(p, func(ctx context.Context) error {
		_, err := chromedp.Call(ctx, network.SetBlockedURLs, network.SetBlockedURLsParams{
			URLPatterns: []*network.BlockPattern{{URLPattern: p.server.url + "/events", Block: true}},
		})
		return err
	})
	p.goTo("/sales?terminal=" + place.id)
	p.do(markLoaded)
	p.until("a stream that never opens", "window.streams.length > 0 && window.streams.every((s) => s.readyState !== 1)")
	order := shared.box.sell(t, place.serial, "70.00", nil)
	p.see(sale(order))
	if eval[bool](p, "window.streams.some((s) => s.readyState === 1)") {
		t.Error("a stream opened although it is blocked: the test proves nothing")
	}
	p.wantNotReloaded()
}

// A hidden tab has no stream and sends no requests; once visible again it shows what
// it missed, as after a sleep.
func TestHiddenTabIsQuiet(t *testing.T) {
	t.Parallel()
	place := shared.newTerminal(t, romaNorte)
	p := shared.openAs(t, manager, desk)
	p.onEveryPage(streams)
	p.goTo("/sales?terminal=" + place.id)
	p.do(markLoaded)
	p.until("an open stream", "window.streams.at(-1)?.readyState === 1")
	p.do(chromedp.Evaluate[chromedp.Void](`look("hidden"); window.asked = window.polls(); window.hid = performance.now()`))
	if got := eval[int](p, "window.streams.filter((s) => s.readyState !== 2).length"); got != 0 {
		t.Errorf("a hidden tab holds %d streams, want none", got)
	}
	p.until("that no request is under way", "!"+has(".htmx-request"))
	missed := shared.box.sell(t, place.serial, "71.00", nil)
	// Longer than a list waits without a stream.
	p.until("four hidden seconds", "performance.now() - window.hid > 4000")
	if asked := eval[int](p, "window.polls() - window.asked"); asked > 1 { // one may have been under way
		t.Errorf("a hidden tab asked %d times, want none", asked)
	}
	if p.count(sale(missed)) != 0 {
		t.Error("a hidden tab shows what is new: it has asked")
	}
	p.do(chromedp.Evaluate[chromedp.Void](`look("visible")`))
	p.see(sale(missed))
	p.until("an open stream again", "window.streams.at(-1).readyState === 1")
	p.wantNotReloaded()
}

// A page first requests whether its list is unchanged: then nothing is drawn again.
func TestFirstPollAsksWhetherTheListIsOld(t *testing.T) {
	t.Parallel()
	place := shared.newTerminal(t, romaNorte)
	order := shared.box.sell(t, place.serial, "72.00", nil)
	p := shared.openAs(t, manager, phone)
	const first = `performance.getEntriesByType("resource").find((e) => e.name.includes("fragment=list") && e.responseStatus)`
	status := 0
	for range 3 { // a list is old when the minute changes, but not twice in a row
		p.goTo("/sales?terminal=" + place.id)
		p.see(sale(order))
		p.until("the first question's answer", first)
		if status = eval[int](p, first+".responseStatus"); status == http.StatusNotModified {
			break
		}
	}
	if status != http.StatusNotModified {
		t.Errorf("the first poll of an unchanged list = %d, want 304", status)
	}
	fresh := shared.box.sell(t, place.serial, "73.00", nil)
	p.press(id("new-sales"))
	p.see(sale(fresh))
}
