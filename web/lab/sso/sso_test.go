package sso

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"veinte/models"
	"veinte/models/accounts"
	"veinte/web/lab"
)

// scene is a shop whose people come in by the provider of another process.
type scene struct {
	*lab.Lab
	t        *testing.T
	server   *lab.Server
	provider *lab.Process
	admin    *lab.Person
}

func open(t *testing.T) *scene {
	t.Helper()
	ctx := t.Context()
	bin, err := lab.BuildForChaos(ctx, t.TempDir())
	must(t, err)
	provider := filepath.Join(t.TempDir(), "provider")
	if out, err := exec.CommandContext(ctx, "go", "build", "-o", provider, "veinte/web/lab/provider").CombinedOutput(); err != nil {
		t.Fatalf("build the provider: %v\n%s", err, out)
	}
	s := &scene{t: t}
	s.Lab, err = lab.Start(ctx, lab.Options{Setup: lab.Setup{Bin: bin}, Stores: 2, Terminals: 2, Managers: 1})
	must(t, err)
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	s.server, err = s.NewServer()
	must(t, err)
	s.provider, err = lab.NewProcess(provider, s.File("provider.log"), "/.well-known/openid-configuration", nil,
		"-addr", "ADDR", "-redirect", s.server.URL+"/login/oidc/callback")
	must(t, err)
	t.Cleanup(func() { _ = s.provider.Stop() })
	// The server starts while nobody answers at the provider's address.
	must(t, s.server.Restart(ctx, "BASE_URL="+s.server.URL, "OIDC_ISSUER=http://"+s.provider.Addr, "OIDC_CLIENT_ID=veinte",
		"OIDC_CLIENT_SECRET=the secret of the laboratory", "OIDC_NAME=Grupo Laboratorio"))
	s.admin, err = s.Hire(ctx, accounts.Input{Name: "Ada", Role: models.Administrator})
	must(t, err)
	must(t, s.signIn(s.admin))
	return s
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// signIn signs in by password. An administrator's page has a form of its own.
func (s *scene) signIn(p *lab.Person) error {
	return p.SignInAt(s.t.Context(), s.server, "/settings/sso")
}

// post sends a form of the administrator's, and wants it done.
func (s *scene) post(path string, form url.Values) {
	s.t.Helper()
	if a := s.admin.Post(s.t.Context(), s.server, path, form); a.Status != http.StatusSeeOther {
		s.t.Fatalf("POST %s: %v", path, a.Problem())
	}
}

// control gives the provider an order.
func (s *scene) control(method, path string, body any) *http.Response {
	s.t.Helper()
	var reader io.Reader
	kind := "application/json"
	switch b := body.(type) {
	case url.Values:
		reader, kind = strings.NewReader(b.Encode()), "application/x-www-form-urlencoded"
	default:
		text, err := json.Marshal(b)
		must(s.t, err)
		reader = bytes.NewReader(text)
	}
	r, err := http.NewRequestWithContext(s.t.Context(), method, "http://"+s.provider.Addr+"/control/"+path, reader)
	must(s.t, err)
	r.Header.Set("Content-Type", kind)
	response, err := http.DefaultClient.Do(r)
	must(s.t, err)
	text, err := io.ReadAll(response.Body)
	must(s.t, err)
	_ = response.Body.Close()
	response.Body = io.NopCloser(bytes.NewReader(text))
	if response.StatusCode != http.StatusOK {
		s.t.Fatalf("%s %s = %d: %s", method, path, response.StatusCode, text)
	}
	return response
}

// person is somebody at the provider.
type person struct {
	Email    string   `json:"email"`
	Verified bool     `json:"verified"`
	Name     string   `json:"name"`
	Groups   []string `json:"groups"`
	Session  string   `json:"session"`
}

func (s *scene) put(id string, of person) { s.t.Helper(); s.control(http.MethodPut, "people/"+id, of) }

// browser is a real one but for its scripts.
type browser struct {
	*http.Client
	s    *scene
	back string // the address by which it came back from the provider
}

func (s *scene) browser() *browser {
	jar, err := cookiejar.New(nil)
	must(s.t, err)
	b := &browser{s: s}
	b.Client = &http.Client{Jar: jar, Timeout: 30 * time.Second, CheckRedirect: func(r *http.Request, _ []*http.Request) error {
		if strings.HasPrefix(r.URL.Path, "/login/oidc/callback") {
			b.back = r.URL.String()
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
	b.s.t.Helper()
	must(b.s.t, err)
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	must(b.s.t, err)
	return page{response.Request.URL.RequestURI(), response.StatusCode, string(text)}
}

func (b *browser) open(path string) page {
	b.s.t.Helper()
	return b.read(b.Get(b.s.server.URL + path))
}

var requestID = regexp.MustCompile(`name="id" value="([^"]+)"`)

// enter goes to the provider, signs in there, and follows the way back.
func (b *browser) enter(id, next string) page {
	b.s.t.Helper()
	asked := b.open("/login/oidc?" + url.Values{"next": {next}}.Encode())
	form := requestID.FindStringSubmatch(asked.text)
	if form == nil {
		return asked
	}
	return b.read(b.PostForm("http://"+b.s.provider.Addr+"/login/username", url.Values{
		"username": {id}, "password": {"secret"}, "id": {form[1]},
	}))
}

func (p page) wants(t *testing.T, fact string, status int, path, words string) {
	t.Helper()
	if p.status != status || !strings.HasPrefix(p.path, path) || !strings.Contains(p.text, words) {
		t.Errorf("%s: %d at %s, want %d at %s… with %q:\n%.3000s", fact, p.status, p.path, status, path, words, p.text)
	}
}

func (s *scene) count(query string, args ...any) (n int) {
	s.t.Helper()
	must(s.t, s.Pool.QueryRow(s.t.Context(), query, args...).Scan(&n))
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
	must(t, s.provider.Start(ctx))
	s.post("/settings/sso/groups", url.Values{
		"name": {"gerentes"}, "role": {"manager"}, "stores": {strconv.FormatInt(s.StoreIDs[0], 10)},
	})
	s.post("/settings/sso/groups", url.Values{"name": {"supervision"}, "role": {"supervisor"}, "allStores": {"on"}})
	nora := person{Email: "nora@shop.example", Verified: true, Name: "Nora Nueva", Groups: []string{"gerentes"}, Session: "s-1"}
	s.put("nora", nora)

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

	said := s.control(http.MethodPost, "logout", url.Values{"sub": {"nora"}, "sid": {"s-1"}, "to": {s.server.URL + "/login/oidc/logout"}})
	if status := said.Header.Get("Client-Status"); status != "200 OK" {
		t.Errorf("the provider ends a session: %s, want 200", status)
	}
	b.open("/sales").wants(t, "a session that the provider has ended", 200, "/login?ended=page", "Tu sesión terminó")
	token, err := io.ReadAll(said.Body)
	must(t, err)
	for fact, word := range map[string]string{
		"the same word again": string(token), "an altered word": string(token[:len(token)-4]) + "AAAA",
	} {
		answer, err := http.PostForm(s.server.URL+"/login/oidc/logout", url.Values{"logout_token": {word}})
		must(t, err)
		_ = answer.Body.Close()
		if answer.StatusCode != http.StatusBadRequest {
			t.Errorf("%s = %d, want 400", fact, answer.StatusCode)
		}
	}
	b.enter("nora", "/sales").wants(t, "a new sign-in", 200, "/sales", "Nora Nueva")

	nora.Groups = []string{"supervision", "gerentes"}
	s.put("nora", nora)
	again := s.browser()
	again.enter("nora", "/audit").wants(t, "after a change of groups", 200, "/audit", "Nora Nueva")

	nora.Groups = []string{"limpieza"}
	s.put("nora", nora)
	s.browser().enter("nora", "/sales").wants(t, "without a group", 403, "/login/oidc/callback", "ninguno de tus grupos")
	nora.Groups = []string{"gerentes"}
	s.put("nora", nora)

	s.control(http.MethodPost, "keys", nil)
	s.browser().enter("nora", "/sales").wants(t, "with new keys of the provider", 200, "/sales", "Nora Nueva")

	s.put("imposter", person{Email: "nora@shop.example", Verified: true, Name: "Otra Nora", Groups: []string{"gerentes"}})
	s.browser().enter("imposter", "/sales").wants(t, "somebody else with her address", 403, "/login/oidc/callback", "ya hay una cuenta")

	_, err = s.Pool.Exec(ctx, `UPDATE users SET disabled_at = now() WHERE email = 'nora@shop.example'`)
	must(t, err)
	s.browser().enter("nora", "/sales").wants(t, "a disabled person", 403, "/login/oidc/callback", "está desactivada")
	b.open("/sales").wants(t, "her session", 200, "/login", "")
	_, err = s.Pool.Exec(ctx, `UPDATE users SET disabled_at = NULL WHERE email = 'nora@shop.example'`)
	must(t, err)

	log := s.server.Log()
	for _, secret := range []string{"the secret of the laboratory", "code=", "state=", "eyJ"} {
		if strings.Contains(log, secret) {
			t.Errorf("the server's log has %q:\n%s", secret, log)
		}
	}
}
