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

// The trail's first screen is the trail, on a phone and on a desk, for whoever oversees
// and for an auditor who has not put the first steps away.
func TestTheTrailsFirstScreenIsEntries(t *testing.T) {
	t.Parallel()
	const highest = 300
	s := ownServer(t, noon)
	for _, role := range []string{supervisor, auditor} {
		for _, sc := range []screen{phone, {1280, 800, false}} {
			for _, lang := range []string{"es-MX", "en"} {
				p := s.openAs(t, role, sc)
				p.setCookie("veinte_language", lang)
				p.goTo("/audit")
				p.drawn()
				top := eval[float64](p, has(id("audit-entry"))+".getBoundingClientRect().top")
				if top > highest {
					t.Errorf("%s in %s, %d px wide: the first entry begins %.0f px down, want at most %d", role, lang, sc.width, top, highest)
				}
			}
		}
	}
}
