package handlers_test

import (
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"

	"veinte/models"
	"veinte/models/modelstest"
)

// TestSaleDetail shows a sale in each of its states, in both languages.
func TestSaleDetail(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		state  models.State
		shown  string
		es, en string
	}{
		{models.Requested, "requested", "Todavía no se envía nada", "Nothing has been sent to the terminal yet"},
		{models.Withdrawn, "cancelable", "todavía se puede cancelar", "can still be canceled"},
		{models.Expired, "expired", "La hora límite llegó antes", "The cut-off came before it could be sent"},
		{models.Sending, "sending", "se está enviando", "is being sent"},
		{models.Accepted, "accepted", "falta que confirme", "has yet to confirm"},
		{models.Rejected, "rejected", "sigue cobrada", "is still charged"},
		{models.Unknown, "unknown", "no sabemos", "We do not know yet"},
		{models.Confirmed, "confirmed", "cancelada por el monto completo", "canceled for the full amount"},
		{models.NotCanceled, "notCanceled", "sigue cobrada", "is still charged"},
	} {
		t.Run(string(tt.state), func(t *testing.T) {
			t.Parallel()
			h := newHouse(t)
			sale, _ := h.StateOf(tt.state)
			for _, v := range []*visitor{h.manager(), h.supervisor(), h.administrator()} {
				for language, words := range map[string]string{"es-MX": tt.es, "en": tt.en} {
					v.language = language
					p := v.get(fmt.Sprintf("/sales/%d", sale.ID)).want(200)
					if got := attr(p.one("story"), "data-state"); got != tt.shown {
						t.Errorf("the detail of %s says %q, want %q", tt.state, got, tt.shown)
					}
					if !strings.Contains(strings.ToLower(p.words()), strings.ToLower(words)) {
						t.Errorf("the detail of %s in %s does not say %q: %s", tt.state, language, words, p.words())
					}
					p.neverSaysFailed()
					part := v.get(fmt.Sprintf("/sales/%d?fragment=story", sale.ID)).want(200)
					if strings.Contains(part.body, "<html") || attr(part.one("story"), "data-state") != tt.shown {
						t.Errorf("the fragment of %s is not the detail alone", tt.state)
					}
				}
			}
		})
	}
}

// neverSaysFailed: a doubt is no failure, and nothing here is shown as one.
func (p *page) neverSaysFailed() {
	p.tb.Helper()
	words := strings.ToLower(p.words())
	for _, word := range []string{"falló", "fallida", "fallido", "fallo ", "failed", "failure", "fracas"} {
		if strings.Contains(words, word) {
			p.tb.Errorf("%s says %q: %s", p.what, word, p.words())
		}
	}
}

// TestSaleDetailNeverShowsTheKey looks for the attempt id, which is a capability.
func TestSaleDetailNeverShowsTheKey(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	sale, c := h.StateOf(models.Accepted)
	key := h.LastOrder().Key
	body := fmt.Sprintf(`{"transType":"V","responseCode":"00","terminalId":%q,"orderId":%q,"amount":"1250.0",
		"cardNumber":"4152009912348610","authCode":"Z1","isRePrint":false,"traceability":{"attemptId":%q}}`,
		sale.SerialNumber, sale.OrderID, key.Reveal())
	h.visitor().send("POST", "/results/"+secret, body, "Content-Type", "application/json").want(200)
	if got := h.Cancellation(c.ID).State; got != models.Confirmed {
		t.Fatalf("the terminal's post made the cancellation %s, want confirmed", got)
	}
	v := h.supervisor()
	for _, path := range []string{fmt.Sprintf("/sales/%d", sale.ID), "/audit", "/results", "/sales"} {
		v.get(path).want(200).hides(key.Reveal(), key.Hash(), "415200", "4152009912348610")
	}
	if n := h.count(`SELECT count(*) FROM results WHERE sale_id = $1 AND key_hash <> ''`, sale.ID); n != 1 {
		t.Errorf("%d results carry the attempt, want 1: else nothing was hidden", n)
	}
}

