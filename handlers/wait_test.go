package handlers_test

import (
	"fmt"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"veinte/models"
	"veinte/models/modelstest"
)

// A request whose terminal is occupied by a doubt says so, with the way there and until
// when, in the list and on its page; near the cut-off it says what becomes of it.
func TestARequestSaysWhatItWaitsFor(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.Clock.Set(modelstest.At(t, "2026-11-20T19:52:00-06:00"))
	doubt, _ := h.StateOf(models.Unknown)
	waits := h.Sale(hereAmount)
	h.Dispatch(h.Request(waits).ID)
	v := h.manager()
	until := "Sale a más tardar a las 19:55:35."
	expires := "Si no sale antes de las 19:59:55, vence y queda para devolución."
	for _, at := range []struct {
		clock         string
		says, saysNot []string
	}{
		{"19:52:00", []string{until}, []string{expires}},
		{"19:54:55", []string{expires}, nil},
	} {
		h.Clock.Set(modelstest.At(t, "2026-11-20T"+at.clock+"-06:00"))
		for _, page := range []string{"/sales", fmt.Sprintf("/sales/%d", waits.ID)} {
			answer := v.get(page).want(200)
			got := textOf(answer.one("wait"))
			want := append(at.says, "Espera a "+h.Terminal.Label+": otra venta ($1,250.00) está por verificar.")
			for _, want := range want {
				if !strings.Contains(got, want) {
					t.Errorf("%s at %s says %q, want %q", page, at.clock, got, want)
				}
			}
			for _, not := range at.saysNot {
				if strings.Contains(got, not) {
					t.Errorf("%s at %s says %q already: %q", page, at.clock, not, got)
				}
			}
			link := fmt.Sprintf("/sales/%d", doubt.ID)
			links := answer.all(func(n *html.Node) bool {
				return attr(n, "href") == link && attr(n.Parent, "data-testid") == "wait"
			})
			if len(links) != 1 {
				t.Errorf("%s at %s does not lead to %s", page, at.clock, link)
			}
		}
	}
	h.Clock.Set(modelstest.At(t, "2026-11-20T19:55:35-06:00"))
	if wait := h.Dispatch(h.SaleDetail(waits.ID).Latest().ID); wait != 0 {
		t.Errorf("at the time that was named it waits %s more", wait)
	}
	if sent := v.get(fmt.Sprintf("/sales/%d", waits.ID)).want(200); len(sent.byTestID("wait")) > 0 {
		t.Error("what was sent still says what it waits for")
	}
}
