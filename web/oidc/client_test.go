package oidc

import (
	"bytes"
	"errors"
	"log/slog"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"veinte/models"
)

func TestSignIn(t *testing.T) {
	t.Parallel()
	l := newLiar(t)
	c, _ := l.client()
	to, err := c.Begin(t.Context(), request)
	if err != nil {
		t.Fatal(err)
	}
	u, err := url.Parse(to)
	if err != nil || !strings.HasPrefix(to, l.server.URL+"/authorize?") {
		t.Fatalf("Begin() = %q, %v, want the provider's page", to, err)
	}
	for name, want := range map[string]string{
		"response_type": "code", "client_id": "veinte", "state": "the state", "nonce": "the nonce", "code_challenge_method": "S256",
		"scope": "openid profile email", "redirect_uri": "http://veinte.test/login/oidc/callback",
	} {
		if got := u.Query().Get(name); got != want {
			t.Errorf("the provider's page is asked with %s=%q, want %q", name, got, want)
		}
	}
	if got := u.Query().Get("code_challenge"); got == "" || strings.Contains(to, "verifier+the") {
		t.Errorf("the challenge is %q in %s, want a hash of the verifier alone", got, to)
	}
	id, err := c.Finish(t.Context(), request, "a code", "")
	want := &models.Identity{
		Issuer: l.server.URL, Subject: "person-1", SessionID: "s-1", Email: "nora@veinte.test", EmailVerified: true, Name: "Nora",
		Groups: []string{"gerentes"},
	}
	if diff := cmp.Diff(want, id); err != nil || diff != "" {
		t.Errorf("Finish() = %v, %v, want the person: %s", id, err, diff)
	}
	if got := l.posted.Get("code_verifier"); got != request.Verifier || l.posted.Get("code") != "a code" {
		t.Errorf("the token operation got %v, want the code and its verifier", l.posted)
	}
	if l.asked["/userinfo"] != 0 {
		t.Error("what the token says was asked for again")
	}
}

// TestLies are tokens that nobody comes in with.
func TestLies(t *testing.T) {
	t.Parallel()
	now := time.Now()
	for fact, lie := range map[string]func(*liar){
		"another nonce":          func(l *liar) { l.claims = map[string]any{"nonce": "another"} },
		"no nonce":               func(l *liar) { l.claims = map[string]any{"nonce": nil} },
		"another audience":       func(l *liar) { l.claims = map[string]any{"aud": "another"} },
		"two audiences":          func(l *liar) { l.claims = map[string]any{"aud": []string{"veinte", "another"}} },
		"another party":          func(l *liar) { l.claims = map[string]any{"azp": "another"} },
		"another of two parties": func(l *liar) { l.claims = map[string]any{"aud": []string{"veinte", "another"}, "azp": "another"} },
		"another issuer":         func(l *liar) { l.claims = map[string]any{"iss": "https://login.example.com"} },
		"its issuer and a slash": func(l *liar) { l.claims = map[string]any{"iss": l.server.URL + "/"} },
		"no issuer":              func(l *liar) { l.claims = map[string]any{"iss": nil} },
		"over":                   func(l *liar) { l.claims = map[string]any{"exp": now.Add(-2 * time.Minute).Unix()} },
		"without an end":         func(l *liar) { l.claims = map[string]any{"exp": nil} },
		"of the future":          func(l *liar) { l.claims = map[string]any{"iat": now.Add(2 * time.Minute).Unix()} },
		"not yet":                func(l *liar) { l.claims = map[string]any{"nbf": now.Add(2 * time.Minute).Unix()} },
		"of no time":             func(l *liar) { l.claims = map[string]any{"iat": nil} },
		"nobody":                 func(l *liar) { l.claims = map[string]any{"sub": nil} },
		"a long subject":         func(l *liar) { l.claims = map[string]any{"sub": strings.Repeat("x", 256)} },
		"a number as subject":    func(l *liar) { l.claims = map[string]any{"sub": 7} },
		"a subject with a break": func(l *liar) { l.claims = map[string]any{"sub": "a\nb"} },
		"an access token of another": func(l *liar) {
			l.claims = map[string]any{"at_hash": "AAAAAAAAAAAAAAAAAAAAAA"}
		},
		"another key":         func(l *liar) { l.key = testKeys()[1] },
		"a key by its own":    func(l *liar) { l.header = map[string]any{"jwk": jwk("own", testKeys()[1])}; l.key = testKeys()[1] },
		"an unknown key":      func(l *liar) { l.kid = "unknown" },
		"the algorithm none":  func(l *liar) { l.tokens = func(c map[string]any) string { return unsigned(l, c, "none") } },
		"the algorithm HS256": func(l *liar) { l.header = map[string]any{"alg": "HS256"} },
		"no signature":        func(l *liar) { l.tokens = func(c map[string]any) string { return unsigned(l, c, "RS256") } },
		"no token":            func(l *liar) { l.tokens = func(map[string]any) string { return "" } },
		"somebody else's address": func(l *liar) {
			l.claims, l.user = map[string]any{"email": nil}, map[string]any{"sub": "another", "email": "ada@veinte.test"}
		},
	} {
		t.Run(fact, func(t *testing.T) {
			t.Parallel()
			l := newLiar(t)
			lie(l)
			c, _ := l.client()
			if id, err := c.Finish(t.Context(), request, "a code", ""); !errors.Is(err, ErrNotBelieved) {
				t.Errorf("Finish() with %s = %v, %v, want %v", fact, id, err, ErrNotBelieved)
			}
		})
	}
}

