package handlers_test

import (
	"context"
	"fmt"
	"net/url"
	"strings"
	"testing"

	"veinte/models"
	"veinte/models/terminals"
)

// chain adds stores until there are too many for a list.
func (h *house) chain(n int) (stores []*models.Store) {
	h.tb.Helper()
	for i := 1; i <= n; i++ {
		s, err := h.Terminals.CreateStore(context.Background(), h.Admin, terminals.StoreInput{
			Code: fmt.Sprintf("RED-%d", i), Name: fmt.Sprintf("Tienda número %d", i), TimeZone: "America/Mexico_City",
		})
		h.must(err)
		stores = append(stores, s)
	}
	return stores
}

// TestAStoreIsTyped types stores where there are too many for a list, as a page without
// scripts sends them.
func TestAStoreIsTyped(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	stores := h.chain(13)
	v := h.supervisor()
	for _, path := range []string{
		"/sales", "/sales/day", "/sales/pending", "/sales/export", "/oversight", "/oversight/patterns", "/oversight/days",
	} {
		p := v.get(path).want(200)
		if got := strings.Count(p.body, "Tienda número"); got > 6 {
			t.Errorf("%s names %d stores, want none of the list", path, got)
		}
		p = v.get(path + "?storeTyped=red-2").want(200)
		if got, want := p.field("storeTyped"), "RED-2 · Tienda número 2"; got != want {
			t.Errorf("%s?storeTyped=red-2 holds %q, want %q", path, got, want)
		}
		p = v.get(path + "?storeTyped=" + url.QueryEscape("Ningún <lado>")).want(200)
		p.says("No hay una sucursal «Ningún <lado>».")
		if got := p.field("storeTyped"); got != "Ningún <lado>" {
			t.Errorf("%s: the box now holds %q", path, got)
		}
		v.get(path + "?storeTyped=red-1").want(200).hides("«red-1»") // exactly, though RED-10 begins so
		v.get(path + "?storeTyped=mero+1").want(200).says("puede ser más de una: RED-1 · Tienda número 1, RED-10")
		if got := v.get(path + "?store=1&storeTyped=").want(200).field("storeTyped"); got != "" {
			t.Errorf("%s: an emptied box holds %q", path, got)
		}
	}

	admin := h.administrator()
	admin.get("/terminals?storeTyped=red-3").want(200)
	page := fmt.Sprintf("/terminals/%d", h.Terminal.ID)
	form := url.Values{"version": {"1"}, "merchantId": {"M1"}, "storeTyped": {"Nada"}}
	p := admin.post(page+"/moves", form).want(422)
	p.says("No hay una sucursal «Nada».")
	if got := p.field("storeTyped"); got != "Nada" {
		t.Errorf("the form now holds %q", got)
	}
	form.Set("storeTyped", "tienda numero 13")
	h.Clock.Advance(1e9)
	admin.post(page+"/moves", form).wantTo(page)
	got := h.count(`SELECT store_id FROM assignments WHERE terminal_id = $1 AND valid_to IS NULL`, h.Terminal.ID)
	if int64(got) != stores[12].ID {
		t.Errorf("the terminal is in store %d, want %d", got, stores[12].ID)
	}
}

// TestATypedStoreIsOneOfTheirs finds no store that a person may not see.
func TestATypedStoreIsOneOfTheirs(t *testing.T) {
	t.Parallel()
	h := newHouse(t).withNeighbours()
	v := h.manager()
	p := v.get("/sales?storeTyped=AJENA-9").want(200)
	p.says("No hay una sucursal «AJENA-9».")
	p.hides(theirName, "9,876.54")
	if got := v.get("/stores/names").want(200).body; strings.Contains(got, "AJENA") || !strings.Contains(got, h.Store.Code) {
		t.Errorf("a manager may type %s", got)
	}
}

// TestSeveralStoresAreTyped gives a person stores that are typed, beside those that are
// ticked already.
func TestSeveralStoresAreTyped(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	stores := h.chain(14)
	v := h.administrator()
	if p := v.get("/users/new").want(200); strings.Count(p.body, `name="stores"`) != 1 { // the script's
		t.Errorf("the form offers %d stores to tick", strings.Count(p.body, `name="stores"`))
	}
	form := url.Values{
		"name": {"Rita"}, "email": {"rita@tienda.example"}, "role": {"manager"},
		"stores": {fmt.Sprint(stores[0].ID)}, "storesTyped": {"RED-2, tienda numero 3;RED-1\tRED-77, Luna"},
	}
	p := v.post("/users", form).want(422)
	p.says("No hay una sucursal «RED-77».")
	p.says("No hay una sucursal «Luna».")
	if got := p.field("storesTyped"); got != "RED-77, Luna" {
		t.Errorf("the box now holds %q, want what is no store", got)
	}
	for _, s := range stores[:3] {
		if !strings.Contains(p.body, fmt.Sprintf(`name="stores" value="%d" checked`, s.ID)) {
			t.Errorf("%s is not ticked after it was typed", s.Code)
		}
	}
	form.Set("storesTyped", "RED-2, tienda numero 3;RED-1\tRED-14")
	v.post("/users", form).want(200)
	if got := h.text(`SELECT string_agg(s.code, ' ' ORDER BY s.id) FROM stores s JOIN user_stores us ON us.store_id = s.id
		JOIN users u ON u.id = us.user_id WHERE u.email = 'rita@tienda.example'`); got != "RED-1 RED-2 RED-3 RED-14" {
		t.Errorf("the person has %q", got)
	}
}
