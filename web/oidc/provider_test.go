package oidc

import (
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"io"
	"log/slog"
	"maps"
	"math/big"
	"net/http"
	"net/http/httptest"
	"net/url"
	"sync"
	"testing"
	"time"

	"veinte/models"
)

// liar is a provider that says whatever a test has it say. The real one, which cannot lie,
// is in the laboratory.
type liar struct {
	tb     testing.TB
	server *httptest.Server

	mu        sync.Mutex
	down      bool
	asked     map[string]int // requests of each path
	posted    url.Values     // what the token operation got
	discovery map[string]any // changes of it; nil takes a field out
	claims    map[string]any // changes of the ID token's
	user      map[string]any // what the userinfo operation says; nil: 500
	header    map[string]any // changes of the header of tokens
	key       *rsa.PrivateKey
	kid       string
	published []any // keys
	raw       func(path string, w http.ResponseWriter) bool
	tokens    func(claims map[string]any) string // writes the ID token
}

var testKeys = sync.OnceValue(func() (keys [2]*rsa.PrivateKey) {
	for i := range keys {
		var err error
		if keys[i], err = rsa.GenerateKey(rand.Reader, 2048); err != nil {
			panic(err)
		}
	}
	return keys
})

func newLiar(tb testing.TB) *liar {
	tb.Helper()
	l := &liar{tb: tb, asked: map[string]int{}, key: testKeys()[0], kid: "one", user: map[string]any{}}
	l.published = []any{jwk("one", l.key)}
	l.server = httptest.NewServer(l)
	tb.Cleanup(l.server.Close)
	return l
}

func b64(b []byte) string { return base64.RawURLEncoding.EncodeToString(b) }

func jwk(kid string, key *rsa.PrivateKey) map[string]any {
	return map[string]any{
		"kty": "RSA", "use": "sig", "alg": "RS256", "kid": kid,
		"n": b64(key.N.Bytes()), "e": b64(big.NewInt(int64(key.E)).Bytes()),
	}
}

// sign writes a token by hand, so that it can be wrong.
func (l *liar) sign(claims map[string]any) string {
	header := map[string]any{"alg": "RS256", "kid": l.kid, "typ": "JWT"}
	maps.Copy(header, l.header)
	head, _ := json.Marshal(header)
	body, _ := json.Marshal(claims)
	text := b64(head) + "." + b64(body)
	sum := sha256.Sum256([]byte(text))
	signature, err := rsa.SignPKCS1v15(rand.Reader, l.key, crypto.SHA256, sum[:])
	if err != nil {
		l.tb.Error(err)
	}
	return text + "." + b64(signature)
}

func (l *liar) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.asked[r.URL.Path]++
	if l.down {
		http.Error(w, "down", http.StatusServiceUnavailable)
		return
	}
	if l.raw != nil && l.raw(r.URL.Path, w) {
		return
	}
	at := l.server.URL
	switch r.URL.Path {
	case "/.well-known/openid-configuration":
		answer(w, changed(map[string]any{
			"issuer": at, "authorization_endpoint": at + "/authorize", "token_endpoint": at + "/token", "jwks_uri": at + "/keys",
			"userinfo_endpoint": at + "/userinfo", "id_token_signing_alg_values_supported": []string{"RS256", "HS256", "none"},
		}, l.discovery))
	case "/keys":
		answer(w, map[string]any{"keys": l.published})
	case "/userinfo":
		answer(w, l.user)
	case "/token":
		_ = r.ParseForm()
		l.posted = r.PostForm
		now := time.Now()
		claims := changed(map[string]any{
			"iss": at, "aud": "veinte", "sub": "person-1", "iat": now.Unix(), "exp": now.Add(time.Hour).Unix(), "nonce": "the nonce",
			"email": "nora@veinte.test", "email_verified": true, "name": "Nora", "groups": []string{"gerentes"}, "sid": "s-1",
		}, l.claims)
		token := l.sign(claims)
		if l.tokens != nil {
			token = l.tokens(claims)
		}
		answer(w, map[string]any{"access_token": "an access token", "token_type": "Bearer", "id_token": token})
	default:
		http.NotFound(w, r)
	}
}

func changed(of, by map[string]any) map[string]any {
	for name, value := range by {
		if of[name] = value; value == nil {
			delete(of, name)
		}
	}
	return of
}

func answer(w http.ResponseWriter, body any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(body)
}

// clock is the real time, shifted by tests.
type clock struct {
	mu sync.Mutex
	by time.Duration
}

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return time.Now().Add(c.by)
}

func (c *clock) shift(by time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.by += by
}

func (l *liar) client(changes ...func(*Config)) (*Client, *clock) {
	l.tb.Helper()
	at := &clock{}
	c := Config{
		Issuer: l.server.URL, ClientID: "veinte", ClientSecret: "a secret", GroupsClaim: "groups", Scopes: []string{"profile", "email"},
		RedirectURL:  "http://veinte.test/login/oidc/callback",
		SignedOutURL: "http://veinte.test/login", Clock: at, Log: slog.New(slog.NewTextHandler(io.Discard, nil)),
	}
	for _, change := range changes {
		change(&c)
	}
	return New(c), at
}

var request = models.SSORequest{State: "the state", Nonce: "the nonce", Verifier: "the verifier the verifier the verifier the"}
