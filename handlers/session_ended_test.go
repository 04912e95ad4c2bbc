package handlers_test

import (
	"net/url"
	"strings"
	"testing"

	"veinte/models"
	"veinte/models/modelstest"
)

// TestASessionThatEndedOnTheSheet: nothing was canceled, the sign-in page says so, and
// leads back to the same sheet with the reason and the note; also after a wrong password.
func TestASessionThatEndedOnTheSheet(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	sale := h.Sale(154012)
	v := h.as(h.signUp("nora@veinte.test", models.Manager).ID)
	form := v.get(sheetPath(sale)).want(200).sends("cancel-form")
	form.Set("reason", "other")
	form.Set("note", "La cliente volvió: cobró dos & pagó ñ")
	form.Del("receipt")
	h.exec(`DELETE FROM sessions`)
	p := v.follow(v.post(cancelPath(sale), form).want(303)).want(200)
	delete(v.jar, "veinte_session") // the visit's token goes with the form now
	p.says("Tu sesión terminó antes de enviar. No se canceló nada.")
	p.says("Entra y vuelves a la venta de $1,540.12")
	if n := h.count(`SELECT count(*) FROM cancellations`); n != 0 {
		t.Fatalf("%d cancellations, want none", n)
	}
	entry := func(p *answer, password string) url.Values {
		return url.Values{
			"email": {"nora@veinte.test"}, "password": {password},
			"next": {p.field("next")}, "ended": {p.field("ended")}, "seen": {p.field("seen")},
		}
	}
	p = v.post("/login", entry(p, "not this one")).want(422)
	p.says("No se canceló nada.")
	p.says("$1,540.12")
	back := v.follow(v.post("/login", entry(p, modelstest.Password)).want(303)).want(200)
	sent := back.sends("cancel-form")
	note := "La cliente volvió: cobró dos &amp; pagó ñ</textarea>"
	if sent.Get("reason") != "other" || sent.Get("receipt") != "" || !strings.Contains(back.body, note) {
		t.Errorf("the sheet has %v again, want what was typed: %s", sent, back.words())
	}
}

// TestAnOldFormLeadsBack: of a form whose token is too old nothing was sent, and its page
// has what was typed. A card number goes into no address.
func TestAnOldFormLeadsBack(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	sale := h.Sale(hereAmount)
	v := h.manager()
	form := v.get(sheetPath(sale)).want(200).sends("cancel-form")
	form.Set("csrf", "old")
	form.Set("reason", "chargedTwice")
	form.Set("note", "tarjeta 4111111111111111")
	p := v.send("POST", cancelPath(sale), form.Encode(), "Content-Type", "application/x-www-form-urlencoded").want(403)
	p.says("No se envió nada")
	want := sheetPath(sale) + "?reason=chargedTwice&receipt=on"
	if to := p.attrs("back", "href"); len(to) != 1 || to[0] != want {
		t.Errorf("the way back is %q, want %q", to, want)
	}
}
