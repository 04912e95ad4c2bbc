package handlers_test

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/valyala/fasthttp"

	"veinte/handlers/kit"
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

// TestACrowdGetsFewWords: while no more pages are drawn for them, strangers who find no
// place are refused before anything else is done for them, in words and with all that
// guards a response. A device that is known is let through.
func TestACrowdGetsFewWords(t *testing.T) {
	t.Parallel()
	h := newHouse(t, behindProxy)
	ana := h.signUp("ana@veinte.test", models.Manager)
	known := h.visitor()
	known.signIn(ana.Email).wantTo("/")
	full := make(chan bool, 1)
	guard := kit.New(kit.Config{TurnAway: h.Entrance.TurnAway, SecureCookies: true})
	try := func(method, path, device, language string) (through bool, answer *fasthttp.Response) {
		c := &fasthttp.RequestCtx{}
		c.Request.Header.SetMethod(method)
		c.Request.SetRequestURI(path)
		c.Request.Header.SetCookie("__Host-veinte_language", language)
		c.Request.Header.SetCookie("__Host-veinte_device", device)
		guard.Shed(func(*fasthttp.RequestCtx) { through = true }, func() bool { return len(full) == 0 })(c)
		return through, &c.Response
	}
	expect := func(fact string, want bool, method, path, device string) {
		t.Helper()
		if through, _ := try(method, path, device, "es-MX"); through != want {
			t.Errorf("%s: let through: %t, want %t", fact, through, want)
		}
	}
	expect("a stranger, while there is a place", true, "POST", "/login", "")
	for _, network := range []string{"198.51.100.1", "198.51.100.2"} {
		for range 4 {
			place, err := h.Entrance.Admit(t.Context(), modelstest.From(network), "")
			h.must(err)
			t.Cleanup(place.Leave)
		}
	}
	expect("a stranger who gets a page", true, "POST", "/login", "")
	full <- true
	expect("a stranger", false, "POST", "/login", "")
	expect("by another spelling", false, "POST", "/login/?next=/sales", "")
	expect("a device that nobody signed", false, "POST", "/login", "AAAABBBBCCCCDDDD.t9xk00.AAAA")
	expect("a device that is known", true, "POST", "/login", known.jar["veinte_device"])
	expect("who opens the page", true, "GET", "/login", "")
	expect("another form", true, "POST", "/login/code", "")
	for language, words := range map[string]string{
		"es-MX": "Espera unos segundos y vuelve a intentarlo.", "en": "Wait a few seconds and try again.",
	} {
		_, a := try("POST", "/login", "", language)
		if a.StatusCode() != http.StatusServiceUnavailable || !strings.Contains(string(a.Body()), words) || !a.ConnectionClose() {
			t.Errorf("in %s: %d %q, closed: %t", language, a.StatusCode(), a.Body(), a.ConnectionClose())
		}
		for name, want := range map[string]string{
			"Retry-After": "5", "Content-Language": language, "X-Content-Type-Options": "nosniff", "Cache-Control": "no-store",
			"Content-Type": "text/plain; charset=utf-8",
		} {
			if got := string(a.Header.Peek(name)); got != want {
				t.Errorf("in %s: %s is %q, want %q", language, name, got, want)
			}
		}
	}
	if n := h.count(`SELECT count(*) FROM audit_entries WHERE reason = 'error.signInBusy'`); n != 1 {
		t.Errorf("%d entries, want 1", n)
	}
}
