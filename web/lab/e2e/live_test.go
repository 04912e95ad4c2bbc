package e2e

import (
	"context"
	"fmt"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
)

// markLoaded leaves a mark that a reload would wipe away.
var markLoaded = chromedp.Evaluate[chromedp.Void]("window.notReloaded = true")

func (p *page) wantNotReloaded() {
	p.t.Helper()
	if !eval[bool](p, "!!window.notReloaded") {
		p.t.Error("the page was loaded anew, want it to have changed by itself")
	}
}

// top is an element's distance from the top of the window.
func (p *page) top(selector string) float64 {
	p.t.Helper()
	return eval[float64](p, has(selector)+".getBoundingClientRect().top")
}

// Whoever rests a pointer or a finger on a row or beside it, has the focus there, has
// chosen one or has scrolled down presses what they saw: it stays the same sale however many arrive.
// Those wait behind a button, and come when it is pressed.
func TestNothingMovesUnderAHand(t *testing.T) {
	t.Parallel()
	const arrive = 20
	touch := func(p *page, what input.DispatchTouchEventType, at ...*input.TouchPoint) {
		p.do(chromedp.Func(func(ctx context.Context, target *chromedp.Target) error {
			_, err := cdp.Call(ctx, target, input.DispatchTouchEvent, input.DispatchTouchEventParams{Type: what, TouchPoints: at})
			return err
		}))
	}
	pointer := func(p *page, _ string, at point) { p.do(chromedp.MouseEvent(chromedp.MouseMoved, at.X, at.Y)) }
	finger := func(p *page, _ string, at point) {
		touch(p, input.DispatchTouchEventTypeTouchStart, &input.TouchPoint{X: at.X, Y: at.Y})
	}
	// As when a finger slides away: a lift where it rested would be a press. Five minutes
	// later nobody is at the page.
	away := func(p *page) { p.do(step("window.later(300000)")) }
	lift := func(p *page) { touch(p, input.DispatchTouchEventTypeTouchCancel); away(p) }
	// Somebody read for as long as the hand that went there first was still.
	beside := func(p *page, _ string, _ point) {
		p.do(chromedp.MouseEvent(chromedp.MouseMoved, 30, 120))
		p.do(step("window.later(240000)"))
	}
	for _, tt := range []struct {
		name   string
		screen screen
		row    int // from the end of the list
		holds  func(p *page, row string, at point)
		lifts  func(p *page)
	}{
		{"a resting pointer", desk, 10, pointer, nil},
		{"a pointer that rests beside the list", desk, 10, beside, away},
		{"the focus", desk, 10, func(p *page, row string, _ point) { p.do(step(has(row+" th a") + ".focus()")) }, nil},
		{"a chosen sale", desk, 10, func(p *page, row string, _ point) { p.press(row + " label") }, nil},
		{"a resting finger", phone, 10, finger, lift},
		{"an eye, on a page that a finger opened", phone, 10, func(p *page, _ string, _ point) { p.do(step("window.later(240000)")) }, nil},
		{"scrolled down", phone, 3, func(*page, string, point) {}, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			place := shared.newTerminal(t, romaNorte)
			var orders []string
			for range 12 {
				orders = append(orders, shared.box.sell(t, place.serial, "54.00", nil))
			}
			p := shared.openAs(t, supervisor, tt.screen)
			p.onEveryPage(`let ahead = 0; const now = performance.now.bind(performance);
				performance.now = () => now() + ahead; window.later = (ms) => ahead += ms`)
			p.goTo("/sales?store=" + shared.storeID(t, romaNorte) + "&terminal=" + place.id)
			row := sale(orders[tt.row])
			at := p.spot(row + " " + id("cancel"))
			tt.holds(p, row, at)
			p.do(step(fmt.Sprintf(`window.under = new Set();
				(function look() {
					window.under.add(document.elementFromPoint(%f, %f)?.closest("[data-testid=sale]")?.dataset.orderId ?? "nothing");
					requestAnimationFrame(look);
				})()`, at.X, at.Y)))
			last := ""
			for n := range arrive {
				last = shared.box.sell(t, place.serial, "5.00", nil)
				words := "1 venta nueva · $5.00"
				if n > 0 {
					words = fmt.Sprintf("%d ventas nuevas · $%d.00", n+1, 5*(n+1))
				}
				p.until(words, says(id("new-sales"), words))
			}
			if under := eval[[]string](p, "[...window.under]"); len(under) != 1 || under[0] != orders[tt.row] {
				t.Errorf("under the hand were %q, want the sale %s all the time", under, orders[tt.row])
			}
			if n := p.count(sale(last)); n != 0 {
				t.Error("a new sale is in the list, want it behind the button")
			}
			if tt.lifts != nil {
				tt.lifts(p) // nobody is at the list then
			} else {
				p.press(id("new-sales"))
			}
			p.until("the new sales", has(sale(last)))
			p.until("no button left", "!"+has(id("new-sales"))+"?.checkVisibility()")
		})
	}
}

