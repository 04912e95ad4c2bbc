package e2e

import (
	"fmt"
	"math"
	"testing"

	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"
)

// watchShifts adds up from now on how far things on the page move by themselves, and
// watchLateShifts since its scripts have run, whatever was drawn while it was read.
var (
	watchShifts     = shiftsSince("performance.now()")
	watchLateShifts = shiftsSince("performance.getEntriesByType('navigation')[0].domContentLoadedEventStart")
)

func shiftsSince(from string) chromedp.Action[chromedp.Void] {
	return chromedp.Evaluate[chromedp.Void](fmt.Sprintf(`{
	window.shifts = [];
	new PerformanceObserver((list) => {
		for (const e of list.getEntries()) {
			// What a state says of itself changes with it; what is around it stays.
			if (e.sources.every((s) => s.node?.parentElement?.closest(".truth"))) continue;
			// What is laid over the page moves on purpose, and moves nothing of it. Where a frame
			// comes late, a browser may count it.
			if (e.sources.every((s) => s.node?.classList?.contains("over"))) continue;
			if (e.startTime >= window.shiftsFrom) window.shifts.push({
				value: e.value, of: e.sources.map((s) => (s.node?.nodeName || "?") + "." + (s.node?.className || "") + "#" + (s.node?.id || "") + " " +
					[s.previousRect.top, s.previousRect.height, s.currentRect.top, s.currentRect.height].map(Math.round).join(" ")).join("; ") });
		}
	}).observe({ type: "layout-shift", buffered: true });
	window.shiftsFrom = %s; }`, from))
}

// drawn waits for two frames: then what has changed is where it stays.
func (p *page) drawn() {
	p.t.Helper()
	p.do(step(`window.framed = false;
		requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(() => (window.framed = true))))`))
	p.until("two frames", "window.framed")
}

// maxShift is what rounding leaves.
const maxShift = 0.001

// wantStill checks that nothing has moved since watchShifts.
func (p *page) wantStill(what string) {
	p.t.Helper()
	p.drawn() // entries come with the frame after the change
	sum := eval[float64](p, "window.shifts.reduce((sum, s) => sum + s.value, 0)")
	if sum >= maxShift {
		p.t.Errorf("%s: the page moved by %.4f, want less than %.3f: %s", what, sum, maxShift,
			eval[string](p, "window.shifts.map((s) => s.value.toFixed(4) + ' ' + s.of).join('\\n')"))
	}
}

// boxes are where all rows of the list stand, in their order.
func (p *page) boxes() []string {
	p.t.Helper()
	return eval[[]string](p, `[...document.querySelectorAll("[data-testid=sale]")].map((e) => { const r = e.getBoundingClientRect();
		return e.dataset.orderId + " " + [r.left, r.top, r.width, r.height].map((n) => n.toFixed(1)).join(" ") })`)
}

// fates are what can become of a request, and how the service is made to let it. The
// terminal reports the first only when it is made to.
var fates = []struct {
	state, fault string
	more         map[string]any
}{
	{"confirmed", "ackNoResult", nil},
	{"rejected", "notFound", nil},
	{"unknown", "dropAfterReading", map[string]any{"acts": false}}, // the last: it holds up its terminal
}

// While rows go through their states by themselves, nothing on the list moves.
func TestListDoesNotShift(t *testing.T) {
	t.Parallel()
	s := ownServer(t, noon) // notices about what other tests do would move the page
	for _, sc := range []screen{phone, {1000, 800, false}, {1120, 800, false}, desk} {
		place := s.newTerminal(t, romaNorte)
		orders := make([]string, len(fates))
		s.box.sell(t, place.serial, "54.00", nil)
		for i, fate := range fates {
			orders[i] = s.box.sell(t, place.serial, "1250.00", nil)
			s.box.fault(t, orders[i], fate.fault, fate.more)
		}
		s.box.sell(t, place.serial, "55.00", nil)
		p := s.openAs(t, supervisor, sc)
		p.goTo("/sales?terminal=" + place.id)
		p.until("all sales", `document.querySelectorAll("[data-testid=sale]").length === 5`)
		p.do(markLoaded, watchShifts)
		before := p.boxes()
		for i, fate := range fates {
			s.as(t, manager).cancel(t, s.saleID(t, orders[i]))
			if fate.state == "confirmed" { // the others come to their end at once
				p.until("that it is under way", has(sale(orders[i])+"[data-state=accepted]"))
				p.wantBoxes(before, "accepted")
				s.box.report(t, orders[i])
			}
			p.until("its end", has(sale(orders[i])+fmt.Sprintf("[data-state=%q]", fate.state)))
			p.wantBoxes(before, fate.state)
		}
		p.wantStill(fmt.Sprintf("rows that change at %d px", sc.width))
		p.wantNotReloaded()
	}
}

func (p *page) wantBoxes(before []string, state string) {
	p.t.Helper()
	for i, now := range p.boxes() {
		if i < len(before) && now != before[i] {
			p.t.Errorf("at %d px a row became %s: %q, before %q", p.screen.width, state, now, before[i])
		}
	}
}

