package handlers_test

import (
	"testing"
	"time"
)

// Once the day has closed the first page is about who still waits: how many were
// canceled, how many customers have no answer, in which stores, and the way to them.
func TestAClosedDayIsAboutWhoWaits(t *testing.T) {
	t.Parallel()
	h := newHouse(t).withNeighbours() // a cancellation is under way there
	sale := h.Sale(125000)
	m := h.manager()
	form := m.get(sheetPath(sale)).want(200).sends("cancel-form")
	form.Set("reason", "chargedTwice")
	m.post(cancelPath(sale), form).want(303)
	if page := m.get("/sales").want(200); len(page.byTestID("day-closed")) != 0 {
		t.Error("while there is time the page says how the day ended")
	}
	h.Clock.Set(sale.CutoffAt.Add(time.Minute))
	m.jar["veinte_session"] = h.session(m.id) // none lasts from noon to the cut-off
	page := m.get("/sales").want(200)
	page.saysAll("El día cerró: 0 canceladas ($0.00), 1 cliente por atender", "Atender pendientes (1)")
	m.get(attr(page.one("attend"), "href")).want(200).says("$1,250.00")
	h.supervisor().get("/sales").want(200).saysAll("2 clientes por atender", h.Store.Name+" (1)", theirName+" (1)")
	if part := m.get("/sales?fragment=list").want(200); len(part.byTestID("day-closed")) != 0 {
		t.Error("the part that is asked for again and again counts who waits")
	}
}
