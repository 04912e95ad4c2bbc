package handlers_test

import (
	"fmt"
	"net/url"
	"strings"
	"testing"

	"veinte/models"
	"veinte/models/modelstest"
)

// reportedAs is a sale that a program reported with an amount of 125.00.
func (h *house) reportedAs(order string) *models.Sale {
	h.tb.Helper()
	in := modelstest.GivenSale(h.Office, order)
	in.Amount = "125.00"
	got, err := h.Intake.RecordSales(h.tb.Context(), modelstest.RequestKey(), modelstest.ByAPI, []models.SaleInput{in})
	if err != nil || got[0].SaleID == 0 {
		h.tb.Fatalf("RecordSales() = %+v, %v", got, err)
	}
	return &h.SaleDetail(got[0].SaleID).Sale
}

// keeps expects the form with the reason and the note that were typed.
func (a *answer) keeps() {
	a.tb.Helper()
	chosen := strings.Contains(a.body, `value="other" data-receipt="on" data-note checked`)
	if !chosen || !strings.Contains(a.body, ">Se llevó otra talla</textarea>") {
		a.tb.Errorf("%s no longer has the reason and the note: %s", a.what, a.words())
	}
}

// corrected has the sale's terminal post it with another amount.
func (h *house) corrected(s *models.Sale, amount models.Money) {
	h.tb.Helper()
	p := h.SalePost(s.SerialNumber, amount)
	p.OrderID = s.OrderID
	p.OwnAddress = true // nobody else may correct it
	if r := h.Post(p); r.Note != "corrected" {
		h.tb.Fatalf("the post of %s is %s (%s), want a correction", s.OrderID, r.Status, r.Note)
	}
}

// TestSheetOfAnotherAmount: the amount changes while the sheet is open.
func TestSheetOfAnotherAmount(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	sale := h.reportedAs("ORDER-1")
	v := h.manager()
	tab := h.as(v.id)
	form := v.get(sheetPath(sale)).want(200).sends("cancel-form")
	if form.Get("seen") != "125.00" {
		t.Errorf("the sheet carries the amount %q, want 125.00", form.Get("seen"))
	}
	h.corrected(sale, 125000)
	form.Del("csrf")
	form.Del("receipt")
	form.Set("reason", "other")
	form.Set("note", "Se llevó otra talla")
	for _, language := range []string{"en", "es-MX"} { // the second press is a double click
		v.language = language
		again := v.post(cancelPath(sale), form).want(409)
		words := map[string]string{
			"es-MX": "Viste $125.00 y ahora es $1,250.00. Compáralo con el ticket", "en": "You saw $125.00 and it is $1,250.00 now.",
		}
		again.says(words[language])
		again.one("amount-changed")
		again.one("confirm")
		got := again.sends("cancel-form")
		for name, want := range map[string]string{
			"seen": "1250.00", "click": form.Get("click"), "receipt": "",
		} {
			if got.Get(name) != want {
				t.Errorf("%s: the sheet shown again has %s = %q, want %q", language, name, got.Get(name), want)
			}
		}
		again.keeps()
	}
	if n := h.count(`SELECT count(*) FROM cancellations`); n != 0 {
		t.Errorf("%d cancellations, want none", n)
	}
	h.endMinute()
	if n := h.count(`SELECT sum(coalesce((after->>'more')::int, 1)) FROM audit_entries WHERE action = 'cancellation.refused'
		AND reason = 'error.amountChanged' AND (after ? 'more' OR after->>'seenAmount' = '12500' AND amount = 125000)`); n != 2 {
		t.Errorf("refusals in the trail = %d, want one for each press", n)
	}
	// The other tab, opened since, is right; the first one then finds it requested.
	fresh := tab.get(sheetPath(sale)).want(200).sends("cancel-form")
	fresh.Del("csrf")
	fresh.Set("reason", "chargedTwice")
	tab.post(cancelPath(sale), fresh).want(303)
	v.post(cancelPath(sale), form).want(409).says("Ya solicitaste cancelarla a las 12:00")
	if n := h.count(`SELECT count(*) FROM cancellations`); n != 1 {
		t.Errorf("%d cancellations, want 1", n)
	}
}

// TestSheetWithoutAnAmount: the page was drawn before the form had the field.
func TestSheetWithoutAnAmount(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	sale := h.reportedAs("ORDER-1")
	h.corrected(sale, 125000)
	v := h.manager()
	old := url.Values{"reason": {"chargedTwice"}, "click": {"c"}, "receipt": {"on"}}
	again := v.post(cancelPath(sale), old).want(409)
	again.says("El monto cambió: no se solicitó nada")
	again.says("Ahora es $1,250.00.")
	form := again.sends("cancel-form")
	form.Del("csrf")
	form.Set("reason", "chargedTwice")
	v.post(cancelPath(sale), form).wantTo(fmt.Sprintf("/sales/%d", sale.ID))
	// A sale that only ever had one amount is canceled as it was.
	v.post(cancelPath(h.Sale(hereAmount)), url.Values{"reason": {"chargedTwice"}, "click": {"d"}}).want(303)
	for _, odd := range []string{"abc", "-1", "1,250.00", "1250.005", "1e3", "99999999999999999999"} {
		other := h.Sale(hereAmount)
		v.post(cancelPath(other), url.Values{"reason": {"chargedTwice"}, "click": {"e"}, "seen": {odd}}).want(400)
	}
	if n := h.count(`SELECT count(*) FROM cancellations`); n != 2 {
		t.Errorf("%d cancellations, want 2", n)
	}
}

// TestBulkOfAnotherAmount: nothing of a bulk is requested half-seen.
func TestBulkOfAnotherAmount(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	a, b := h.Sale(100000), h.reportedAs("ORDER-1")
	v := h.supervisor()
	form := v.get(choosing(a, b)).want(200).bulkForm()
	form.Set("reason", "other")
	form.Set("note", "Se llevó otra talla")
	form.Del("receipt")
	h.corrected(b, 125000)
	again := v.post("/sales/cancellations", form).want(409)
	again.says("1 venta tiene ahora otro monto que el que viste. No se solicitó ninguna")
	again.says("Viste $125.00: el monto cambió")
	again.says("Sí, cancelar 2 ventas · $2,250.00")
	if n := len(again.byTestID("amount-was")); n != 1 {
		t.Errorf("%d sales are marked, want 1", n)
	}
	if n := h.count(`SELECT count(*) FROM cancellations`); n != 0 {
		t.Errorf("%d cancellations, want none", n)
	}
	got := again.sends("several-form")
	again.keeps()
	if got.Get("receipt") != "" || got.Get("from") != form.Get("from") ||
		got.Get("click") == form.Get("click") {
		t.Errorf("the form that came back sends %v", got)
	}
	fresh := again.bulkForm()
	v.follow(v.post("/sales/cancellations", fresh)).want(200).says("Se solicitó la cancelación de 2 de 2 ventas")
	// Back in the browser, and the old form once more: nothing is requested twice.
	v.post("/sales/cancellations", form).want(303)
	if n := h.count(`SELECT count(*) FROM cancellations`); n != 2 {
		t.Errorf("%d cancellations, want 2", n)
	}
}
