package handlers_test

import (
	"fmt"
	"net/url"
	"strings"
	"testing"

	"golang.org/x/net/html"
)

// TestEnterSale types a sale from its ticket: what is wrong is said at its
// field, what is odd is asked about, and what was typed by hand is marked so.
func TestEnterSale(t *testing.T) {
	t.Parallel()
	h := newHouse(t).withNeighbours()
	v := h.manager()
	const card = "4111 1111 1111 1111"
	form := url.Values{
		"terminal": {fmt.Sprint(h.Terminal.ID)}, "orderId": {"261120113000-" + string(h.Terminal.SerialNumber)}, "amount": {"1,250.00"},
		"date": {"2026-11-20"}, "time": {"11:30"}, "last4": {"4242"},
	}
	with := func(name, value string) url.Values {
		changed := url.Values{}
		for n, values := range form {
			changed[n] = values
		}
		changed.Set(name, value)
		return changed
	}
	// refused follows to the form's own address, to which Back leads without a question. A
	// card number goes into no address.
	refused := func(form url.Values) *answer {
		t.Helper()
		p := v.post("/sales", form)
		to, err := url.Parse(p.header.Get("Location"))
		if err != nil || to.Path == "" && form.Get("orderId") == card {
			return p.want(422)
		}
		if to.Path != "/sales/new" || strings.Contains(to.RawQuery, "1111") {
			t.Fatalf("what is refused goes to %q, want its form without a card number", to)
		}
		return v.follow(p).want(200)
	}
	for _, tt := range []struct{ field, value, words string }{
		{"terminal", "", "Elige la terminal"},
		{"terminal", fmt.Sprint(h.terminal.ID), "Elige la terminal"}, // of another store
		{"orderId", "", "Llena este campo."},
		{"orderId", card, "número de tarjeta"},
		{"amount", "1250,00", "Escribe un monto"},
		{"amount", "0", "mayor que cero"},
		{"date", "ayer", "fecha"},
		{"time", "", "13:45"},
		{"time", "23:59", "todavía no llegan"},
		{"last4", "12", "cuatro dígitos"},
	} {
		p := refused(with(tt.field, tt.value))
		p.says(tt.words)
		for name := range form {
			if name != tt.field && name != "terminal" && p.field(name) != form.Get(name) {
				t.Errorf("%s %q: %s is now %q, want %q", tt.field, tt.value, name, p.field(name), form.Get(name))
			}
		}
	}
	odd := with("orderId", "261120113000-1234567890")
	p := refused(odd)
	p.one("entry-warnings")
	p.says("El número de orden nombra otra terminal.")
	if n := h.count(`SELECT count(*) FROM sales WHERE source = 'hand'`); n != 0 {
		t.Fatalf("sales before anybody looked twice = %d, want none", n)
	}
	// The word for one warning covers no other: the time is changed after the look.
	checkbox := func(p *answer) string {
		return attr(p.all(func(n *html.Node) bool { return attr(n, "name") == "reviewed" })[0], "value")
	}
	shown := checkbox(p)
	odd.Set("reviewed", shown)
	odd.Set("time", "11:00")
	p = refused(odd)
	p.says("El número de orden nombra otra terminal.")
	if both := checkbox(p); shown != "sale.orderSerialDiffers" || both != "sale.orderSerialDiffers,sale.orderTimeDiffers" {
		t.Errorf("the checkbox named %q and then %q, want the warnings beside it", shown, both)
	}
	for _, claim := range []string{"on", "", ",", "sale.notToday"} {
		odd.Set("reviewed", claim)
		refused(odd).one("entry-warnings")
	}
	if n := h.count(`SELECT count(*) FROM sales WHERE source = 'hand'`); n != 0 {
		t.Fatalf("sales with a warning that nobody has seen = %d, want none", n)
	}
	odd.Set("time", "11:30")
	odd.Set("reviewed", shown)
	detail := v.follow(v.post("/sales", odd)).want(200)
	detail.one("flash")
	detail.one("by-hand")
	detail.says("Capturada a mano: Marta Gerente")
	sale := h.count(`SELECT id FROM sales WHERE source = 'hand'`)
	v.get("/sales").want(200).one("by-hand")
	v.get(fmt.Sprintf("/sales/%d/cancellation/new", sale)).want(200).one("by-hand")
	again := v.post("/sales", odd)
	again.wantTo(fmt.Sprintf("/sales/%d", sale))
	v.follow(again).says("ya estaba")
	odd.Set("folio", "F-77")
	v.follow(v.post("/sales", odd)).says("se le agregaron los datos que le faltaban")
	if n := h.count(`SELECT count(*) FROM sales WHERE folio = 'F-77'`); n != 1 {
		t.Errorf("sales with the folio that was typed later = %d, want 1", n)
	}
	odd.Set("amount", "1,250.01")
	differs := refused(odd)
	differs.says("Ya hay una venta con ese número de orden")
	differs.says("Ver la venta que ya está")
	if n := h.count(`SELECT count(*) FROM sales WHERE source = 'hand'`); n != 1 {
		t.Errorf("sales = %d, want the one that was typed", n)
	}
}
