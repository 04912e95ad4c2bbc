package handlers_test

import (
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"

	"veinte/handlers"
	"veinte/models"
	"veinte/models/modelstest"
	entranceview "veinte/views/entrance"
)

// signUp adds somebody who can sign in.
func (h *house) signUp(email string, role models.Role) *models.User {
	h.tb.Helper()
	return modelstest.User(h.tb, h.DB, h.Clock.Now(), email, role, h.Store)
}

func (v *visitor) signIn(email string) *answer {
	v.h.tb.Helper()
	return v.post("/login", url.Values{"email": {email}, "password": {modelstest.Password}})
}

func TestSignIn(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.signUp("nora@veinte.test", models.Manager)
	v := h.visitor()
	v.get("/sales?state=confirmed").wantTo("/login?next=%2Fsales%3Fstate%3Dconfirmed")
	p := v.get("/login?next=%2Fsales%3Fstate%3Dconfirmed").want(200)
	if got := p.field("next"); got != "/sales?state=confirmed" {
		t.Errorf("the form goes on to %q, want where we came from", got)
	}
	before := v.jar["veinte_session"]
	form := url.Values{
		"csrf": {p.field("csrf")}, "next": {p.field("next")}, "email": {" NORA@veinte.test "}, "password": {modelstest.Password},
	}
	v.send("POST", "/login", form.Encode(), "Content-Type", "application/x-www-form-urlencoded").wantTo("/sales?state=confirmed")
	first := v.jar["veinte_session"]
	if first == "" || first == before || v.jar["veinte_visit"] != "" {
		t.Errorf("after signing in the cookies are %v, want a new session and no visit", v.jar)
	}
	v.get("/login").wantTo("/")
	v.get("/").wantTo("/sales")
	v.signIn("nora@veinte.test").wantTo("/")
	if v.jar["veinte_session"] == first {
		t.Error("signing in again keeps the session")
	}
	if n := h.count(`SELECT count(*) FROM sessions WHERE encode(token_hash, 'escape') LIKE '%' || $1 || '%'`, first); n != 0 {
		t.Error("the database holds the cookie itself")
	}
	if n := h.count(`SELECT count(*) FROM audit_entries WHERE action = 'session.started' AND outcome = 'success'`); n != 2 {
		t.Errorf("%d sign-ins in the trail, want 2", n)
	}
}

// TestWrongSignIn: who cannot come in does not learn why.
func TestWrongSignIn(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.signUp("nora@veinte.test", models.Manager)
	h.signUp("dora@veinte.test", models.Manager)
	h.exec(`UPDATE users SET disabled_at = now() WHERE email = 'dora@veinte.test'`)
	for language, words := range map[string]string{"es-MX": "El correo o la contraseña no coinciden.", "en": "does not match"} {
		seen := map[string]string{}
		for _, tt := range []struct{ fact, email, password string }{
			{"a wrong password", "nora@veinte.test", "una clave equivocada"},
			{"an unknown address", "nadie@veinte.test", modelstest.Password},
			{"a disabled person", "dora@veinte.test", modelstest.Password},
			{"an empty password", "nora@veinte.test", ""},
			{"an empty address", "", modelstest.Password},
			{"nothing", "", ""},
			{"an address that is none", "<script>alert(1)</script>", "x"},
			{"SQL", "' OR '1'='1' --", "' OR '1'='1"},
			{"a long password", "nora2@veinte.test", strings.Repeat("x", 60000)},
			{"a long address", strings.Repeat("n", 60000) + "@veinte.test", "x"},
			{"a control character", "nora\x01@veinte.test", "x"},
		} {
			v := h.visitor()
			v.language = language
			a := v.post("/login", url.Values{"email": {tt.email}, "password": {tt.password}})
			if a.status != 422 {
				t.Errorf("%s = %d, want 422: %s", tt.fact, a.status, a.words())
				continue
			}
			a.says(words)
			if v.jar["veinte_session"] != "" {
				t.Errorf("%s gives a session", tt.fact)
			}
			if got := a.field("email"); got != tt.email && !strings.Contains(tt.email, "\x01") {
				t.Errorf("%s: the address is now %.60q", tt.fact, got)
			}
			if got := a.field("password"); got != "" {
				t.Errorf("%s: the page repeats the password", tt.fact)
			}
			seen[a.words()] = tt.fact
		}
		if len(seen) != 1 {
			t.Errorf("the refusals differ: %v", seen)
		}
		h.exec(`DELETE FROM login_failures`)
	}
}