func unsigned(l *liar, claims map[string]any, alg string) string {
	l.header = map[string]any{"alg": alg}
	whole := l.sign(claims)
	return whole[:strings.LastIndexByte(whole, '.')+1]
}

// TestTheIssuerOfTheWayBack is held against ours where it is said, and has to be said by a
// provider that says so (RFC 9207).
func TestTheIssuerOfTheWayBack(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		says   bool
		issuer func(*liar) string
		good   bool
	}{
		{false, func(*liar) string { return "" }, true},
		{true, func(*liar) string { return "" }, false},
		{true, func(l *liar) string { return l.server.URL }, true},
		{false, func(*liar) string { return "https://login.example.com" }, false},
	} {
		l := newLiar(t)
		l.discovery = map[string]any{"authorization_response_iss_parameter_supported": tt.says}
		c, _ := l.client()
		_, err := c.Finish(t.Context(), request, "a code", tt.issuer(l))
		if (err == nil) != tt.good || !tt.good && l.asked["/token"] != 0 {
			t.Errorf("Finish() from %q, which must say so: %t = %v, want good: %t, and no code sent otherwise",
				tt.issuer(l), tt.says, err, tt.good)
		}
	}
}

// TestKeysChange: a new key is good at once, and one that was taken back within a minute is
// not.
func TestKeysChange(t *testing.T) {
	t.Parallel()
	l := newLiar(t)
	c, at := l.client()
	sign := func() error {
		_, err := c.Finish(t.Context(), request, "a code", "")
		return err
	}
	if err := sign(); err != nil {
		t.Fatal(err)
	}
	l.key, l.kid = testKeys()[1], "two"
	l.published = []any{jwk("two", l.key)}
	if err := sign(); err != nil {
		t.Errorf("with a new key: %v, want it to be fetched at once", err)
	}
	l.key, l.kid = testKeys()[0], "one"
	if err := sign(); !errors.Is(err, ErrNotBelieved) {
		t.Errorf("with the key that was taken back: %v, want %v", err, ErrNotBelieved)
	}
	l.published = []any{jwk("one", l.key)}
	if err := sign(); err != nil {
		t.Fatal(err)
	}
	l.published = []any{jwk("two", testKeys()[1])} // and nobody signs with it
	at.shift(61 * time.Second)
	l.claims = map[string]any{"iat": at.Now().Unix()}
	if err := sign(); !errors.Is(err, ErrNotBelieved) {
		t.Errorf("a minute after its key was taken back: %v, want %v", err, ErrNotBelieved)
	}
}

