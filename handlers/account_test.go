package handlers_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"veinte/models"
	"veinte/models/modelstest"
)

// TestSessionsAreEndedFromElsewhere: people end their other sessions, one or all, and never
// by that the one that they use; an administrator ends anybody's.
func TestSessionsAreEndedFromElsewhere(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	ana := h.signUp("ana@veinte.test", models.Manager)
	eva := h.signUp("eva@veinte.test", models.Manager)
	one, two, three, other := h.visitor(), h.visitor(), h.visitor(), h.visitor()
	for _, v := range []*visitor{one, two, three} {
		v.signIn(ana.Email).wantTo("/")
	}
	other.signIn(eva.Email).wantTo("/")
	out := func(who string, v *visitor, want bool) {
		t.Helper()
		status := http.StatusOK
		if want {
			status = http.StatusSeeOther
		}
		if got := v.get("/sales").status; got != status {
			t.Errorf("GET /sales of %s = %d, want %d", who, got, status)
		}
	}
	id := func(email string, n int) string {
		return h.text(`SELECT s.id::text FROM sessions s JOIN users u ON u.id = s.user_id WHERE u.email = $1 ORDER BY s.id OFFSET $2 LIMIT 1`,
			email, n)
	}
	one.get("/account").want(http.StatusOK).says("Esta sesión")
	// Another person's is not hers to end.
	one.follow(one.post("/account/sessions", url.Values{"session": {id(eva.Email, 0)}}).wantTo("/account")).says("ya había terminado")
	out("a colleague", other, false)
	own := id(ana.Email, 0)
	one.follow(one.post("/account/sessions", url.Values{"session": {own}}).wantTo("/account")).says("ya había terminado")
	second := id(ana.Email, 1)
	one.post("/account/sessions", url.Values{"session": {second}}).wantTo("/account")
	out("the second", two, true)
	out("the third", three, false)
	one.follow(one.post("/account/sessions", url.Values{"session": {second}}).wantTo("/account")).says("ya había terminado")
	one.post("/account/sessions", url.Values{"session": {"all"}}).wantTo("/account")
	out("the third", three, true)
	out("the one that she uses", one, false)
	one.post("/account/sessions", url.Values{"session": {"x"}}).want(http.StatusBadRequest)
	one.post("/account/sessions", url.Values{}).want(http.StatusBadRequest)

	page := fmt.Sprintf("/users/%d", ana.ID)
	other.post(page+"/sessions", url.Values{"session": {"all"}}).want(http.StatusForbidden)
	admin := h.administrator()
	admin.get(page).want(http.StatusOK).says("Cerrar todas")
	admin.post(page+"/sessions", url.Values{"session": {"all"}}).wantTo(page)
	out("the one that the administrator ended", one, true)
	out("a colleague", other, false)
	if n := h.count(`SELECT count(*) FROM audit_entries WHERE action = 'user.sessionsEnded' AND before->>'email' = $1`, ana.Email); n != 3 {
		t.Errorf("the trail tells of %d ends, want 3", n)
	}
}

// TestTheOwnPasswordIsChanged on the page of the account, which says what is wrong with what
// was typed, and keeps nobody signed in elsewhere.
func TestTheOwnPasswordIsChanged(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	ana := h.signUp("ana@veinte.test", models.Manager)
	here, there := h.visitor(), h.visitor()
	here.signIn(ana.Email).wantTo("/")
	there.signIn(ana.Email).wantTo("/")
	const next = "una frase que nadie espera"
	send := func(current, password, again string) *answer {
		return here.post("/account/password", url.Values{"current": {current}, "password": {password}, "again": {again}})
	}
	send("no es esta", next, next).want(http.StatusUnprocessableEntity).says("no es tu contraseña actual")
	send(modelstest.Password, "corta", "corta").want(http.StatusUnprocessableEntity).says("al menos 12")
	send(modelstest.Password, next, next+"!").want(http.StatusUnprocessableEntity).says("no son iguales")
	there.get("/sales").want(http.StatusOK)
	here.follow(send(modelstest.Password, next, next).wantTo("/account")).says("Contraseña cambiada")
	here.get("/sales").want(http.StatusOK)
	there.get("/sales").want(http.StatusSeeOther)
	h.exec(`UPDATE users SET password_hash = '' WHERE id = $1`, ana.ID)
	if page := here.get("/account").want(http.StatusOK); strings.Contains(page.body, `action="/account/password"`) {
		t.Error("who comes by the provider alone is asked for a password")
	}
}

