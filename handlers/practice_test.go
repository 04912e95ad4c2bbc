package handlers_test

import (
	"net/http"
	"strings"
	"testing"

	"veinte/handlers"
	"veinte/models"
)

const stripe = `data-testid="practice"`

// In a practice installation every page says that it is one, whatever the answer,
// and so does the head of every answer, for programs and for files.
func TestEveryPageOfThePracticeSaysSo(t *testing.T) {
	t.Parallel()
	for _, who := range personas {
		t.Run(who.name, func(t *testing.T) {
			t.Parallel()
			h := newHouse(t, func(c *handlers.Config) { c.Practice = true }).withNeighbours()
			on, v := h.targets(), who.browser(h)
			pages := 0
			for _, line := range handlers.Lines() {
				e, ok := expectations[line.Method+" "+line.Path]
				if !ok {
					continue // TestMatrix says so
				}
				if who.role != "" {
					v.jar["veinte_session"] = h.session(v.id)
				}
				a := v.ask(line.Method, e, on)
				if got := a.header.Get("Veinte-Practice"); got != "on" {
					t.Errorf("%s: Veinte-Practice = %q, want on", a.what, got)
				}
				if a.status != http.StatusSeeOther && strings.HasPrefix(a.header.Get("Content-Type"), "text/html") {
					pages++
					if strings.Count(a.body, stripe) != 1 && !strings.Contains(a.body, `id="sheet"`) {
						t.Errorf("%s = %d, with %d stripes, want 1", a.what, a.status, strings.Count(a.body, stripe))
					}
					if !strings.Contains(a.body, stripe) {
						t.Errorf("%s = %d does not say that it is practice", a.what, a.status)
					}
				}
			}
			if pages < 3 {
				t.Errorf("pages seen = %d, want every one that there is", pages)
			}
		})
	}
}

// A real server says nothing of the kind.
func TestARealServerHasNoStripe(t *testing.T) {
	t.Parallel()
	a := newHouse(t).visitor().get("/login")
	if strings.Contains(a.body, stripe) || a.header.Get("Veinte-Practice") != "" {
		t.Errorf("the sign-in page of a real server says that it is practice:\n%s", a.body)
	}
}

func TestTheGuidesLeadToThePractice(t *testing.T) {
	t.Parallel()
	const url = "https://practica.tiendas.example"
	h := newHouse(t, func(c *handlers.Config) { c.PracticeURL = url })
	ana := h.as(h.user("Ana", models.Manager, h.Store))
	if a := ana.get("/help/manager"); !strings.Contains(a.body, `href="`+url+`"`) {
		t.Errorf("the guide does not lead to %s", url)
	}
	if a := newHouse(t).visitor().get("/help/manager"); a.status != http.StatusSeeOther {
		t.Errorf("a guide for nobody = %d, want the sign-in page first", a.status)
	}
	if a := ana.get("/help/nadie"); a.status != http.StatusNotFound {
		t.Errorf("a guide that there is not = %d, want 404", a.status)
	}
}
