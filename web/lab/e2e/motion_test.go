package e2e

import (
	"context"
	"fmt"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
)

// wantsNoMovement is a reader whose system says so.
func (p *page) wantsNoMovement() {
	p.t.Helper()
	call(p, func(ctx context.Context) error {
		_, err := chromedp.Call(ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
			Features: []*emulation.MediaFeature{{Name: "prefers-reduced-motion", Value: "reduce"}},
		})
		return err
	})
}

// watchMovement notes from now on what moves, by what it is.
var watchMovement = chromedp.Evaluate[chromedp.Void](`{
	window.movements = new Set();
	const animate = Element.prototype.animate;
	Element.prototype.animate = function (...how) {
		window.movements.add(this.matches(".over") ? this.className : (this.dataset.testid ?? this.tagName) + " " + how[1].duration);
		return animate.apply(this, how);
	}; }`)

// Movement says what changed: a new row slides in and is tinted for two seconds, a state
// fades into the next, a sum counts, a sheet leaves towards its row. Whoever wants no
// movement has the same page without any, and nothing of it shifts the page.
func TestMovementInforms(t *testing.T) {
	t.Parallel()
	s := ownServer(t, noon)
	for _, sc := range []screen{phone, desk} {
		for _, calm := range []bool{false, true} {
			place := s.newTerminal(t, romaNorte)
			order := s.box.sell(t, place.serial, "1250.00", nil)
			s.box.withhold(t, order)
			p := s.openAs(t, manager, sc)
			if calm {
				p.wantsNoMovement()
			}
			p.goTo("/sales?terminal=" + place.id)
			p.see(sale(order))
			p.do(watchMovement, watchShifts)
			s.box.sell(t, place.serial, "54.00", nil)
			rows := `document.querySelectorAll("[data-testid=sale]").length`
			p.until("the sale, or the button of new ones", rows+` === 2 || !document.querySelector("[data-held]").hidden`)
			if !sc.phone && eval[int](p, rows) < 2 { // a browser may take what it draws for a pointer that moved
				p.press(id("new-sales"))
			}
			if sc.phone {
				pill, link := p.rect(id("new-sales")), p.rect(sale(order)+" th a")
				if pill.Y+pill.H > link.Y {
					t.Errorf("at the top of the list %+v stands over the link of a sale, %+v", pill, link)
				}
				p.press(id("new-sales")) // whoever has opened the list is taken to read it
			}
			p.until("a new row", rows+" === 2")
			s.as(t, manager).cancel(t, s.saleID(t, order))
			p.until("another state", has(sale(order)+"[data-state=accepted]"))
			s.box.report(t, order)
			p.until("the last state", has(sale(order)+"[data-state=confirmed]"))
			p.press("[data-testid=sale][data-state=cancelable] " + id("cancel"))
			p.see("dialog[open] " + id("cancel-form"))
			p.hit(escape)
			p.until("a closed sheet", "!"+has("dialog[open]"))
			p.until("the end of what moves", "document.getAnimations().every((a) => a.playState !== 'running') && !"+has(".over"))
			want := map[string]bool{
				"TBODY 220": true, "TD 2000": true, "SPAN 150": true, "over chip-amount": true, "over sheet-gone": true,
			}
			moved := eval[[]string](p, "[...window.movements]")
			for _, what := range moved {
				delete(want, what)
			}
			if calm && len(moved) > 0 || !calm && len(want) > 0 {
				t.Errorf("at %d px, no movement wanted: %t: %q moved, not %v", sc.width, calm, moved, want)
			}
			if !calm {
				p.wantStill(fmt.Sprintf("a list with movement at %d px", sc.width))
			}
		}
	}
}

// From the end of a cancellation one press leads back to the list as it was: its filter,
// its page and the sale's row, with the focus there for whoever goes on by keyboard.
func TestTheWayBackHasTheFocusOnItsRow(t *testing.T) {
	t.Parallel()
	s := ownServer(t, noon)
	place := s.newTerminal(t, romaNorte)
	var orders []string
	for range 53 {
		orders = append(orders, s.box.sell(t, place.serial, "70.00", nil))
	}
	for _, sc := range []screen{phone, desk} {
		order := orders[0]
		orders = orders[1:]
		p := s.openAs(t, supervisor, sc)
		p.goTo("/sales?terminal=" + place.id + "&store=" + s.storeID(t, romaNorte))
		p.press(".pages a[rel=next]")
		p.see(sale(order))
		list := eval[string](p, "[...new URLSearchParams(location.search)].sort().join()")
		p.do(step(has(sale(order)+" th a") + ".focus()"))
		p.hit(enter)
		p.at("/sales/" + s.saleID(t, order))
		s.box.withhold(t, order)
		s.as(t, supervisor).cancel(t, s.saleID(t, order))
		p.wantState("accepted")
		s.box.report(t, order)
		p.wantState("confirmed")
		p.tabTo(id("back-to-list"))
		p.hit(enter)
		p.at("/sales")
		p.until("the focus on the row", fmt.Sprintf("document.activeElement.closest(%q)", sale(order)))
		if got := eval[string](p, "[...new URLSearchParams(location.search)].sort().join()"); got != list {
			t.Errorf("at %d px the way back leads to %q, want the list that was seen, %q", sc.width, got, list)
		}
		if at := p.top(sale(order)); at < 0 || at > float64(sc.height)-40 {
			t.Errorf("at %d px the row stands %.0f px down, want it in sight", sc.width, at)
		}
	}
}
