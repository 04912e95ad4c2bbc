package e2e

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
)

// wantNoFailure checks that a page does not call a doubt a failure.
func (p *page) wantNoFailure(where string) {
	p.t.Helper()
	text := strings.ToLower(p.text("main"))
	for _, word := range []string{"falló", "fallida", "fracas", "error", "failed", "failure"} {
		if strings.Contains(text, word) {
			p.t.Errorf("%s says %q of what is unknown: %q", where, word, text)
		}
	}
}

// doubt is a sale whose cancellation got lost on the way: the service read it
// and hung up, and the terminal did nothing.
func doubt(t *testing.T) (p *page, order, saleID string) {
	t.Helper()
	order = shared.box.sell(t, shared.newTerminal(t, romaNorte).serial, "1250.00", nil)
	saleID = shared.saleID(t, order)
	shared.box.fault(t, order, "dropAfterReading", map[string]any{"acts": false})
	p = shared.openAs(t, manager, desk)
	p.openSheet(order)
	p.press("dialog " + id("receipt"))
	p.press("dialog input[name=reason][value=customerRequest]")
	p.press("dialog " + id("confirm"))
	p.at("/sales/" + saleID)
	p.wantState("unknown")
	return p, order, saleID
}

// A cancellation in doubt is shown as "Por verificar", with instructions, until a
// supervisor has seen the evidence.
func TestUnknownOutcomeIsResolvedByEvidence(t *testing.T) {
	t.Parallel()
	p, order, saleID := doubt(t)
	story := p.text(id("story"))
	for _, want := range []string{"Por verificar", "Mira la pantalla de Caja P", "Busca el comprobante", "Verificar ahora"} {
		if !strings.Contains(story, want) {
			t.Errorf("story = %q, want %q in it", story, want)
		}
	}
	p.wantNoFailure("the story")
	if p.count(id("resolution-form")) != 0 || p.count(id("cancel")) != 0 {
		t.Error("a manager can resolve the doubt or cancel again, want neither")
	}
	p.goTo("/sales?q=" + order)
	p.see(sale(order) + "[data-state=unknown]")
	p.wantNoFailure("the list")
	if p.count(sale(order)+" "+id("cancel")) != 0 {
		t.Error("the row of a doubt offers to cancel again, want not")
	}

	sofia := shared.openAs(t, supervisor, desk)
	sofia.goTo("/sales/" + saleID)
	form := id("resolution-form")
	sofia.watch.allow("status of 422")
	sofia.press(form + " input[value=canceled]")
	sofia.press(form + " button[type=submit]") // without evidence: an error is shown
	sofia.see("[data-error-summary]")
	// The detail page updates around the form, whose content stays.
	sofia.do(step(`window.polls = 0; document.addEventListener("htmx:afterRequest", () => window.polls++)`))
	sofia.until("two polls", "window.polls >= 2")
	sofia.see("[data-error-summary]")
	if !eval[bool](sofia, has(form+" input[value=canceled]")+".checked") {
		t.Error("the chosen outcome is lost after the refusal, want it kept")
	}
	sofia.fill("#f-authCode", "654321")
	sofia.fill("#f-note", "Comprobante de cancelación pegado en la bitácora del turno.")
	sofia.press(form + " button[type=submit]")
	sofia.wantState("confirmed")
	sofia.see(id("flash"))

	p.goTo("/sales?q=" + order)
	p.see(sale(order) + "[data-state=confirmed]")
	shared.box.wantOneCancel(t, order, true)
	wantTrail(t, order, "requested requested→sending sending→unknown resolution.refused unknown→confirmed")
}

