package handlers_test

import (
	"fmt"
	"net/url"
	"testing"
)

// TestSheetOfADayNotProven: the person reads the date on the ticket before anything is
// sent.
func TestSheetOfADayNotProven(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	sale := h.UnprovenSale(hereAmount)
	v := h.manager()
	list := v.get("/sales").want(200)
	list.one("day-not-proven")
	list.says("Día sin comprobar")
	v.get(fmt.Sprintf("/sales/%d", sale.ID)).want(200).one("day-not-proven")
	sheet := v.get(sheetPath(sale)).want(200)
	sheet.one("day-not-proven")
	form := sheet.sends("cancel-form")
	if date, asked := form["ticketDate"]; !asked || date[0] != "" {
		t.Errorf("the sheet sends the date %q, want an empty field for it", date)
	}
	form.Del("csrf")
	form.Del("receipt")
	form.Set("reason", "other")
	form.Set("note", "Se llevó otra talla")
	for date, says := range map[string]string{
		"": "Escribe la fecha que dice el ticket.", "2026-11-21": "Esa fecha todavía no llega", "20/11": "Escribe una fecha válida.",
	} {
		form.Set("ticketDate", date)
		again := v.post(cancelPath(sale), form)
		again.says(says)
		again.keeps()
		if got := again.sends("cancel-form").Get("ticketDate"); got != date {
			t.Errorf("with the date %q the sheet comes back with %q", date, got)
		}
	}
	if n := h.count(`SELECT count(*) FROM cancellations`); n != 0 {
		t.Errorf("%d cancellations, want none", n)
	}
	form.Set("ticketDate", "2026-11-20")
	v.post(cancelPath(sale), form).wantTo(fmt.Sprintf("/sales/%d", sale.ID))
	v.get("/sales").want(200).hides("Día sin comprobar")
	v.get(fmt.Sprintf("/sales/%d", sale.ID)).says("Fecha que dice el ticket 20 nov 2026")
	// A sale that proves its day is not asked for it.
	proven := v.get(sheetPath(h.Sale(100))).want(200)
	if len(proven.byTestID("day-not-proven")) != 0 || proven.sends("cancel-form").Has("ticketDate") {
		t.Error("the sheet of a sale that proves its day asks for the date")
	}
}

// TestSheetOfATicketOfAnotherDay: the sheet says so, with the data for a refund, and a
// supervisor may correct the date.
func TestSheetOfATicketOfAnotherDay(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	sale := h.UnprovenSale(hereAmount)
	v := h.manager()
	press := url.Values{"reason": {"chargedTwice"}, "click": {"c"}, "seen": {"4312.98"}, "ticketDate": {"2026-11-19"}}
	refused := v.post(cancelPath(sale), press)
	refused.says("El ticket es de otro día y su hora límite ya pasó: no se solicitó nada.")
	refused.says("El ticket es del 19 nov 2026")
	list := v.get("/sales").want(200)
	list.one("other-day")
	if n := len(list.byTestID("cancel")); n != 0 {
		t.Errorf("the list offers to cancel %d sales, want none", n)
	}
	page := v.get(fmt.Sprintf("/sales/%d", sale.ID)).want(200)
	page.says("El ticket es del 19 nov 2026")
	if n := len(page.byTestID("correct-date")); n != 0 {
		t.Error("a manager is offered to correct the date")
	}
	again := v.get(sheetPath(sale)).want(200)
	if n := len(again.byTestID("confirm")); n != 0 {
		t.Error("the sheet still offers to confirm")
	}
	s := h.supervisor()
	s.get(attr(s.get(fmt.Sprintf("/sales/%d", sale.ID)).want(200).one("correct-date"), "href")).want(200).one("other-day")
	press.Set("ticketDate", "2026-11-20")
	s.post(cancelPath(sale), press).want(303)
	if n := h.count(`SELECT count(*) FROM cancellations`); n != 1 {
		t.Errorf("%d cancellations, want 1", n)
	}
}

// TestBulkLeavesOutADayNotProven: it says why, and what to do.
func TestBulkLeavesOutADayNotProven(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	sale, unproven := h.Sale(hereAmount), h.UnprovenSale(100)
	v := h.supervisor()
	page := v.get(choosing(sale, unproven)).want(200)
	page.says("No se puede comprobar de qué día es esta venta: pídela aparte")
	page.says("Sí, cancelar 1 venta")
	result := v.follow(v.post("/sales/cancellations", page.bulkForm())).want(200)
	result.says("Se solicitó la cancelación de 1 de")
	if n := h.count(`SELECT count(*) FROM cancellations WHERE sale_id = $1`, unproven.ID); n != 0 {
		t.Errorf("%d cancellations of the sale without a day, want none", n)
	}
}
