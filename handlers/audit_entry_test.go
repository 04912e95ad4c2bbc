package handlers_test

import (
	"fmt"
	"net/url"
	"strings"
	"testing"

	"veinte/models"
)

// TestAnEntryHasAPage: what it says, the same sale's entries with what passed
// between, and its proof, which is recomputed.
func TestAnEntryHasAPage(t *testing.T) {
	t.Parallel()
	h := newHouse(t).withNeighbours()
	v, theirs := h.supervisor(), h.as(h.user("Saul", models.Supervisor, h.there))
	sale, _ := h.StateOf(models.Confirmed)
	entry := fmt.Sprintf("/audit/%d", h.entryOf(sale.ID))
	page := v.get(entry).want(200)
	page.saysAll(
		"Solicitud de cancelación", sale.OrderID, "Alrededor de la misma venta", "enseguida", "La bitácora no se está sellando",
		"http://veinte.test"+entry,
	)
	if got := page.attrs("proof", "data-proof"); len(got) != 1 || got[0] != "never" {
		t.Errorf("proof = %v, want never", got)
	}
	theirs.get(entry).want(404)
	v.get(fmt.Sprintf("/audit/%d", h.entryOf(h.theirs.ID))).want(200) // sees every store
	h.as(h.user("Gala", models.Manager, h.Store)).get(entry).want(403)
	for range 3 {
		v.get(entry).want(200)
	}
	if n := h.count(
		`SELECT count(*) FROM audit_entries WHERE action = 'audit.read' AND actor_id = $1 AND after->>'entry' = $2`, v.id,
		strings.TrimPrefix(entry, "/audit/"),
	); n != 1 {
		t.Errorf("reading the entry four times in a minute left %d entries, want 1", n)
	}
	timeline := v.get(fmt.Sprintf("/audit?sale=%d", sale.ID)).want(200)
	timeline.saysAll("Historia de la venta "+sale.OrderID, "enseguida") // the clock stands still
	page = v.get(fmt.Sprintf("/sales/%d", sale.ID)).want(200)
	page.saysAll("De la solicitud al final", "Esta venta en la bitácora")
	if !strings.Contains(page.body, "ver en la bitácora: Solicitud de cancelación") {
		t.Error("the time of a step does not say that it leads to its entry")
	}
	if m := h.as(
		h.user("Mara", models.Manager, h.Store),
	).get(fmt.Sprintf("/sales/%d", sale.ID)).want(200); strings.Contains(m.body, `href="/audit`) {
		t.Error("a manager's page leads to the trail")
	}
}

// TestAFilterKeepsWhatWasTyped: with something wrong nothing is listed, all of it
// is said, and the form holds what it held.
func TestAFilterKeepsWhatWasTyped(t *testing.T) {
	t.Parallel()
	v := newHouse(t).supervisor()
	p := v.get("/audit?" + url.Values{
		"q": {"tarjeta"}, "min": {"mil"}, "from": {"2026-11-20"}, "to": {"2026-11-01"}, "address": {"300.1.1.1"}, "action": {"nada"},
	}.Encode()).want(422)
	p.saysAll(
		"Escribe un monto como 1250.00", "El periodo termina antes de empezar", "Escribe una dirección IP completa",
		"Elige un valor de la lista",
	)
	for _, typed := range []string{`value="tarjeta"`, `value="mil"`, `value="300.1.1.1"`, `value="2026-11-01"`, `value="nada" selected`} {
		if !strings.Contains(p.body, typed) {
			t.Errorf("the form has lost %s", typed)
		}
	}
	if n := len(p.byTestID("audit-entry")); n != 0 {
		t.Errorf("a wrong filter lists %d entries", n)
	}
	v.get("/audit?q=" + strings.Repeat("x", 3000)).want(422).says("Es demasiado largo")
}

// TestAWordOfThePageFindsItsCode: people look for what they read.
func TestAWordOfThePageFindsItsCode(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	v := h.supervisor()
	h.StateOf(models.Confirmed)
	for _, word := range []string{"cancelada", "confirmed", "CANCELADA", "canceláda"} {
		if n := len(v.get("/audit?" + url.Values{"q": {word}}.Encode()).want(200).byTestID("audit-entry")); n == 0 {
			t.Errorf("%q finds nothing", word)
		}
	}
}
