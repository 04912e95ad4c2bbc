package handlers_test

import (
	"fmt"
	"net/url"
	"testing"

	"veinte/models"
)

// TestAFailedSignInAccusesNobody: whoever typed an address need not be whose it is. Neither
// the list nor a search by person, a page, a file or paper makes that person its actor; what
// was typed is a fact of its own.
func TestAFailedSignInAccusesNobody(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	v := h.supervisor()
	marta := h.signUp("marta@tienda.example", models.Manager)
	h.visitor().post("/login", url.Values{"email": {"marta@tienda.example"}, "password": {"no es la suya"}})
	id := h.count(`SELECT max(id) FROM audit_entries WHERE action = 'session.started' AND outcome = 'failure'`)
	if id == 0 {
		t.Fatal("the failure is not in the trail")
	}
	list := v.get("/audit?action=session.started").want(200)
	list.says("Alguien escribió marta@tienda.example y no pudo entrar")
	list.hides(marta.Name + " inició")
	v.get(fmt.Sprintf("/audit?action=session.started&outcome=failure&person=%d", marta.ID)).want(200).says("Nada coincide con estos filtros")
	v.get("/audit?q=marta%40tienda.example").want(200).says("marta@tienda.example")

	entry := v.get(fmt.Sprintf("/audit/%d", id)).want(200)
	entry.says("Persona Sin identificar Lo que se escribió marta@tienda.example")
	paper := v.get("/audit/print?action=session.started&outcome=failure").want(200)
	paper.saysAll("Sin identificar", "Lo que se escribió: marta@tienda.example")
	found := false
	for _, e := range readCSVOf(v, "/audit.csv?action=session.started&outcome=failure").entries {
		if found = true; e["actor"] != "" || e["actorId"] != "" || e["typed"] != "marta@tienda.example" || e["role"] != "anonymous" {
			t.Errorf("the file has actor %q (%q), typed %q", e["actor"], e["actorId"], e["typed"])
		}
	}
	if !found {
		t.Error("the file lacks the failure")
	}
	for _, e := range readCSVOf(v, "/audit.csv").entries {
		if e["role"] != "anonymous" && e["typed"] != "" {
			t.Errorf("of %s %q was typed", e["actor"], e["typed"])
		}
	}
	h.administrator().get(fmt.Sprintf("/users/%d", marta.ID)).want(200).hides("no pudo entrar")
}

// TestADenialSaysToWhatAndFromWhere.
func TestADenialSaysToWhatAndFromWhere(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.manager().get("/users").want(403)
	address := h.text(`SELECT address FROM audit_entries WHERE action = 'access.denied' ORDER BY id DESC LIMIT 1`)
	list := h.supervisor().get("/audit?action=access.denied").want(200)
	list.says("Marta Gerente quiso abrir «Personas» desde " + address + " sin tener acceso")
}

// readCSVOf is a file that the visitor downloads.
func readCSVOf(v *visitor, path string) exported { return readCSV(v.h.tb, v.get(path).want(200).body) }
