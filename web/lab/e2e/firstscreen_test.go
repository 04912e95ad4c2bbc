package e2e

import (
	"testing"
)

// A phone's first screen is sales: with a customer waiting nobody scrolls past what is
// needed once a day. Whoever oversees has the same, with more places and boxes.
func TestAPhonesFirstScreenIsSales(t *testing.T) {
	t.Parallel()
	const highest, several = 260, 5
	s := ownServer(t, noon) // notices about what other tests do would stand above the list
	place := s.newTerminal(t, romaNorte)
	for range several {
		s.box.sell(t, place.serial, "12500.00", nil)
	}
	for _, role := range []string{manager, supervisor} {
		for _, lang := range []string{"es-MX", "en"} {
			p := s.openAs(t, role, phone)
			p.setCookie("veinte_language", lang)
			p.goTo("/sales")
			p.drawn()
			tops := eval[[]float64](p, `[...document.querySelectorAll("[data-testid=sale]")].map((e) => e.getBoundingClientRect().top)`)
			whole := eval[int](p, `[...document.querySelectorAll("[data-testid=sale]")]
				.filter((e) => e.getBoundingClientRect().bottom <= innerHeight).length`)
			if len(tops) < several {
				t.Fatalf("%s: %d sales in the list, want at least %d", role, len(tops), several)
			}
			if tops[0] > highest || whole < several {
				t.Errorf("%s in %s: the first sale begins %.0f px down, %d are on the screen; want at most %d px, and %d",
					role, lang, tops[0], whole, highest, several)
			}
		}
	}
}

// By the last four digits and the terminal a sale is told from its neighbours: a row has
// them whole, however long an amount is and whatever time it is at its store.
func TestARowHasItsDigitsAndItsTerminal(t *testing.T) {
	t.Parallel()
	s := ownServer(t, noon)
	s.box.sell(t, s.newTerminal(t, tijuana).serial, "123456.78", nil)
	s.box.sell(t, s.newTerminal(t, romaNorte).serial, "123456.78", nil)
	for _, sc := range []screen{phone, {768, 1024, true}} {
		p := s.openAs(t, supervisor, sc)
		p.goTo("/sales")
		p.drawn()
		cut := eval[[]string](p, `[...document.querySelectorAll("[data-testid=sale]")].slice(0, 8).flatMap((row) => {
			const [card, terminal] = [6, 4].map((n) => row.querySelector("td:nth-last-child(" + n + ")"));
			const amount = row.querySelector("th a").getClientRects()[0], box = card.getBoundingClientRect();
			const name = document.createRange();
			name.selectNodeContents(terminal.firstChild);
			return card.scrollWidth > card.clientWidth || box.left < amount.right || !terminal.checkVisibility() ||
				name.getBoundingClientRect().right > terminal.getBoundingClientRect().right + 1 ? [row.innerText] : [];
		})`)
		if len(cut) > 0 {
			t.Errorf("at %d px these rows lack digits or the terminal: %q", sc.width, cut)
		}
	}
}

// The trail's first screen is the trail, on a phone and on a desk, for whoever oversees
// and for an auditor who has not put the first steps away.
func TestTheTrailsFirstScreenIsEntries(t *testing.T) {
	t.Parallel()
	const highest, high = 300, 110
	s := ownServer(t, noon)
	ana := s.as(t, manager) // the longest entries are those of cancellations
	for range 3 {
		id := s.saleID(t, s.box.sell(t, s.newTerminal(t, romaNorte).serial, "12500.00", nil))
		ana.cancel(t, id)
		ana.waitFor(t, id, "confirmed")
	}
	for _, role := range []string{supervisor, auditor} {
		for _, sc := range []screen{phone, {1280, 800, false}} {
			for _, lang := range []string{"es-MX", "en"} {
				p := s.openAs(t, role, sc)
				p.setCookie("veinte_language", lang)
				p.goTo("/audit")
				p.drawn()
				top := eval[float64](p, has(".entries > .entry")+".getBoundingClientRect().top")
				if top > highest {
					t.Errorf("%s in %s, %d px wide: the first entry begins %.0f px down, want at most %d", role, lang, sc.width, top, highest)
				}
				// Of what is not in sight only the room is kept that it may take.
				mean := eval[float64](p, `(() => {
					const all = [...document.querySelectorAll(".entries > .entry")];
					for (const e of all) e.style.contentVisibility = "visible";
					return all.reduce((sum, e) => sum + e.getBoundingClientRect().height, 0) / all.length;
				})()`)
				if mean > high {
					t.Errorf("%s in %s, %d px wide: an entry is %.0f px high, want at most %d", role, lang, sc.width, mean, high)
				}
			}
		}
	}
}
