package handlers_test

import (
	"fmt"
	"net/url"
	"strings"
	"testing"

	"veinte/models"
	"veinte/models/modelstest"
)

func TestCreateUser(t *testing.T) {
	t.Parallel()
	h := newHouse(t).withNeighbours()
	v := h.administrator()
	here := fmt.Sprint(h.Store.ID)
	for _, tt := range []struct {
		fact  string
		form  url.Values
		words string
	}{
		{"no name", url.Values{"name": {""}}, "Llena este campo."},
		{"no address", url.Values{"email": {""}}, "Escribe un correo"},
		{"an address that is none", url.Values{"email": {"nobody"}}, "Escribe un correo"},
		{"an address of two", url.Values{"email": {"a@b@c"}}, "Escribe un correo"},
		{"an address that is taken", url.Values{"email": {"Ada.Administra@Veinte.TEST"}}, "Ya hay una persona"},
		{"no role", url.Values{"role": {""}}, "Elige un puesto"},
		{"a role of no person", url.Values{"role": {"system"}}, "Elige un puesto"},
		{"a role that is none", url.Values{"role": {"root"}}, "Elige un puesto"},
		{"no store", url.Values{"stores": nil}, "Elige una sucursal"},
		{"a store of nowhere", url.Values{"stores": {here, "999999"}}, "sucursal no existe"},
		{"a store that is words", url.Values{"stores": {"abc"}}, "sucursal no existe"},
		{"a store below zero", url.Values{"stores": {"-1"}}, "sucursal no existe"},
		{"a manager of every store", url.Values{"stores": nil, "allStores": {"on"}}, "Elige una sucursal"},
	} {
		form := url.Values{
			"name": {"Nora"}, "email": {"nora@veinte.test"}, "role": {"manager"}, "stores": {here},
		}
		for name, values := range tt.form {
			form[name] = values
		}
		p := v.post("/users", form)
		if p.status != 422 {
			t.Errorf("%s = %d, want 422", tt.fact, p.status)
			continue
		}
		p.says(tt.words)
		if got := p.field("name") + "|" + p.field("email"); got != form.Get("name")+"|"+form.Get("email") {
			t.Errorf("%s: the form now holds %q", tt.fact, got)
		}
	}
	// A password that somebody sends all the same is none.
	p := v.post("/users", url.Values{
		"name": {"Nora <i>"}, "email": {" NORA@veinte.test "}, "role": {"supervisor"}, "stores": {here, here},
		"password": {"una clave larga"},
	}).want(200)
	p.says("Enlace para Nora <i>")
	if link := textOf(p.one("account-link")); !strings.HasPrefix(link, "http://veinte.test/password/") {
		t.Errorf("the link is %q", link)
	}
	got := h.text(`SELECT concat_ws('|', email, name, role, all_stores, password_hash,
		(SELECT string_agg(store_id::text, ',') FROM user_stores
		WHERE user_id = u.id))
		FROM users u WHERE name LIKE 'Nora%'`)
	if want := "nora@veinte.test|Nora <i>|supervisor|f||" + here; got != want {
		t.Errorf("the new person is %q, want %q", got, want)
	}
	v.get("/users").want(200).hides("<i>", "argon2")
}

// TestChangeUser changes role, scope, way in and standing of a person who is
// signed in meanwhile.
func TestChangeUser(t *testing.T) {
	t.Parallel()
	h := newHouse(t).withNeighbours()
	v := h.administrator()
	user := modelstest.User(t, h.DB, h.Clock.Now(), "nora@veinte.test", models.Manager, h.Store)
	page := fmt.Sprintf("/users/%d", user.ID)
	nora := h.as(user.ID)
	version := func() string { return v.get(page + "/edit").want(200).formTo(page)["version"] }
	change := func(role, store string) url.Values {
		return url.Values{"version": {version()}, "name": {"Nora"}, "email": {"nora@veinte.test"}, "role": {role}, "stores": {store}}
	}
	stale := change("manager", fmt.Sprint(h.there.ID))
	v.follow(v.post(page, stale).wantTo(page)).one("flash")
	nora.get("/sales").want(200).says("$9,876.54")
	v.post(page, stale).want(409).says("Alguien lo cambió antes")
	nora.get("/audit").want(403)
	v.post(page, change("supervisor", fmt.Sprint(h.there.ID))).wantTo(page)
	nora.get("/audit").want(200)
	for _, path := range []string{"", "/disabling", "/enabling", "/link"} {
		if path != "/link" {
			v.post(page+path, nil).want(400)
		}
		v.post("/users/999999"+path, url.Values{
			"version": {"1"}, "name": {"x"}, "email": {"x@y"}, "role": {"manager"}, "stores": {"1"},
		}).want(404)
	}
	link := textOf(v.post(page+"/link", nil).want(200).one("account-link"))
	nora.get("/sales").want(200) // it changes nothing until it is used
	h.setPassword(h.visitor(), link, "otra clave larga").wantTo("/login")
	nora.get("/sales").wantTo("/login?ended=page&next=%2Fsales")
	nora = h.as(user.ID)
	v.post(page+"/disabling", url.Values{"version": {version()}}).wantTo(page)
	nora.get("/sales").wantTo("/login?ended=page&next=%2Fsales")
	v.post(page+"/enabling", url.Values{"version": {version()}}).wantTo(page)
	nora.get("/sales").wantTo("/login?ended=page&next=%2Fsales") // the old cookie stays dead
}