// TestAProviderThatIsDown is asked now and then, and comes back by itself.
func TestAProviderThatIsDown(t *testing.T) {
	t.Parallel()
	l := newLiar(t)
	l.down = true
	var log bytes.Buffer
	c, at := l.client(func(c *Config) { c.Log = slog.New(slog.NewTextHandler(&log, nil)) })
	for range 100 {
		if _, err := c.Begin(t.Context(), request); !errors.Is(err, ErrUnreachable) {
			t.Fatalf("Begin() = %v, want %v", err, ErrUnreachable)
		}
	}
	if n := l.asked["/.well-known/openid-configuration"]; n != 1 {
		t.Errorf("a provider that is down was asked %d times by a hundred people, want once", n)
	}
	pauses := 0
	for range 10 {
		at.shift(longestPause)
		_, _ = c.Begin(t.Context(), request)
		pauses++
	}
	if n := l.asked["/.well-known/openid-configuration"]; n != 1+pauses {
		t.Errorf("it was asked %d times in ten pauses, want 11", n)
	}
	l.down = false
	at.shift(longestPause)
	if _, err := c.Begin(t.Context(), request); err != nil {
		t.Errorf("Begin() of a provider that is back = %v", err)
	}
	l.down = true
	at.shift(discoveryLife)
	if _, err := c.Begin(t.Context(), request); err != nil {
		t.Errorf("Begin() of a provider that was known = %v, want what was known of it", err)
	}
	if _, err := c.Finish(t.Context(), request, "a code", ""); !errors.Is(err, ErrUnreachable) {
		t.Errorf("Finish() = %v, want %v", err, ErrUnreachable)
	}
	if !strings.Contains(log.String(), "was not found") || strings.Contains(log.String(), "a secret") {
		t.Errorf("the log says %s", log.String())
	}
}

// TestDiscoveryNamesNoOtherScheme: what a provider says of itself is judged too.
func TestDiscoveryNamesNoOtherScheme(t *testing.T) {
	t.Parallel()
	for fact, change := range map[string]func(*liar){
		"another issuer":   func(l *liar) { l.discovery = map[string]any{"issuer": "https://login.example.com"} },
		"a plain address":  func(l *liar) { l.discovery = map[string]any{"token_endpoint": "http://login.example.com/token"} },
		"a file":           func(l *liar) { l.discovery = map[string]any{"jwks_uri": "file:///etc/passwd"} },
		"no page":          func(l *liar) { l.discovery = map[string]any{"authorization_endpoint": nil} },
		"a script":         func(l *liar) { l.discovery = map[string]any{"authorization_endpoint": "javascript:alert(1)"} },
		"a plain userinfo": func(l *liar) { l.discovery = map[string]any{"userinfo_endpoint": "http://login.example.com/me"} },
		"no JSON": func(l *liar) {
			l.raw = func(_ string, w http.ResponseWriter) bool { _, _ = w.Write([]byte("<html>")); return true }
		},
		"a redirect": func(l *liar) {
			l.raw = func(path string, w http.ResponseWriter) bool {
				if path == "/moved" {
					answer(w, map[string]any{
						"issuer": l.server.URL, "authorization_endpoint": l.server.URL, "token_endpoint": l.server.URL, "jwks_uri": l.server.URL,
					})
					return true
				}
				w.Header().Set("Location", "/moved")
				w.WriteHeader(http.StatusFound)
				return true
			}
		},
		"an endless answer": func(l *liar) {
			l.raw = func(_ string, w http.ResponseWriter) bool {
				for range 2 * maxAnswer / 1024 {
					_, _ = w.Write(bytes.Repeat([]byte(" "), 1024))
				}
				return true
			}
		},
	} {
		l := newLiar(t)
		change(l)
		c, _ := l.client()
		if to, err := c.Begin(t.Context(), request); !errors.Is(err, ErrUnreachable) {
			t.Errorf("Begin() with %s = %q, %v, want %v", fact, to, err, ErrUnreachable)
		}
	}
}

