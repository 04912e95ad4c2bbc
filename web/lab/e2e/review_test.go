package e2e

import (
	"fmt"
	"strings"
	"testing"
)

// An administrator pauses cancellations: open pages show the reason without a
// reload, nothing leaves, and waiting ones are sent afterwards.
func TestPauseReachesOpenPages(t *testing.T) {
	t.Parallel()
	s := ownServer(t, "2026-11-20T18:30:00-06:00")
	place := s.newTerminal(t, romaNorte)
	first, second := s.box.sell(t, place.serial, "90.00", nil), s.box.sell(t, place.serial, "1250.00", nil)
	s.box.fault(t, first, "ackNoResult", nil)
	ana := s.as(t, manager)
	ana.cancel(t, s.saleID(t, first))
	ana.waitFor(t, s.saleID(t, first), "accepted")
	ana.cancel(t, s.saleID(t, second)) // waits for the first

	list, story := s.openAs(t, manager, phone), s.openAs(t, supervisor, desk)
	list.goTo("/sales")
	list.do(markLoaded)
	story.goTo("/sales/" + s.saleID(t, second))
	diego := s.openAs(t, administrator, desk)
	diego.goTo("/settings")
	diego.fill("#f-reason", "El proveedor está en mantenimiento hasta las 19:00")
	diego.press(id("pause-form") + " button[type=submit]")
	diego.see(id("resume-form"))
	for who, p := range map[string]*page{"the manager's list": list, "the supervisor's story": story} {
		p.until("the pause on "+who, has(id("notice")+"[data-kind=pause]"))
		if got := p.text(id("notices")); !strings.Contains(got, "mantenimiento hasta las 19:00") {
			t.Errorf("%s says %q, want the administrator's reason", who, got)
		}
		report(t, who+" in a pause", p.axe())
	}
	if wide := list.tooWide(); len(wide) > 0 {
		t.Errorf("wider than a phone in a pause: %v", wide)
	}
	if got := story.text(id("story")); !strings.Contains(got, "esta espera y se envía al reanudar") {
		t.Errorf("the story of a waiting request says %q, want what becomes of it", got)
	}
	third := s.box.sell(t, s.newTerminal(t, romaNorte).serial, "33.00", nil)
	list.press(id("new-sales"))
	list.until("the new sale, without a way to cancel it", says(sale(third), "En pausa"))
	if list.count(id("cancel")) != 0 {
		t.Error("the list offers a cancellation in a pause, want none")
	}
	// A user who already had the link sees the reason on the sheet.
	story.goTo("/sales/" + s.saleID(t, third) + "/cancellation/new")
	story.until("the refusal", says("#sheet", "no se admiten solicitudes nuevas"))
	list.wantNotReloaded()

	diego.press(id("resume-form") + " button[type=submit]")
	diego.see(id("pause-form"))
	list.until("the end of the pause", "!"+has(id("notice")+"[data-kind=pause]"))
	list.see(sale(third) + " " + id("cancel"))
	list.wantNotReloaded()
	s.box.wantNoCancel(t, second) // its terminal still is busy
}

// A supervisor empties the inbox: resolves a doubt from a phone call, and reviews
// what was canceled on the terminal.
func TestInbox(t *testing.T) {
	t.Parallel()
	_, order, saleID := doubt(t)
	byHand := shared.canceledThere(t)
	for _, sc := range []screen{desk, phone} {
		t.Run(fmt.Sprintf("%d px", sc.width), func(t *testing.T) {
			sofia := shared.openAs(t, supervisor, sc)
			for query, sale := range map[string]string{"q=" + order: saleID, "kind=conflict": byHand} {
				sofia.goTo("/review?" + query)
				sofia.see(id("review-item") + ` a[href="/sales/` + sale + `"]`)
			}
			if wide := sofia.tooWide(); len(wide) > 0 {
				t.Errorf("wider than the window: %v", wide)
			}
		})
	}
	sofia := shared.openAs(t, supervisor, phone)
	sofia.goTo("/review?kind=conflict")
	item := id("review-item") + `:has(a[href="/sales/` + byHand + `"])`
	sofia.press(item + " [data-mark]")
	sofia.until("the focus in the note", fmt.Sprintf("document.activeElement.matches(%q)", item+" [name=note]"))
	sofia.write("El ticket está en la caja.")
	sofia.offline(true)
	sofia.press(item + " button[type=submit]")
	sofia.see(item + " [role=alert]") // and the note stays
	sofia.offline(false)
	sofia.press(item + " button[type=submit]")
	sofia.see(id("flash"))
	if got := sofia.count(id("review-item") + ` a[href="/sales/` + byHand + `"]`); got != 0 {
		t.Error("what was marked stays in the inbox")
	}
	sofia.goTo("/review?q=" + order)
	sofia.press(id("review-item") + ` a.button[href="/sales/` + saleID + `"]`)
	sofia.at("/sales/" + saleID)
	form := id("resolution-form")
	sofia.press(form + " input[value=notCanceled]")
	sofia.fill("#f-note", "La terminal está en su pantalla principal y no salió comprobante.")
	sofia.press(form + " button[type=submit]")
	sofia.wantState("notCanceled")
	sofia.goTo("/review?q=" + order)
	if got := sofia.count(id("review-item") + ` a[href="/sales/` + saleID + `"]`); got != 0 {
		t.Errorf("the resolved doubt of %s stays in the inbox", order)
	}
}