// A verification that comes too early proves nothing; the terminal's own result
// does, and the page shows it without a reload.
func TestUnknownOutcomeIsVerified(t *testing.T) {
	t.Parallel()
	p, order, saleID := doubt(t)
	p.press(id("inquiry"))
	p.until("that it was asked", says(id("flash"), "Ya se le preguntó a la terminal"))
	p.until("the terminal's answer", says(id("story"), "La terminal contestó: verificación"))
	p.wantState("unknown") // still charged, but the terminal may yet act
	p.wantNoFailure("the story")
	// After half a minute the product asks by itself too.
	path := "/audit?action=inquiry.sent&q=" + order
	_, byAna := shared.as(t, supervisor).get(t, path+"&role=manager")
	_, all := shared.as(t, supervisor).get(t, path)
	entries := strings.Count(all, `data-testid="audit-entry"`)
	if got := strings.Count(byAna, `data-testid="audit-entry"`); got != 1 {
		t.Errorf("inquiries for %s by the manager = %d, want 1", order, got)
	}
	if got := shared.box.requests(t, "reprint", order); len(got) != entries {
		t.Errorf("inquiries for %s = %d, want the %d of the trail", order, len(got), entries)
	}
	sofia := shared.openAs(t, supervisor, desk)
	sofia.goTo("/sales/" + saleID)
	sofia.press(id("resolution-form") + " input[value=notCanceled]")
	sofia.fill("#f-note", "La terminal está apagada.")
	p.do(markLoaded)
	shared.box.do(t, http.MethodPost, "/control/cancellations-on-terminal", map[string]any{"orderId": order}, nil)
	p.wantState("confirmed")
	// What a colleague was typing stays to be read, and says that it was not stored.
	sofia.wantState("confirmed")
	sofia.until("that it is over", says("#resolution [role=alert]", "Lo que escribiste no se guardó"))
	if got := eval[string](sofia, has("#f-note")+".value"); got != "La terminal está apagada." {
		t.Errorf("the note is now %q, want what was typed", got)
	}
	if n := eval[int](sofia, `document.querySelectorAll("#resolution button:enabled").length`); n != 0 {
		t.Errorf("%d buttons of the form can be pressed, want none", n)
	}
	p.wantNotReloaded()
	shared.box.wantOneCancel(t, order, true)
}

// Acknowledged is not canceled: the detail page shows that the terminal has not
// reported yet, and offers neither a second push nor a second cancellation
// meanwhile.
func TestAcknowledgedWithoutResult(t *testing.T) {
	t.Parallel()
	order := shared.box.sell(t, shared.newTerminal(t, romaNorte).serial, "1250.00", nil)
	saleID := shared.saleID(t, order)
	shared.box.fault(t, order, "ackNoResult", nil)
	shared.as(t, manager).cancel(t, saleID)
	p := shared.openAs(t, manager, phone)
	p.goTo("/sales/" + saleID)
	p.wantState("accepted")
	if got := p.text("#truth-title"); strings.Contains(got, "Cancelada") {
		t.Errorf("title = %q, want it not to say Cancelada", got)
	}
	p.until("that it is not canceled yet", says(id("story"), "Falta que confirme"))
	for _, hook := range []string{"inquiry", "cancel", "withdraw", "resolution-form"} {
		if p.count(id(hook)) != 0 {
			t.Errorf("the story of a push that the terminal has yet to answer offers %q, want not", hook)
		}
	}
	shared.box.wantOneCancel(t, order, false)
}

// A terminal that cannot be found is a refusal that names the cause, and the
// sale can be canceled again.
func TestRejectedSaleCanBeCanceledAgain(t *testing.T) {
	t.Parallel()
	order := shared.box.sell(t, shared.newTerminal(t, romaNorte).serial, "1250.00", nil)
	saleID := shared.saleID(t, order)
	shared.box.fault(t, order, "notFound", nil)
	ana := shared.as(t, manager)
	ana.cancel(t, saleID)
	ana.waitFor(t, saleID, "rejected")
	p := shared.openAs(t, manager, phone)
	p.goTo("/sales/" + saleID)
	p.until("why", says(id("story"), "no encontró la terminal"))
	p.press(id("cancel"))
	p.see("dialog[open] " + id("cancel-form"))
	p.press("dialog input[name=reason][value=customerRequest]")
	p.press("dialog " + id("confirm"))
	p.wantState("confirmed")
	if got := shared.box.requests(t, "cancel", order); len(got) != 2 {
		t.Errorf("cancel requests = %d, want 2: %s", len(got), fmt.Sprint(got))
	}
}