func TestResolve(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	sale, c := h.StateOf(models.Unknown)
	v := h.supervisor()
	path, back := fmt.Sprintf("/cancellations/%d/resolution", c.ID), fmt.Sprintf("/sales/%d", sale.ID)
	v.get(back).one("resolution-form")
	for _, tt := range []struct {
		fact  string
		form  url.Values
		words string
	}{
		{"no outcome", url.Values{"note": {"lo vi en el ticket"}}, ""},
		{"an outcome of ours that is none of theirs", url.Values{"outcome": {"confirmed"}, "note": {"lo vi en el ticket"}}, ""},
		{"no evidence", url.Values{"outcome": {"canceled"}}, ""},
		{"evidence too thin", url.Values{"outcome": {"canceled"}, "note": {"sí"}}, ""},
		{"a long authorization", url.Values{"outcome": {"canceled"}, "authCode": {strings.Repeat("9", 41)}}, "Es demasiado largo."},
		{"a long note", url.Values{"outcome": {"canceled"}, "note": {strings.Repeat("x", 501)}}, "Es demasiado largo."},
	} {
		p := v.post(path, tt.form).want(422)
		p.says(tt.words)
		for _, name := range []string{"note", "authCode"} {
			if got := p.field(name); got != tt.form.Get(name) {
				t.Errorf("%s: %s is now %q, want %q", tt.fact, name, got, tt.form.Get(name))
			}
		}
		if got := p.field("outcome"); got != tt.form.Get("outcome") && got != "" {
			t.Errorf("%s: outcome is now %q", tt.fact, got)
		}
		if got := attr(p.one("story"), "data-state"); got != "unknown" {
			t.Errorf("%s: the sale is now %q, want unknown", tt.fact, got)
		}
	}
	h.exec(`UPDATE sales SET auth_code = '355873', folio = 'venta_645.20' WHERE id = $1`, sale.ID)
	own := url.Values{"outcome": {"canceled"}, "authCode": {"355873"}, "folio": {"venta_645.20"}}
	v.post(path, own).want(422).says("Es la autorización de la venta. La cancelación tiene otra")
	v.post(path, url.Values{"outcome": {"canceled"}, "folio": {"venta_645.20"}}).want(422).says("Es el folio de la venta")
	own["outcome"] = []string{"notCanceled"} // the form does not ask for them then
	v.post(path, own).want(422).says("Escribe qué viste y dónde")
	done := url.Values{"outcome": {"notCanceled"}, "folio": {"F-1"}, "note": {`<b>"seen"</b>`}}
	for range 2 {
		v.post(path, done).wantTo(back)
	}
	v.get(h.entryPage("cancellation.moved")).says(`<b>"seen"</b>`)
	h.Clock.Set(h.Clock.Now().Add(time.Minute))
	ticket := v.follow(v.post(path, url.Values{"outcome": {"canceled"}, "authCode": {"123456"}})).want(200)
	if got := attr(ticket.one("story"), "data-state"); got != "confirmed" {
		t.Errorf("with the ticket in the hand the sale is %q, want confirmed", got)
	}
	v.post(path, done).want(409).says("ya no está por verificar")
	handled := v.get("/review?show=handled").want(200)
	handled.saysAll("Autorización: 123", `Nota: <b>"seen"</b>`, "Cancelada", "Sigue cobrada")
	handled.hides("authCode", "note <b>")
	if got := h.Cancellation(c.ID).State; got != models.Confirmed {
		t.Errorf("the cancellation is %s, want confirmed: that is final", got)
	}
}

func TestInquire(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	v := h.manager()
	sale, c := h.StateOf(models.Unknown)
	path, back := fmt.Sprintf("/cancellations/%d/inquiry", c.ID), fmt.Sprintf("/sales/%d", sale.ID)
	v.get(back).one("inquiry")
	v.follow(v.post(path, nil).wantTo(back)).one("flash")
	if n := h.count(`SELECT count(*) FROM test_tasks WHERE kind = 'inquire' AND case_id = $1 AND by = 'Marta Gerente'`, c.ID); n != 1 {
		t.Errorf("%d inquiries wait, want 1", n)
	}
	h.Clock.Advance(modelstest.Waits.Quiet)
	_, ended := h.StateOf(models.Confirmed)
	p := v.follow(v.post(fmt.Sprintf("/cancellations/%d/inquiry", ended.ID), nil).want(303))
	p.says("ya terminó")
	if got := attr(p.one("flash"), "class"); !strings.Contains(got, "flash-problem") {
		t.Errorf("a refused inquiry is shown as %q, want a problem", got)
	}
}

// TestWayToTheRefund opens a sale after the cut-off.
func TestWayToTheRefund(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	sale := h.Sale(hereAmount)
	h.Clock.Set(sale.CutoffAt)
	p := h.manager().get(fmt.Sprintf("/sales/%d", sale.ID)).want(200)
	if got := attr(p.one("story"), "data-state"); got != "tooLate" || len(p.byTestID("cancel")) != 0 {
		t.Errorf("after the cut-off the sale is %q with %d ways to cancel, want tooLate and none", got, len(p.byTestID("cancel")))
	}
	p.says("devolución")
}