// TestOwnRightsAreReadOnly: one's own page says one's rights and has no fields for them,
// and what is sent all the same is refused, in words and in the trail.
func TestOwnRightsAreReadOnly(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.user("Otra Administradora", models.Administrator)
	v := h.administrator()
	page := fmt.Sprintf("/users/%d", v.id)
	v.get(page).want(200).hides("/disabling")
	p := v.get(page + "/edit").want(200)
	p.one("own-rights")
	p.says("Nadie cambia su propio puesto")
	sent := p.formTo(page)
	for _, form := range []struct {
		path string
		form url.Values
	}{
		{"/disabling", url.Values{"version": {"1"}}},
		{"", url.Values{"version": {"1"}, "name": {"Ada"}, "email": {"ada@veinte.test"}, "role": {"supervisor"}, "allStores": {"on"}}},
		{"", url.Values{
			"version": {"1"}, "name": {"Ada"}, "email": {"ada@veinte.test"}, "role": {"administrator"}, "accessUntil": {"2026-12-31"},
		}},
	} {
		p := v.post(page+form.path, form.form).want(409)
		p.says("Nadie cambia su propio puesto")
		if form.path != "" { // an act of the page, which has no form of them
			continue
		}
		if got := p.formTo(page); got["role"] != "administrator" || got["accessUntil"] != "" {
			t.Errorf("after %s %v the page sends %v, want the rights as they are", form.path, form.form, got)
		}
	}
	if got := h.text(`SELECT count(*)::text FROM audit_entries WHERE action = 'act.refused' AND reason = 'user.ownRights'`); got == "0" {
		t.Error("the trail has no refusal of one's own rights")
	}
	sent["name"] = "Ada, con otro nombre"
	form := url.Values{}
	for name, value := range sent {
		form.Set(name, value)
	}
	v.post(page, form).wantTo(page)
	if got := h.text(fmt.Sprintf(`SELECT role || '|' || name FROM users WHERE id = %d`, v.id)); got != "administrator|Ada, con otro nombre" {
		t.Errorf("after another name the person is %q", got)
	}
}

// TestLastAdministrator: somebody must be left to let others in.
func TestLastAdministrator(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	v := h.administrator()
	for _, form := range []struct {
		path string
		form url.Values
	}{
		{"/disabling", url.Values{"version": {"1"}}},
		{"", url.Values{"version": {"1"}, "name": {"Eva"}, "email": {"eva@veinte.test"}, "role": {"supervisor"}, "allStores": {"on"}}},
	} {
		h.exec(`UPDATE users SET disabled_at = NULL, access_until = NULL`)
		h.exec(`UPDATE users SET access_until = '2026-12-31' WHERE id = $1`, v.id) // for a time: not the last
		page := fmt.Sprintf("/users/%d", h.user("Eva "+form.path[min(1, len(form.path)):], models.Administrator))
		p := v.post(page+form.path, form.form)
		if p.status != 409 || !strings.Contains(p.words(), "Es la última persona de administración") {
			t.Errorf("%s = %d, want 409 and why: %s", form.path, p.status, p.words())
		}
		h.exec(`DELETE FROM users WHERE name LIKE 'Eva%'`)
	}
	v.get("/users").want(200)
}

// TestDisablingSaysWhatGoesBack, and leaves it where the administrator wants that.
func TestDisablingSaysWhatGoesBack(t *testing.T) {
	t.Parallel()
	for keep, want := range map[string]models.State{"": models.Withdrawn, "on": models.Requested} {
		h := newHouse(t)
		v := h.administrator()
		user := modelstest.User(t, h.DB, h.Clock.Now(), "nora@veinte.test", models.Manager, h.Store)
		page := fmt.Sprintf("/users/%d", user.ID)
		v.get(page).want(200).says("no haya salido se retira")
		c, err := h.Cancellations.Request(t.Context(), user.Actor(), h.CancelRequest(h.Sale(100)))
		h.must(err)
		p := v.get(page).want(200)
		p.one("keep-requests")
		if got := textOf(p.one("takes-back")); got != "Se retira 1 cancelación que pidió y que no ha salido a la terminal." {
			t.Errorf("the form says %q", got)
		}
		form := url.Values{"version": {"1"}}
		if keep != "" {
			form.Set("keep", keep)
		}
		v.post(page+"/disabling", form).wantTo(page)
		if got := h.Cancellation(c.ID).State; got != want {
			t.Errorf("with keep %q the request is %s, want %s", keep, got, want)
		}
	}
}