func TestGroups(t *testing.T) {
	t.Parallel()
	many := make([]string, maxGroups+1)
	for _, tt := range []struct {
		fact, claim string
		claims      map[string]any
		want        []string
		err         error
	}{
		{"a list", "groups", map[string]any{"groups": []string{"a", "b"}}, []string{"a", "b"}, nil},
		{"one name", "hd", map[string]any{"hd": "tienda.example"}, []string{"tienda.example"}, nil},
		{"none", "groups", map[string]any{"groups": nil}, nil, nil},
		{"an empty list", "groups", map[string]any{"groups": []string{}}, nil, nil},
		{"in an object", "realm_access.roles", map[string]any{"realm_access": map[string]any{"roles": []string{"a"}}}, []string{"a"}, nil},
		{"a name with dots", "https://x.example/groups", map[string]any{"https://x.example/groups": []string{"a"}}, []string{"a"}, nil},
		{
			"a name with dots in an object with one", "resource_access.my.app.roles",
			map[string]any{"resource_access": map[string]any{"my.app": map[string]any{"roles": []string{"a"}}}},
			[]string{"a"},
			nil,
		},
		{"other things", "groups", map[string]any{"groups": []any{"a", 7, nil, map[string]any{}, "", "b\n"}}, []string{"a"}, nil},
		{"a number", "groups", map[string]any{"groups": 7}, nil, nil},
		{"too many", "groups", map[string]any{"groups": many}, nil, ErrTooManyGroups},
		{
			"elsewhere", "groups", map[string]any{
				"groups": nil, "_claim_names": map[string]any{"groups": "src1"},
				"_claim_sources": map[string]any{"src1": map[string]any{"endpoint": "http://127.0.0.1:1/"}},
			}, nil, ErrTooManyGroups,
		},
	} {
		l := newLiar(t)
		l.claims = tt.claims
		c, _ := l.client(func(c *Config) { c.GroupsClaim = tt.claim })
		l.user = map[string]any{"sub": "person-1"}
		id, err := c.Finish(t.Context(), request, "a code", "")
		if !errors.Is(err, tt.err) || err == nil && !slices.Equal(id.Groups, tt.want) {
			t.Errorf("%s: Finish() = %+v, %v, want the groups %q, %v", tt.fact, id, err, tt.want, tt.err)
		}
	}
}

// TestUserinfoCompletes what the token leaves out, and nothing that it says.
func TestUserinfoCompletes(t *testing.T) {
	t.Parallel()
	l := newLiar(t)
	l.claims = map[string]any{"email": nil, "groups": nil, "email_verified": true}
	l.user = map[string]any{"sub": "person-1", "email": "nora@veinte.test", "groups": []string{"gerentes"}, "name": "Otra", "sid": "x"}
	c, _ := l.client()
	id, err := c.Finish(t.Context(), request, "a code", "")
	want := &models.Identity{
		Issuer: l.server.URL, Subject: "person-1", SessionID: "s-1", Email: "nora@veinte.test", Name: "Nora", Groups: []string{"gerentes"},
	}
	if diff := cmp.Diff(want, id); err != nil || diff != "" {
		t.Errorf("Finish() = %v, %v, want an address that nobody has verified: %s", id, err, diff)
	}
}

// TestWhetherAnAddressIsVerified is what the provider says of that address, where it says
// anything.
func TestWhetherAnAddressIsVerified(t *testing.T) {
	t.Parallel()
	const same, other = "nora@veinte.test", "otra@veinte.test"
	for _, tt := range []struct {
		token, user      any // email_verified of each
		of               string
		verified, denied bool
	}{
		{true, nil, same, true, false},
		{"true", nil, same, true, false},
		{false, nil, same, false, true},
		{"false", nil, same, false, true},
		{nil, nil, same, false, false},
		{0, nil, same, false, false},
		{"", nil, same, false, false},
		{nil, false, same, false, true},
		{nil, true, same, true, false},
		{false, true, same, false, true},
		{nil, true, other, false, false},
	} {
		l := newLiar(t)
		l.claims = map[string]any{"email_verified": tt.token, "groups": nil} // so that the rest is asked for
		l.user = changed(map[string]any{"sub": "person-1", "email": tt.of}, map[string]any{"email_verified": tt.user})
		c, _ := l.client()
		id, err := c.Finish(t.Context(), request, "a code", "")
		if err != nil || id.EmailVerified != tt.verified || id.EmailDenied != tt.denied {
			t.Errorf("of %v in the token and %v of %s elsewhere: %+v, %v, want verified %t, denied %t",
				tt.token, tt.user, tt.of, id, err, tt.verified, tt.denied)
		}
	}
}

