package sso

import (
	"context"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"veinte/web/lab"
)

func open(t *testing.T) *Scene {
	t.Helper()
	bin, err := lab.BuildForChaos(t.Context(), t.TempDir())
	must(t, err)
	return Open(t, bin)
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// browser is a real one but for its scripts.
type browser struct {
	*http.Client
	s    *Scene
	back string     // the address by which it came back from the provider
	asks url.Values // what the provider is asked with
	halt bool       // it does not come back, but leaves the address to somebody else
}

func (s *Scene) browser() *browser {
	jar, err := cookiejar.New(nil)
	must(s.tb, err)
	b := &browser{s: s}
	b.Client = &http.Client{Jar: jar, Timeout: 30 * time.Second, CheckRedirect: func(r *http.Request, _ []*http.Request) error {
		switch r.URL.Path {
		case "/auth":
			b.asks = r.URL.Query()
		case "/login/oidc/callback":
			if b.back = r.URL.String(); b.halt {
				return http.ErrUseLastResponse
			}
		}
		return nil
	}}
	return b
}

// page is where a browser ended up.
type page struct {
	path   string
	status int
	text   string
}

func (b *browser) read(response *http.Response, err error) page {
	b.s.tb.Helper()
	must(b.s.tb, err)
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	must(b.s.tb, err)
	return page{response.Request.URL.RequestURI(), response.StatusCode, string(text)}
}

func (b *browser) open(path string) page {
	b.s.tb.Helper()
	return b.read(b.Get(b.s.Server.URL + path))
}

var requestID = regexp.MustCompile(`name="id" value="([^"]+)"`)

// enter goes to the provider, signs in there, and follows the way back.
func (b *browser) enter(id, next string) page {
	b.s.tb.Helper()
	asked := b.open("/login/oidc?" + url.Values{"next": {next}}.Encode())
	form := requestID.FindStringSubmatch(asked.text)
	if form == nil {
		return asked
	}
	return b.read(b.PostForm("http://"+b.s.Provider.Addr+"/login/username", url.Values{
		"username": {id}, "password": {"secret"}, "id": {form[1]},
	}))
}

func (p page) wants(t *testing.T, fact string, status int, path, words string) {
	t.Helper()
	if p.status != status || !strings.HasPrefix(p.path, path) || !strings.Contains(p.text, words) {
		t.Errorf("%s: %d at %s, want %d at %s… with %q:\n%.3000s", fact, p.status, p.path, status, path, words, p.text)
	}
}

func (s *Scene) count(query string, args ...any) (n int) {
	s.tb.Helper()
	must(s.tb, s.Pool.QueryRow(s.tb.Context(), query, args...).Scan(&n))
	return n
}

// TestARealProvider goes through a life with a provider that nobody here wrote.
func TestARealProvider(t *testing.T) {
	t.Parallel()
	s := open(t)
	ctx := t.Context()

	down := s.browser()
	down.open("/login").wants(t, "the sign-in page while the provider is down", 200, "/login", "Entrar con Grupo Laboratorio")
	down.enter("nora", "/sales").wants(t, "a sign-in while the provider is down", 409, "/login/oidc", "no responde")
	must(t, s.Provider.Start(ctx))
	s.AddGroups()
	nora := Person{Email: "nora@shop.example", Verified: true, Name: "Nora Nueva", Groups: []string{"gerentes"}, Session: "s-1"}
	s.Put("nora", nora)

	b := s.browser()
	must(t, lab.Eventually(ctx, time.Minute, "the provider is found", func(context.Context) (bool, error) {
		return b.enter("nora", "/sales?state=confirmed").status == 200, nil
	}))
	b.open("/sales?state=confirmed").wants(t, "the page that was wanted", 200, "/sales?state=confirmed", "Nora Nueva")
	b.open("/audit").wants(t, "a manager at the trail", 403, "/audit", "")
	if n := s.count(`SELECT count(*) FROM users u JOIN sso_identities ON user_id = u.id
		WHERE email = 'nora@shop.example' AND role = 'manager' AND password_hash = '' AND subject = 'nora'`); n != 1 {
		t.Errorf("%d people were made, want one manager", n)
	}

	thief := s.browser()
	thief.read(thief.Get(b.back)).wants(t, "the way back in another browser", 409, "/login/oidc/callback", "empezó en otro navegador")
	fresh := s.browser()
	fresh.enter("nora", "/sales").wants(t, "a second browser", 200, "/sales", "Nora Nueva")
	stale := fresh.back
	fresh.read(fresh.Get(stale)).wants(t, "the way back again", 200, "/sales", "") // signed in already

	other := s.browser()
	other.open("/login/oidc") // a way of its own, with the code of another's
	u, err := url.Parse(stale)
	must(t, err)
	other.read(other.Get(u.String())).wants(t, "another's code and state", 409, "/login/oidc/callback", "ya no está abierto")

	// Of a code that was caught on its way: only the way that asked for it has its verifier.
	victim, catcher := s.browser(), s.browser()
	victim.halt = true
	victim.enter("nora", "/sales")
	caught, err := url.Parse(victim.back)
	must(t, err)
	catcher.open("/login/oidc")
	forged := s.Server.URL + "/login/oidc/callback?" + url.Values{"code": caught.Query()["code"], "state": catcher.asks["state"]}.Encode()
	catcher.read(catcher.Get(forged)).wants(t, "another's code on a way of one's own", 403, "/login/oidc/callback", "no se pudo comprobar")
	for name, want := range map[string]string{"code_challenge_method": "S256", "response_type": "code"} {
		if got := catcher.asks.Get(name); got != want || catcher.asks.Get("nonce") == "" {
			t.Errorf("the provider is asked with %s=%q and the nonce %q, want %q and one", name, got, catcher.asks.Get("nonce"), want)
		}
	}

	s.Put("olga", Person{Email: "olga@shop.example", Name: "Olga", Groups: []string{"gerentes"}})
	s.browser().enter("olga", "/sales").
		wants(t, "an address that nobody has verified", 403, "/login/oidc/callback", "no dice si comprobó tu correo")
	if n := s.count(`SELECT count(*) FROM users WHERE email = 'olga@shop.example'`); n != 0 {
		t.Errorf("an address that nobody has verified made %d people", n)
	}
	s.browser().open("/login/oidc/end").wants(t, "the way back after a sign-out there", 200, "/login", "Entrar con Grupo Laboratorio")

	said := s.control(http.MethodPost, "logout", url.Values{"sub": {"nora"}, "sid": {"s-1"}, "to": {s.Server.URL + "/login/oidc/logout"}})
	if status := said.Header.Get("Client-Status"); status != "200 OK" {
		t.Errorf("the provider ends a session: %s, want 200", status)
	}
	b.open("/sales").wants(t, "a session that the provider has ended", 200, "/login?ended=page", "Tu sesión terminó")
	token, err := io.ReadAll(said.Body)
	must(t, err)
	for fact, word := range map[string]string{
		"the same word again": string(token), "an altered word": string(token[:len(token)-4]) + "AAAA",
	} {
		answer, err := http.PostForm(s.Server.URL+"/login/oidc/logout", url.Values{"logout_token": {word}})
		must(t, err)
		_ = answer.Body.Close()
		if answer.StatusCode != http.StatusBadRequest {
			t.Errorf("%s = %d, want 400", fact, answer.StatusCode)
		}
	}
	b.enter("nora", "/sales").wants(t, "a new sign-in", 200, "/sales", "Nora Nueva")

	nora.Groups = []string{"supervision", "gerentes"}
	s.Put("nora", nora)
	again := s.browser()
	again.enter("nora", "/audit").wants(t, "after a change of groups", 200, "/audit", "Nora Nueva")

	nora.Groups = []string{"limpieza"}
	s.Put("nora", nora)
	s.browser().enter("nora", "/sales").wants(t, "without a group", 403, "/login/oidc/callback", "ninguno de tus grupos")
	nora.Groups = []string{"gerentes"}
	s.Put("nora", nora)

	s.control(http.MethodPost, "keys", nil)
	s.browser().enter("nora", "/sales").wants(t, "with new keys of the provider", 200, "/sales", "Nora Nueva")

	s.Put("imposter", Person{Email: "nora@shop.example", Verified: true, Name: "Otra Nora", Groups: []string{"gerentes"}})
	s.browser().enter("imposter", "/sales").wants(t, "somebody else with her address", 403, "/login/oidc/callback", "ya hay una cuenta")

	_, err = s.Pool.Exec(ctx, `UPDATE users SET disabled_at = now() WHERE email = 'nora@shop.example'`)
	must(t, err)
	s.browser().enter("nora", "/sales").wants(t, "a disabled person", 403, "/login/oidc/callback", "está desactivada")
	b.open("/sales").wants(t, "her session", 200, "/login", "")
	_, err = s.Pool.Exec(ctx, `UPDATE users SET disabled_at = NULL WHERE email = 'nora@shop.example'`)
	must(t, err)

	log := s.Server.Log()
	for _, secret := range []string{"the secret of the laboratory", "code=", "state=", "eyJ"} {
		if strings.Contains(log, secret) {
			t.Errorf("the server's log has %q:\n%s", secret, log)
		}
	}
}
