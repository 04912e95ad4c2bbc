package handlers_test

import (
	"net/url"
	"regexp"
	"strings"
	"testing"

	"veinte/models"
)

var shownSecret = regexp.MustCompile(`vk_live_[a-z2-7]{59}`)

// keyFields are those of a good key; changes are names and values by turns.
func keyFields(changes ...string) url.Values {
	form := url.Values{
		"name": {"Caja Roma"}, "scopes": {"sales:write", "sales:read"}, "allStores": {"on"}, "pace": {"normal"}, "days": {"90"},
	}
	for i := 0; i+1 < len(changes); i += 2 {
		if form[changes[i]] = strings.Split(changes[i+1], ","); changes[i+1] == "" {
			delete(form, changes[i])
		}
	}
	return form
}

// TestAKeyIsShownOnce makes one, rotates it and revokes it in the browser.
func TestAKeyIsShownOnce(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	v := h.administrator()
	v.get("/settings/keys").want(200).says("Todavía no hay llaves")
	first := shownSecret.FindString(v.post("/settings/keys", keyFields()).want(200).body)
	if first == "" {
		t.Fatal("no secret is shown")
	}
	list := v.get("/settings/keys").want(200)
	list.saysAll("Caja Roma", first[:12])
	path := regexp.MustCompile(`/settings/keys/\d+`).FindString(list.body)
	page := v.get(path).want(200)
	page.saysAll("sales:write", "30,000", "nunca")
	opens := func(secret string) bool {
		_, _, err := h.APIKeys.Authenticate(t.Context(), models.Actor{}, secret)
		return err == nil
	}
	second := shownSecret.FindString(
		v.post(path+"/rotation", url.Values{"version": {"1"}, "overlap": {"24"}, "days": {"90"}}).want(200).body,
	)
	if second == "" || second == first || !opens(first) || !opens(second) {
		t.Errorf("after rotation: new secret %t, the old one opens %t, the new one %t", second != "", opens(first), opens(second))
	}
	for _, a := range []*answer{v.get("/settings/keys"), v.get(path), v.get("/audit")} {
		a.want(200).hides(first, second)
	}
	// Two tabs: what was seen is no longer so.
	v.post(
		path+"/rotation", url.Values{"version": {"1"}, "overlap": {"0"}, "days": {"90"}},
	).want(409).says("Alguien lo cambió antes que tú")
	v.post(path+"/revocation", url.Values{"version": {"1"}}).want(409)
	v.follow(v.post(path+"/revocation", url.Values{"version": {"2"}})).says("Llave revocada")
	if opens(first) || opens(second) {
		t.Error("a revoked key still opens")
	}
	v.post(path+"/revocation", url.Values{"version": {"3"}}).want(409).says("La llave ya estaba revocada")
	v.post(path+"/rotation", url.Values{"version": {"3"}, "overlap": {"0"}, "days": {"90"}}).want(409)
	v.get("/audit?action=key.created").want(200).saysAll("Llave creada", "Caja Roma")
	v.post("/settings/keys", keyFields()).want(200) // a revoked one's name is free
}

func TestWrongKeysKeepWhatWasTyped(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	v := h.administrator()
	v.post("/settings/keys", keyFields()).want(200)
	for _, tt := range []struct{ fact, field, value, says string }{
		{"no name", "name", "", "Llena este campo"},
		{"a long name", "name", strings.Repeat("ñ", 81), "Es demasiado largo"},
		{"a name nobody sees", "name", "a\u200bb", "caracteres que no se pueden guardar"},
		{"another's name", "name", "CAJA ROMA", "Ya hay una llave con ese nombre"},
		{"no scope", "scopes", "", "Elige al menos un permiso"},
		{"a scope that there is not", "scopes", "sales:read,users:write", "Elige permisos de la lista"},
		{"no store", "allStores", "", "Elige una sucursal"},
		{"no pace", "pace", "", "Elige un límite de uso de la lista"},
		{"another pace", "pace", "infinite", "Elige un límite de uso de la lista"},
		{"no end", "days", "0", "Elige un plazo de la lista"},
		{"a text for days", "days", "x", "Elige un plazo de la lista"},
		{"a hundred years", "days", "36500", "Elige un plazo de la lista"},
	} {
		a := v.post("/settings/keys", keyFields("name", "Nueva "+tt.fact, tt.field, tt.value))
		a.want(422).says(tt.says)
		if tt.field != "name" && !strings.Contains(a.body, "Nueva "+tt.fact) {
			t.Errorf("%s: what was typed is gone", tt.fact)
		}
		a.hides("vk_live_")
	}
	v.post("/settings/keys", keyFields("name", "Con tienda ajena", "allStores", "", "stores", "999")).want(422).says("sucursal")
	if n := h.count(`SELECT count(*) FROM api_keys`); n != 1 {
		t.Errorf("%d keys, want the good one", n)
	}
	for _, path := range []string{"/settings/keys/1", "/settings/keys/0", "/settings/keys/x"} {
		v.get(path).want(404)
	}
}
