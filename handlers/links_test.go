package handlers_test

import (
	"fmt"
	"net/url"
	"strings"
	"testing"

	"veinte/models"
	"veinte/models/accounts"
)

// invited is a person who was invited, with the path of their link.
func (h *house) invited() (id int64, path string) {
	h.tb.Helper()
	u, l, err := h.Accounts.Invite(h.tb.Context(), h.Admin, accounts.Input{
		Email: "nora@veinte.test", Name: "Nora", Role: models.Manager, StoreIDs: []int64{h.Store.ID},
	})
	h.must(err)
	return u.ID, accounts.LinkPath + l.Token
}

// TestAnInvitedPersonComesIn: the link, what is wrong with a password, the sign-in, and
// the same link once more.
func TestAnInvitedPersonComesIn(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	id, path := h.invited()
	v := h.visitor()
	v.get(path).want(200).says("Nora, con ella y con tu correo nora@veinte.test")
	for _, tt := range []struct{ password, again, words string }{
		{"corta", "corta", "al menos 12 caracteres"},
		{strings.Repeat("x", 129), strings.Repeat("x", 129), "Es demasiado largo"},
		{"una clave que elijo", "una clave que elija", "no son iguales"},
		{"password2026", "password2026", "es de las más usadas"},
		{"qwertyqwerty", "qwertyqwerty", "es de las más usadas"},
		{"aaaaaaaaaaaa", "aaaaaaaaaaaa", "es una fila de teclas"},
		{"nora-veinte-2026", "nora-veinte-2026", "se adivina con tu nombre"},
	} {
		p := v.post(path, url.Values{"password": {tt.password}, "again": {tt.again}}).want(422)
		p.saysAll(tt.words, "nora@veinte.test")
		p.hides(tt.password)
	}
	page := h.administrator()
	page.get(fmt.Sprintf("/users/%d", id)).want(200).saysAll("Todavía no tiene contraseña", "Tiene un enlace hasta el 21 nov 2026, 12:00")
	v.follow(h.setPassword(v, path, "una clave que elijo").wantTo("/login")).says("Ya puedes entrar")
	v.post("/login", url.Values{"email": {"nora@veinte.test"}, "password": {"una clave que elijo"}}).want(303)
	v.get("/sales").want(200)
	page.get(fmt.Sprintf("/users/%d", id)).want(200).saysAll("Entra con una contraseña que eligió", "Usó su enlace el 20 nov 2026")
	h.visitor().get(path).want(410).saysAll("ya se usó", "avisa ahora")
}

// TestALinkThatDoesNotOpenSaysWhatToDo, in both languages, and its token is nowhere in
// the trail or in the addresses that the page sends.
func TestALinkThatDoesNotOpenSaysWhatToDo(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	id, path := h.invited()
	newest := path
	for _, tt := range []struct {
		fact     string
		path     string
		change   func()
		status   int
		es, en   string
		es2, en2 string
	}{
		{
			"a stranger's", "/password/QJ3W6T5R4E3W2Q1AZSXDCFVGBH", func() {}, 404, "no abre nada", "opens nothing", "cópialo entero",
			"copy all of it",
		},
		{"half of it", path[:20], func() {}, 404, "no abre nada", "opens nothing", "pide otro", "ask whoever manages"},
		{
			"a day later", path, func() { h.Clock.Advance(accounts.LinkLife) }, 410, "venció", "has expired",
			"Valía hasta el 21 nov 2026, 12:00 y ahora es el 21 nov 2026, 12:00", "its clock is wrong",
		},
		{"a newer one was made", path, func() {
			l, err := h.Accounts.MakeLink(t.Context(), h.Admin, id)
			h.must(err)
			newest = accounts.LinkPath + l.Token
		}, 410, "Hay un enlace más nuevo", "There is a newer link", "el último que te dieron", "the last one you were given"},
		{"shut out", "", func() {
			h.must(h.Accounts.DisableUser(t.Context(), h.Admin, id, 1))
		}, 410, "ya no vale", "no longer valid", "Tu acceso está desactivado", "Your access is disabled"},
	} {
		tt.change()
		if tt.path == "" {
			tt.path = newest
		}
		for _, language := range []string{"es-MX", "en"} {
			v := h.visitor()
			v.language = language
			words := []string{tt.es, tt.es2}
			if language == "en" {
				words = []string{tt.en, tt.en2}
			}
			v.get(tt.path).want(tt.status).saysAll(words...)
			v.post(tt.path, url.Values{"password": {"una clave que elijo"}, "again": {"una clave que elijo"}}).want(tt.status).says(words[0])
		}
	}
	token := path[len(accounts.LinkPath):]
	if n := h.count(`SELECT count(*) FROM audit_entries e WHERE e::text || convert_from(canonical, 'UTF8') ~ $1`, token[:20]); n != 0 {
		t.Errorf("%d entries hold a link's token", n)
	}
	if n := h.count(`SELECT count(*) FROM audit_entries WHERE after->>'request' LIKE '%/password/***'`); n == 0 {
		t.Error("no entry says that strangers tried links")
	}
}

// TestALinkInAnAdministratorsBrowser: who is signed in as somebody else gets no form.
func TestALinkInAnAdministratorsBrowser(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	_, path := h.invited()
	v := h.administrator()
	p := v.get(path).want(409)
	p.saysAll("la sesión de otra persona", "El enlace es de Nora", "Ada Administra")
	if strings.Contains(p.body, `name="password"`) {
		t.Error("the administrator is offered the form")
	}
	v.post(path, url.Values{"password": {"la elige ella no"}, "again": {"la elige ella no"}}).want(409)
	if got := h.text(`SELECT password_hash FROM users WHERE name = 'Nora'`); got != "" {
		t.Error("an administrator has set somebody's password")
	}
	h.visitor().get("/sales?q=" + url.QueryEscape(path)).wantTo("/login?next=%2Fsales") // not on to another address
}
