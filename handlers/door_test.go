package handlers_test

import (
	"net/http"
	"net/url"
	"strconv"
	"testing"
	"time"

	"veinte/models"
	"veinte/models/entrance"
	"veinte/models/modelstest"
)

// TestADeviceIsKnown: the browser in which somebody signed in is known by a cookie that
// scripts and other sites do not get, and each sign-in has it known for longer.
func TestADeviceIsKnown(t *testing.T) {
	t.Parallel()
	h := newHouse(t, behindProxy)
	ana := h.signUp("ana@veinte.test", models.Manager)
	v := h.visitor()
	c := v.signIn(ana.Email).wantTo("/").cookies["veinte_device"]
	if c == nil || !c.HttpOnly || c.SameSite != http.SameSiteLaxMode || c.MaxAge != int(entrance.DeviceLife.Seconds()) || c.Path != "/" {
		t.Fatalf("the cookie of the device = %+v", c)
	}
	h.exec(`INSERT INTO login_failures (email, address, at) SELECT $1, '198.51.100.' || n, $2 FROM generate_series(1, 100) n`,
		ana.Email, h.Clock.Now())
	a := h.visitor().signIn(ana.Email).want(http.StatusTooManyRequests)
	if wait, err := strconv.Atoi(a.header.Get("Retry-After")); err != nil || wait < 1 || wait > 3600 {
		t.Errorf("a stranger is to retry after %q, want what is left of the hour", a.header.Get("Retry-After"))
	}
	delete(v.jar, "veinte_session")
	h.Clock.Advance(time.Minute)
	v.signIn(ana.Email).wantTo("/")
	if got := v.jar["veinte_device"]; got == c.Value || got[:16] != c.Value[:16] {
		t.Errorf("signing in again gives the device %q after %q, want the same, known for longer", got, c.Value)
	}
	if n := h.count(`SELECT count(*) FROM audit_entries e WHERE e::text LIKE '%' || $1 || '%'`, c.Value[:16]); n != 0 {
		t.Error("the trail holds what a device is known by")
	}
}

// TestAFullLineIsSaid: who finds no place is asked to try again, with what they typed.
func TestAFullLineIsSaid(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.signUp("ana@veinte.test", models.Manager)
	for _, network := range []string{"198.51.100.1", "198.51.100.2"} {
		for range 4 {
			place, err := h.Entrance.Admit(t.Context(), modelstest.From(network), "")
			h.must(err)
			t.Cleanup(place.Leave)
		}
	}
	for language, words := range map[string]string{
		"es-MX": "Espera unos segundos y vuelve a intentarlo.", "en": "Wait a few seconds and try again.",
	} {
		v := h.visitor()
		v.language = language
		a := v.post("/login", url.Values{"email": {"ana@veinte.test"}, "password": {modelstest.Password}, "next": {"/sales?q=1"}}).
			want(http.StatusServiceUnavailable)
		a.says(words)
		if a.header.Get("Retry-After") == "" || a.field("email") != "ana@veinte.test" || a.field("next") != "/sales?q=1" ||
			a.field("password") != "" {
			t.Errorf("in %s: retry after %q, typed %q and %q", language, a.header.Get("Retry-After"), a.field("email"), a.field("next"))
		}
	}
	if n := h.count(`SELECT count(*) FROM audit_entries WHERE reason = 'error.signInBusy'`); n != 1 {
		t.Errorf("%d entries, want 1", n)
	}
}