// TestTooManySignIns tries passwords one after the other.
func TestTooManySignIns(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.signUp("nora@veinte.test", models.Manager)
	v := h.visitor()
	try := func(password string) *answer {
		return v.post("/login", url.Values{"email": {"Nora@veinte.test"}, "password": {password}})
	}
	for i := range 5 {
		if a := try("una clave equivocada"); a.status != 422 {
			t.Fatalf("try %d = %d, want 422", i+1, a.status)
		}
	}
	a := try(modelstest.Password).want(429)
	a.says("Demasiados intentos de entrar.")
	if got := a.field("email"); got != "Nora@veinte.test" {
		t.Errorf("the address is now %q", got)
	}
	h.visitor().signIn("otra@veinte.test").want(422) // another account is not shut out
	h.Clock.Advance(16 * time.Minute)
	try(modelstest.Password).wantTo("/")
	h.must(h.Operations.Sweep(t.Context()))
	failed := h.text(`SELECT string_agg(concat_ws(' ', actor_name, outcome, reason, after->>'more'), '; ' ORDER BY id) FROM audit_entries
		WHERE action = 'session.started' AND outcome <> 'success' AND actor_name = 'nora@veinte.test'`)
	if want := "nora@veinte.test failure login.wrong; nora@veinte.test failure login.wrong 5"; failed != want {
		t.Errorf("six tries within a minute are %q in the trail, want %q", failed, want)
	}
}

func TestNext(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	for next, want := range map[string]string{
		"/sales": "/sales", "/sales?q=1&date=2026-11-20": "/sales?q=1&date=2026-11-20", "": "/", "sales": "/",
		"//evil.example": "/", `/\evil.example`: "/", `\\evil.example`: "/", "https://evil.example": "/", "https:/evil.example": "/",
		"///evil.example": "/", "javascript:alert(1)": "/", "/\t/evil.example": "/", "/\n/evil.example": "/",
		"/ok\r\nSet-Cookie: a=b": "/",
		" //evil.example":        "/", "/%zz": "/", "http:///evil.example": "/", "@evil.example": "/",
		"/%5cevil.example": "/%5cevil.example",
	} {
		if got := handlers.LocalPath(next); got != want {
			t.Errorf("LocalPath(%q) = %q, want %q", next, got, want)
		}
		v := h.manager2(fmt.Sprintf("n%x", next))
		v.post("/language", url.Values{"language": {"es-MX"}, "next": {next}}).wantTo(want)
		v.get("/login?next=" + url.QueryEscape(next)).wantTo(want)
	}
	if got := handlers.LocalPath("/" + strings.Repeat("a", 8000)); got != "/" {
		t.Errorf("LocalPath of 8,001 characters has %d, want / alone", len(got))
	}
}

func TestSignOut(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	v, elsewhere := h.manager(), &visitor{}
	*elsewhere = visitor{h: h, language: "es-MX", jar: map[string]string{"veinte_session": h.session(v.id)}}
	saved := v.jar["veinte_session"]
	v.jar["veinte_device"], v.jar["veinte_language"] = "the device", "es-MX"
	out := v.post("/logout", nil).wantTo("/login")
	got := out.header.Get("Clear-Site-Data")
	if got != `"cache", "storage"` || v.jar["veinte_device"] == "" || v.jar["veinte_language"] == "" {
		t.Errorf("signing out clears %s and leaves %v, want cache and storage, and the cookies of device and language", got, v.jar)
	}
	p := v.follow(out).want(200)
	p.one("flash")
	if v.jar["veinte_session"] != "" {
		t.Error("the cookie is still there")
	}
	thief := &visitor{h: h, jar: map[string]string{"veinte_session": saved}}
	thief.get("/sales").wantTo("/login?ended=page&next=%2Fsales")
	elsewhere.get("/sales").want(200) // another browser of theirs goes on
	v.post("/logout", nil).wantTo("/login")
}

func TestLanguage(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	// A first visit is in Spanish: nobody in a shop chose what its computer is set to.
	for _, accept := range []string{"", "es", "en", "en-GB,en;q=0.9", "fr,en;q=0.5", "<script>", strings.Repeat("en,", 4000)} {
		a := h.visitor().get("/login", "Accept-Language", accept).want(200)
		if got := a.header.Get("Content-Language"); got != "es-MX" {
			t.Errorf("Accept-Language %.30q is answered in %q, want es-MX", accept, got)
		}
	}
	v := h.visitor()
	v.follow(v.post("/language", url.Values{"language": {"en"}, "next": {"/login"}}).wantTo("/login")).says("Password")
	v.language = "es-MX"
	v.get("/login").says("Password") // the choice stands over the browser's wish
	person := h.manager()
	person.post("/language", url.Values{"language": {"en"}}).wantTo("/")
	h.as(person.id).get("/sales").says("Sign out") // also in their other browsers
	person.post("/language", url.Values{"language": {"<script>"}}).wantTo("/")
	person.get("/sales").says("Cerrar sesión")
}

// TestSamples: only a demo shows how to sign in.
func TestSamples(t *testing.T) {
	t.Parallel()
	samples := []entranceview.SampleLogin{{Role: "manager", Email: "ana@demo.test", Password: "a demo's password"}}
	newHouse(t, func(c *handlers.Config) { c.Demo, c.Samples = true, samples }).visitor().get("/login").says("ana@demo.test")
	newHouse(t).visitor().get("/login").hides("demo.test")
}