// While the list updates itself, nothing moves under the user's pointer.
func TestListKeepsItsPlace(t *testing.T) {
	t.Parallel()
	for _, sc := range []screen{desk, phone} {
		t.Run(fmt.Sprintf("%d px", sc.width), func(t *testing.T) {
			t.Parallel()
			// A list of its own, and not a short one: early in the day its first rows
			// would be in sight. Elsewhere it would push others' sales off their page.
			place := shared.newTerminal(t, tijuana)
			for range 30 {
				shared.box.sell(t, place.serial, "54.00", nil)
			}
			p := shared.openAs(t, supervisor, sc)
			p.goTo("/sales?store=" + shared.storeID(t, tijuana) + "&terminal=" + place.id)
			p.do(markLoaded)
			// The eighth row from the end: far enough down to be scrolled to.
			order := eval[string](p, `[...document.querySelectorAll("[data-testid=sale]:has([data-testid=cancel])")].at(-8).dataset.orderId`)
			link := sale(order) + " th a"
			p.do(chromedp.Evaluate[chromedp.Void](has(link) + `.focus(); ` + has(link) + `.scrollIntoView({block: "center", behavior: "instant"})`))
			before := p.top(link)
			if p.top("[data-testid=sale]") > 0 {
				t.Fatal("the list is too short: its first row is in sight")
			}

			shared.box.sell(t, place.serial, "55.00", nil)
			p.until("the new sale", says(id("new-sales"), "1 venta nueva · $55.00"))
			p.drawn() // the browser holds the place with the next frame
			if got := p.top(link); got < before-3 || got > before+3 {
				t.Errorf("the row moved from %.0f to %.0f px when a sale arrived, want it where it was", before, got)
			}
			if !eval[bool](p, fmt.Sprintf("document.activeElement.matches(%q)", link)) {
				t.Errorf("the focus went to %q, want it on the row's link", p.focused())
			}

			// An open sheet with something typed survives as well.
			p.press(sale(order) + " " + id("cancel"))
			p.see("dialog[open] " + id("cancel-form"))
			p.press("dialog input[name=reason][value=other]")
			p.press("dialog textarea")
			p.write("se cobr")
			shared.box.sell(t, place.serial, "56.00", nil)
			p.until("the other sale", says(id("new-sales"), "2 ventas nuevas · $111.00"))
			p.write("ó mal")
			if got := eval[string](p, has("dialog[open] textarea")+".value"); got != "se cobró mal" {
				t.Errorf("note = %q, want what was typed before and after the poll", got)
			}
			if !eval[bool](p, has("dialog input[value=other]")+".checked") {
				t.Error("the chosen reason is lost after a poll, want it kept")
			}
			p.press("dialog .safe")
			p.until("a closed sheet", "!"+has("dialog[open]"))
			p.wantNotReloaded()
		})
	}
}

// The sale's own page updates as well and announces it only with scripts; what was
// unfolded stays open.
func TestColleagueIsSeenOnTheSalesPage(t *testing.T) {
	t.Parallel()
	order := shared.box.sell(t, shared.newTerminal(t, romaNorte).serial, "1250.00", nil)
	saleID := shared.saleID(t, order)
	shared.box.fault(t, order, "ackNoResult", nil)
	p := shared.openAs(t, supervisor, phone)
	p.goTo("/sales/" + saleID)
	p.wantState("cancelable")
	p.do(markLoaded)
	shared.as(t, manager).cancel(t, saleID)
	p.until("who cancels it", says(id("story"), "la está cancelando desde"))
	p.wantState("accepted")
	p.until("that the page updates by itself", says(id("story"), "se actualiza sola"))
	p.press("#ticket summary")
	p.see("#ticket[open] " + id("resolution-form"))
	now := p.attribute(id("story"), "data-now")
	p.until("another poll", has(id("story"))+".dataset.now !== '"+now+"'")
	p.see("#ticket[open] " + id("resolution-form"))
	p.wantNotReloaded()
}

// A colleague's click shows on everybody's page, with the name and since when.
func TestColleagueIsSeen(t *testing.T) {
	t.Parallel()
	order := shared.box.sell(t, shared.newTerminal(t, romaNorte).serial, "1250.00", nil)
	saleID := shared.saleID(t, order)
	shared.box.fault(t, order, "ackNoResult", nil)
	p := shared.openAs(t, manager, desk)
	p.goTo("/sales")
	p.see(sale(order) + " " + id("cancel"))
	p.do(markLoaded)
	shared.as(t, supervisor).cancel(t, saleID)
	p.until("who cancels it", says(sale(order), "Sofía la está cancelando desde"))
	p.until("no way to cancel it twice", "!"+has(sale(order)+" "+id("cancel")))
	p.wantNotReloaded()
}
