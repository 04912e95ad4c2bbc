package e2e

import (
	"fmt"
	"net/url"
	"strings"
	"testing"
)

// signInByForm types what a person types.
func (p *page) signInByForm(who login) {
	p.t.Helper()
	p.goTo("/")
	p.at("/login")
	p.fill("input[name=email]", who.email)
	p.fill("input[name=password]", who.password)
	p.press("form[action='/login'] button[type=submit]")
}

// wantState waits until a detail page shows a state without a reload.
func (p *page) wantState(state string) {
	p.t.Helper()
	p.until("the story in state "+state, has(id("story")+fmt.Sprintf("[data-state=%q]", state)))
}

// A manager finds a sale that a terminal has just posted and cancels it; two
// clicks lead from the list to the request.
func TestManagerCancelsASale(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		screen screen
		print  bool
	}{
		{"on a phone without receipt", phone, false},
		{"at a desk with receipt", desk, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			place := shared.newTerminal(t, romaNorte)
			p := shared.open(t, tt.screen)
			p.signInByForm(shared.logins[manager])
			p.at("/sales")

			// The page is open when the sale arrives, and shows it by itself; whoever has
			// just opened it on a phone reads, and asks for it.
			order := shared.box.sell(t, place.serial, "1250.00", nil)
			shared.box.withhold(t, order)
			if tt.screen.phone {
				p.press(id("new-sales"))
			}
			p.see(sale(order))
			row := p.text(sale(order))
			number := order[:6] + "·" + order[6:12] // without the serial number, which has a place of its own
			for _, want := range []string{"$1,250.00", place.label, place.serial, "Visa", "8610", number} {
				if !strings.Contains(row, want) {
					t.Errorf("row = %q, want %q in it", row, want)
				}
			}
			if p.attribute(sale(order), "data-state") != "cancelable" || p.count(sale(order)+" .state") != 0 {
				t.Errorf("row = %q, want one that can be canceled as any other and has no chip", row)
			}

			p.press(sale(order) + " " + id("cancel")) // the first click
			p.see("dialog[open] " + id("cancel-form"))
			sheet := p.text("dialog[open]")
			for _, want := range []string{
				"$1,250.00", place.label, place.serial, "8610", order, "no se puede deshacer",
				"encendida", "pantalla principal", "internet", "Sí, cancelar $1,250.00", "No, conservar la venta",
			} {
				if !strings.Contains(sheet, want) {
					t.Errorf("sheet = %q, want %q in it", sheet, want)
				}
			}
			if !tt.print {
				p.press("dialog " + id("receipt"))
			}
			p.press("dialog input[name=reason][value=customerRequest]")
			p.press("dialog " + id("confirm")) // the second
			p.at("/sales/" + shared.saleID(t, order))
			p.see(id("flash"))
			p.wantState("accepted")
			p.until("the word Enviada", says("#truth-title", "Enviada"))
			shared.box.report(t, order)
			p.wantState("confirmed")
			p.until("the word Cancelada", says("#truth-title", "Cancelada"))
			p.until("nothing said of the request any more", "!"+has(id("flash")))
			p.see(id("back-to-list"))
			if got := eval[string](p, `performance.getEntriesByType("navigation")[0].type`); got != "navigate" {
				t.Errorf("the story was loaded by %q, want it to have come to Cancelada without a reload", got)
			}
			shared.box.wantOneCancel(t, order, !tt.print)
			wantTrail(t, order, "requested requested→sending sending→accepted accepted→confirmed")
		})
	}
}

// wantTrail checks that a supervisor finds exactly the steps of a cancellation in
// the trail.
func wantTrail(t *testing.T, order, want string) {
	t.Helper()
	p := shared.openAs(t, supervisor, desk)
	for range 20 { // a search has a budget, which a busy machine may use up before the end
		p.goTo("/audit?q=" + url.QueryEscape(order))
		if p.count(id("looked-to")) == 0 {
			break
		}
	}
	p.see(".entries > .entry")
	told := eval[[]string](p, `[...document.querySelectorAll("[data-testid=audit-entry]")].map(e => e.textContent)`)
	for _, text := range told {
		if !strings.Contains(text, "$1,250.00") {
			t.Errorf("the trail of %s says %q, want its amount in each sentence", order, text)
		}
	}
	if asked := p.text(id("folded")); !strings.Contains(asked, "Ana Robles solicitó cancelar $1,250.00") {
		t.Errorf("the cancellation's line = %q, want who asked for it", asked)
	}
	p.goTo("/audit?sale=" + shared.saleID(t, order))
	p.see(id("audit-entry"))
	type entry struct{ Action, From, To string }
	entries := eval[[]entry](p, `[...document.querySelectorAll("[data-testid=audit-entry]")].map(e => {
		const change = [...e.querySelectorAll("dl div")].find(d => d.querySelector("dt").innerText === "Estatus");
		return {Action: e.dataset.action,
			From: change?.querySelector("del")?.innerText ?? "", To: change?.querySelector("ins")?.innerText ?? ""} })`)
	words := map[string]string{
		"Solicitada": "requested", "Enviándose": "sending", "Enviada a la terminal": "accepted", "Cancelada": "confirmed",
		"Por verificar": "unknown", "Rechazada": "rejected", "Sigue cobrada": "notCanceled",
	}
	var steps []string
	for _, e := range entries {
		switch e.Action {
		case "cancellation.requested":
			steps = append(steps, "requested")
		case "cancellation.moved":
			steps = append(steps, words[e.From]+"→"+words[e.To])
		case "sale.completed": // the demo's till tells of its shop's sales too
		default:
			steps = append(steps, e.Action)
		}
	}
	if got := strings.Join(steps, " "); got != want {
		t.Errorf("trail of %s = %q, want %q", order, got, want)
	}
}