// TestSignOut leads to the provider's own page, with what it knows us by and nothing of the
// person; to no page of another kind.
func TestSignOut(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		fact, endpoint, want string // below the provider's own address
		err                  error
	}{
		{"a page", "/out", "/out?client_id=veinte&post_logout_redirect_uri=http%3A%2F%2Fveinte.test%2Flogin", nil},
		{
			"a page with a query", "/out?p=a&client_id=x",
			"/out?client_id=veinte&p=a&post_logout_redirect_uri=http%3A%2F%2Fveinte.test%2Flogin", nil,
		},
		{"no page", "", "", ErrNoSignOut},
		{"a plain page", "http://login.example.com/out", "", ErrNoSignOut},
		{"a script", "javascript:alert(1)", "", ErrNoSignOut},
		{"no address", "/%zz", "", ErrNoSignOut},
	} {
		l := newLiar(t)
		if strings.HasPrefix(tt.endpoint, "/") {
			tt.endpoint = l.server.URL + tt.endpoint
		}
		l.discovery = map[string]any{"end_session_endpoint": tt.endpoint}
		c, _ := l.client()
		to, err := c.SignOut(t.Context())
		if got := strings.TrimPrefix(to, l.server.URL); got != tt.want || !errors.Is(err, tt.err) {
			t.Errorf("SignOut() at a provider with %s = %q, %v, want %q, %v", tt.fact, got, err, tt.want, tt.err)
		}
		if _, err := c.Begin(t.Context(), request); err != nil {
			t.Errorf("Begin() at a provider with %s = %v, want nil", tt.fact, err)
		}
	}
	l := newLiar(t)
	l.down = true
	c, _ := l.client()
	if to, err := c.SignOut(t.Context()); !errors.Is(err, ErrUnreachable) {
		t.Errorf("SignOut() at a provider that is down = %q, %v, want %v", to, err, ErrUnreachable)
	}
}

// TestLogoutTokens: only the provider's own word, of now, ends a session.
func TestLogoutTokens(t *testing.T) {
	t.Parallel()
	const event = "http://schemas.openid.net/event/backchannel-logout"
	for _, tt := range []struct {
		fact   string
		claims map[string]any
		good   bool
	}{
		{"a session", nil, true},
		{"a person", map[string]any{"sid": nil}, true},
		{"only a session", map[string]any{"sub": nil}, true},
		{"nobody", map[string]any{"sub": nil, "sid": nil}, false},
		{"an ID token", map[string]any{"events": nil}, false},
		{"another event", map[string]any{"events": map[string]any{"x": map[string]any{}}}, false},
		{"a nonce", map[string]any{"nonce": "n"}, false},
		{"no id", map[string]any{"jti": nil}, false},
		{"another audience", map[string]any{"aud": "another"}, false},
		{"another issuer", map[string]any{"iss": "https://login.example.com"}, false},
		{"an old one", map[string]any{"iat": time.Now().Add(-6 * time.Minute).Unix()}, false},
		{"one of the future", map[string]any{"iat": time.Now().Add(2 * time.Minute).Unix()}, false},
		{"no time", map[string]any{"iat": nil}, false},
		{"over", map[string]any{"exp": time.Now().Add(-2 * time.Minute).Unix()}, false},
	} {
		l := newLiar(t)
		c, _ := l.client()
		claims := changed(map[string]any{
			"iss": l.server.URL, "aud": "veinte", "sub": "person-1", "sid": "s-1", "jti": "once", "iat": time.Now().Unix(),
			"exp": time.Now().Add(time.Minute).Unix(), "events": map[string]any{event: map[string]any{}},
		}, tt.claims)
		got, err := c.Logout(t.Context(), l.sign(claims))
		if (err == nil) != tt.good || !tt.good && !errors.Is(err, ErrNotBelieved) {
			t.Errorf("Logout() of %s = %+v, %v, want good: %t", tt.fact, got, err, tt.good)
		}
	}
}
