package cancelapi

import (
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"veinte/models"
)

// tokenServer responds to every request with status and body, and stores the last.
type tokenServer struct {
	*httptest.Server
	asked atomic.Int32
	last  atomic.Pointer[http.Request]
}

func newTokenServer(tb testing.TB, status int, body string, header ...string) *tokenServer {
	tb.Helper()
	s := new(tokenServer)
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_ = r.ParseForm()
		s.last.Store(r)
		s.asked.Add(1)
		w.Header().Set("Content-Type", "application/json")
		for i := 0; i+1 < len(header); i += 2 {
			w.Header().Set(header[i], header[i+1])
		}
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}))
	tb.Cleanup(s.Close)
	return s
}

const grantedToken = `{"access_token":"granted-token","token_type":"bearer","refresh_token":"never-used","expires_in":43199}`

func (s *tokenServer) config() TokenConfig {
	return TokenConfig{
		URL: s.URL + "/oauth-service/oauth/token", Username: "tienda@example.mx", Password: "secret word",
		ClientID: "veinte", ClientSecret: "client-secret", Timeout: 10 * time.Second,
	}
}

func TestGrants(t *testing.T) {
	t.Parallel()
	tests := []struct {
		fact   string
		source func(TokenConfig) TokenSource
		form   map[string]string
	}{
		{"password", PasswordToken, map[string]string{
			"grant_type": "password", "username": "tienda@example.mx", "password": "secret word",
		}},
		{"client credentials", ClientCredentialsToken, map[string]string{"grant_type": "client_credentials"}},
	}
	for _, tt := range tests {
		t.Run(tt.fact, func(t *testing.T) {
			t.Parallel()
			s := newTokenServer(t, 200, grantedToken)
			source := tt.source(s.config())
			var all sync.WaitGroup
			for range 50 {
				all.Go(func() {
					if got, err := source.Token(t.Context()); got != "granted-token" || err != nil {
						t.Errorf("Token() = %q, %v", got, err)
					}
				})
			}
			all.Wait()
			if n := s.asked.Load(); n != 1 {
				t.Errorf("%d requests for 50 callers, want 1", n)
			}
			req := s.last.Load()
			if id, secret, _ := req.BasicAuth(); id != "veinte" || secret != "client-secret" {
				t.Errorf("Basic credential = %q, %q", id, secret)
			}
			if len(req.PostForm) != len(tt.form) {
				t.Errorf("form = %v, want %v", req.PostForm, tt.form)
			}
			for name, want := range tt.form {
				if got := req.PostForm.Get(name); got != want {
					t.Errorf("form field %s = %q, want %q", name, got, want)
				}
			}
		})
	}
}

// The token's life is measured by our clock, which the demo shifts.
func TestGrantedTokensExpire(t *testing.T) {
	t.Parallel()
	s := newTokenServer(t, 200, grantedToken)
	clock := newFakeClock(nearly8)
	cfg := s.config()
	cfg.Clock = clock
	source := PasswordToken(cfg)
	for _, step := range []struct {
		wait  time.Duration
		asked int32
	}{{0, 1}, {11 * time.Hour, 1}, {time.Hour, 2}} {
		clock.add(step.wait)
		if _, err := source.Token(t.Context()); err != nil {
			t.Fatal(err)
		}
		if n := s.asked.Load(); n != step.asked {
			t.Errorf("after %s more: %d requests, want %d", step.wait, n, step.asked)
		}
	}
	if got := s.last.Load().PostForm.Get("grant_type"); got != "password" {
		t.Errorf("the second grant is %q; a refresh token must not be used", got)
	}
}

func TestTokenFailuresTellNoSecrets(t *testing.T) {
	t.Parallel()
	const leak = "granted-token"
	tests := []struct {
		fact   string
		status int
		body   string
		want   string
	}{
		{
			"a refusal", 400, `{"error":"invalid_grant","error_description":"granted-token secret word"}`,
			"the token operation answered 400, invalid_grant",
		},
		{"a refusal with a 200", 200, `{"error":"granted-token"}`, "the token operation answered 200, without a known error"},
		{"HTML", 502, `<html>granted-token</html>`, "the token operation answered 502, without a known error"},
		{"a redirect", 302, ``, "the token operation answered 302, without a known error"},
		{"not JSON", 200, `granted-token`, "the token operation's answer is not a token"},
		{"no token", 200, `{"x":"granted-token"}`, "the token operation's answer is not a token"},
		{"a token that is a number", 200, `{"access_token":12345678}`, "the token operation's answer is not a token"},
		{"a token that fits no header", 200, `{"access_token":"granted-token\n"}`, "the access token has characters that a header cannot carry"},
	}
	for _, tt := range tests {
		t.Run(tt.fact, func(t *testing.T) {
			t.Parallel()
			elsewhere := newTokenServer(t, 200, grantedToken)
			s := newTokenServer(t, tt.status, tt.body, "Location", elsewhere.URL)
			_, err := PasswordToken(s.config()).Token(t.Context())
			if err == nil || err.Error() != tt.want {
				t.Fatalf("Token() = %v, want %s", err, tt.want)
			}
			wantNoSecret(t, err.Error(), leak, "secret word", "client-secret", "12345678")
			if n := elsewhere.asked.Load(); n != 0 {
				t.Error("the redirect was followed")
			}
		})
	}
}

func TestUnreachableTokenOperation(t *testing.T) {
	t.Parallel()
	log := new(logged)
	client := newClient(t, "http://127.0.0.1:1", func(cfg *Config) {
		cfg.Logger = log.logger()
		cfg.Tokens = PasswordToken(TokenConfig{
			URL: "http://user:secret-word@127.0.0.1:1/token", Password: "other-secret", Timeout: time.Second,
		})
	})
	client.dialer.connect = noDial(t)
	got := client.Cancel(t.Context(), anOrder())
	wantReply(t, got, models.MeaningNotSent, models.DetailTokenUnavailable)
	wantNoSecret(t, log.String(), "secret-word", "other-secret")
}

// The whole path: a cached token becomes invalid, one fresh token is fetched and the
// order is sent once more.
func TestARefusedGrantIsRenewedOnce(t *testing.T) {
	t.Parallel()
	var n atomic.Int32
	tokens := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"access_token":"grant-`+string('0'+n.Add(1))+`","expires_in":43199}`)
	}))
	t.Cleanup(tokens.Close)
	s := serve(t, refusing("grant-1"))
	client := newClient(t, s.url, func(cfg *Config) { cfg.Tokens = PasswordToken(TokenConfig{URL: tokens.URL}) })
	for range 3 {
		wantReply(t, client.Cancel(t.Context(), anOrder()), models.MeaningAccepted, models.DetailAccepted)
	}
	if n.Load() != 2 || s.requests.Load() != 4 {
		t.Errorf("%d grants, %d requests; want 2 and 4", n.Load(), s.requests.Load())
	}
}