// TestADeviceIsForgottenByForm: a person's own, the one that they use as well, and never
// somebody else's, which is as if it were not there; an administrator forgets anybody's.
func TestADeviceIsForgottenByForm(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	ana := h.signUp("ana@veinte.test", models.Manager)
	eva := h.signUp("eva@veinte.test", models.Manager)
	one, two, three, other := h.visitor(), h.visitor(), h.visitor(), h.visitor()
	for _, v := range []*visitor{one, two, three} {
		v.signIn(ana.Email).wantTo("/")
	}
	other.signIn(eva.Email).wantTo("/")
	id := func(email string, n int) string {
		return h.text(`SELECT k.device_id::text FROM known_devices k JOIN users u ON u.id = k.user_id WHERE u.email = $1
			ORDER BY k.device_id OFFSET $2 LIMIT 1`, email, n)
	}
	forget := func(v *visitor, device string) *answer {
		return v.post("/account/devices", url.Values{"device": {device}})
	}
	one.get("/account").want(http.StatusOK).says("Este navegador")
	forget(one, id(eva.Email, 0)).want(http.StatusNotFound)
	other.get("/sales").want(http.StatusOK)
	one.post("/account/devices", nil).want(http.StatusBadRequest)
	forget(one, "x").want(http.StatusBadRequest)

	second, third := id(ana.Email, 1), id(ana.Email, 2)
	one.follow(forget(one, second).wantTo("/account")).says("Navegador olvidado")
	two.get("/sales").want(http.StatusSeeOther)
	three.get("/sales").want(http.StatusOK)
	forget(one, second).want(http.StatusNotFound)
	out := one.follow(forget(one, id(ana.Email, 0)).wantTo("/login"))
	out.says("Navegador olvidado")
	one.get("/sales").want(http.StatusSeeOther)

	page := fmt.Sprintf("/users/%d", ana.ID)
	other.post(page+"/devices", url.Values{"device": {third}}).want(http.StatusForbidden)
	admin := h.administrator()
	if said := admin.get(page).want(http.StatusOK); !strings.Contains(said.body, `name="device" value="`+third+`"`) {
		t.Error("the page of a person does not offer to forget their browser")
	}
	admin.post(page+"/devices", url.Values{"device": {id(eva.Email, 0)}}).want(http.StatusNotFound)
	admin.post(page+"/devices", url.Values{"device": {third}}).wantTo(page)
	three.get("/sales").want(http.StatusSeeOther)
	other.get("/sales").want(http.StatusOK)
	if n := h.count(`SELECT count(*) FROM audit_entries WHERE action = 'user.deviceForgotten' AND before->>'email' = $1`, ana.Email); n != 3 {
		t.Errorf("the trail tells of %d forgotten browsers, want 3", n)
	}
}

// TestTheLanguageIsChosenInTheAccount: the header leads to the page, and the choice is stored
// with the person, whose letters and other browsers follow it.
func TestTheLanguageIsChosenInTheAccount(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	ana := h.signUp("ana@veinte.test", models.Manager)
	here, there := h.visitor(), h.visitor()
	here.signIn(ana.Email).wantTo("/")
	there.signIn(ana.Email).wantTo("/")
	if page := here.get("/sales").want(http.StatusOK); !strings.Contains(page.body, `class="me-who" href="/account"`) {
		t.Error("the header of a page has no way to the account")
	}
	here.get("/account").want(http.StatusOK).says("Idioma de las páginas y de los correos")
	here.follow(here.post("/language", url.Values{"language": {"en"}, "next": {"/account"}}).wantTo("/account")).says("Language of pages")
	there.get("/account").want(http.StatusOK).says("Language of pages")
	if stored := h.text(`SELECT language FROM users WHERE id = $1`, ana.ID); stored != "en" {
		t.Errorf("the language of the person is %q, want en", stored)
	}
}

// TestTheAccountsNoticesAreOnThePage: one line above every page, until its person has read
// it, and with what to do in their account; not in the session in which it was done.
func TestTheAccountsNoticesAreOnThePage(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	ana := h.signUp("ana@veinte.test", models.Manager)
	eva := h.signUp("eva@veinte.test", models.Manager)
	here, there, colleague := h.visitor(), h.visitor(), h.visitor()
	here.signIn(ana.Email).wantTo("/")
	there.signIn(ana.Email).wantTo("/")
	colleague.signIn(eva.Email).wantTo("/")
	const title = "Entraron a tu cuenta desde un navegador nuevo"
	says := func(who string, v *visitor, path string, want bool) {
		t.Helper()
		if got := strings.Contains(v.get(path).want(http.StatusOK).body, title); got != want {
			t.Errorf("%s is told at %s: %t, want %t", who, path, got, want)
		}
	}
	says("she in the new browser", there, "/sales", false)
	says("a colleague", colleague, "/sales", false)
	says("she", here, "/sales", true)
	says("she", here, "/account", true)
	here.get("/account").says("olvida ese navegador")
	id := h.text(`SELECT id::text FROM account_notices WHERE user_id = $1`, ana.ID)
	dismiss := func(v *visitor, notice string) *answer {
		return v.post("/account/notices", url.Values{"notice": {notice}, "next": {"/sales"}})
	}
	dismiss(colleague, id).want(http.StatusNotFound)
	dismiss(here, "x").want(http.StatusBadRequest)
	dismiss(here, id).wantTo("/sales")
	says("she, who has read it,", here, "/sales", false)
}