// On a sale's own page what people look at stays where it is, from the request
// that waits for its turn to the end, however many lines it takes. Only a doubt, with all
// that is to be done about it, takes room of its own. At the end of a cancellation the
// time left goes and leaves its room, so that the panel stays where it was; on a phone the
// room that the last words do not need goes, in a movement that shifts nothing.
func TestStoryDoesNotShift(t *testing.T) {
	t.Parallel()
	s := ownServer(t, noon)
	for _, sc := range []screen{phone, {320, 844, true}, {1000, 800, false}, {1120, 800, false}, desk} {
		for _, fate := range fates[:2] {
			t.Run(fmt.Sprintf("%d px %s", sc.width, fate.state), func(t *testing.T) {
				t.Parallel()
				place := s.newTerminal(t, romaNorte)
				first, order := s.box.sell(t, place.serial, "100.00", nil), s.box.sell(t, place.serial, "1250.00", nil)
				saleID := s.saleID(t, order)
				s.box.withhold(t, first)
				s.box.fault(t, order, fate.fault, fate.more)
				s.as(t, supervisor).cancel(t, s.saleID(t, first)) // holds up the terminal
				s.as(t, supervisor).cancel(t, saleID)
				s.as(t, supervisor).waitFor(t, s.saleID(t, first), "accepted")
				p := s.openAs(t, manager, sc)
				p.goTo("/sales/" + saleID)
				p.wantState("requested")
				p.do(markLoaded, watchShifts)
				const papers = `document.querySelector("#papers").getBoundingClientRect().top -
					document.querySelector(".truth").getBoundingClientRect().top`
				before, panel := eval[float64](p, papers), p.top(".truth")
				s.box.report(t, first)
				if fate.state == "confirmed" {
					p.wantState("accepted")
					s.box.report(t, order)
				}
				p.wantState(fate.state)
				p.until("the end of what moves", "document.getAnimations().every((a) => a.playState !== 'running')")
				p.wantStill("a story that becomes " + fate.state)
				p.wantNotReloaded()
				if after := p.top(".truth"); math.Abs(after-panel) > 1 {
					t.Errorf("the panel moved from %.0f to %.0f px", panel, after)
				}
				if after := eval[float64](p, papers); !sc.phone && math.Abs(after-before) > 1 {
					t.Errorf("the papers moved in their panel from %.0f to %.0f px", before, after)
				}
				if room := p.emptyRoom(); sc.phone && room > 24 {
					t.Errorf("on a phone %.0f px of the panel are left empty around the last words", room)
				}
				if n := p.count(id("cutoff")); n == 1 && fate.state == "confirmed" &&
					eval[bool](p, `document.querySelector("[data-testid=cutoff] time").checkVisibility({ visibilityProperty: true })`) {
					t.Error("time is still left above a sale that is canceled")
				}
			})
		}
	}
}

// Scripts come when the page is read already: what they add moves nothing of it.
func TestScriptsThatComeLateMoveNothing(t *testing.T) {
	t.Parallel()
	s := ownServer(t, noon)
	order := s.box.sell(t, s.newTerminal(t, romaNorte).serial, "1250.00", nil)
	for _, sc := range []screen{phone, desk} {
		for _, path := range []string{"/sales", "/sales?q=" + order, "/sales/" + s.saleID(t, order), "/audit"} {
			p := s.openAs(t, supervisor, sc)
			p.connection(network.Conditions{Latency: 1000, URLPattern: "*://*:*/*.js*"})
			p.goTo(path)
			p.do(watchLateShifts)
			p.wantStill(fmt.Sprintf("%s at %d px, whose scripts come late", path, sc.width))
		}
	}
}

// A till may complete a sale while somebody looks at it: what it adds takes room, and
// nothing is pushed away under an eye.
func TestWhatATillAddsDoesNotShift(t *testing.T) {
	t.Parallel()
	s := ownServer(t, noon)
	const added = `document.querySelector(".story-side").innerText.includes("RN-")`
	for _, sc := range []screen{phone, {1000, 800, false}, desk} {
		t.Run(fmt.Sprint(sc.width, " px"), func(t *testing.T) {
			t.Parallel()
			p := s.openAs(t, manager, sc)
			for { // the till may have been quicker
				order := s.box.sell(t, s.newTerminal(t, romaNorte).serial, "1250.00", nil)
				s.box.withhold(t, order)
				s.as(t, supervisor).cancel(t, s.saleID(t, order))
				p.goTo("/sales/" + s.saleID(t, order))
				p.wantState("accepted")
				p.do(markLoaded, watchShifts)
				if !eval[bool](p, added) {
					break
				}
			}
			p.until("what the till adds", added)
			p.until("the end of what moves", "document.getAnimations().every((a) => a.playState !== 'running')")
			p.wantStill("a sale that a till completes")
			p.wantNotReloaded()
		})
	}
}

// emptyRoom is how much of the panel of a sale's state nothing stands in, its margins apart.
func (p *page) emptyRoom() float64 {
	p.t.Helper()
	return eval[float64](p, `(() => { const panel = document.querySelector(".truth"), s = getComputedStyle(panel);
		return [...panel.children].reduce((room, e) => room - e.getBoundingClientRect().height,
			panel.clientHeight - parseFloat(s.paddingTop) - parseFloat(s.paddingBottom)) })()`)
}
