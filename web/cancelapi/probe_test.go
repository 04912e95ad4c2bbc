package cancelapi

import (
	"bufio"
	"context"
	"crypto/tls"
	"crypto/x509"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"veinte/models/operations"
	"veinte/web/tunnel"
)

// heard is a service that records its requests.
type heard struct {
	mu   sync.Mutex
	asks []string
}

func (h *heard) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h.mu.Lock()
	h.asks = append(h.asks, strings.TrimSpace(r.Method+" "+r.URL.Path+" "+r.Header.Get("Authorization")))
	h.mu.Unlock()
	if strings.HasSuffix(r.URL.Path, "/token") {
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write([]byte(`{"access_token":"` + testToken + `","token_type":"bearer","expires_in":3600}`))
		return
	}
	w.WriteHeader(http.StatusForbidden)
}

// codes returns the outcomes of the steps, in order.
func codes(steps []operations.ProbeStep) string {
	var all []string
	for _, s := range steps {
		code := s.Step + ":" + s.Code
		if !s.OK {
			code = "!" + code
		}
		all = append(all, code)
	}
	return strings.Join(all, " ")
}

func TestProbeAsksForNothing(t *testing.T) {
	t.Parallel()
	service := &heard{}
	s := httptest.NewServer(service)
	t.Cleanup(s.Close)
	tokens := PasswordToken(TokenConfig{
		URL: s.URL + "/oauth/token", Username: "ana", Password: "secret-of-ana", ClientID: "app",
		ClientSecret: "secret-of-app",
	})
	client := newClient(t, s.URL+"/gateway", func(c *Config) { c.Tokens = tokens })
	if got := client.TokenState(); !got.Fetched || got.Cached {
		t.Errorf("before: TokenState() = %+v, want fetched, none held", got)
	}
	steps := client.Probe(t.Context())
	if got, want := codes(steps), "dns:isAddress connect:connected token:tokenGot answer:answered"; got != want {
		t.Errorf("Probe() = %s, want %s", got, want)
	}
	if got := strings.Join(service.asks, ", "); !strings.HasPrefix(got, "POST /oauth/token Basic ") ||
		!strings.HasSuffix(got, ", HEAD /gateway/") || len(service.asks) != 2 {
		t.Errorf("the service heard %q, want its token operation and a HEAD of the base without a token", got)
	}
	if got := client.TokenState(); !got.Cached || time.Until(got.Ends) < 59*time.Minute || !got.FailedAt.IsZero() {
		t.Errorf("after: TokenState() = %+v, want one held for an hour", got)
	}
	if got := client.ClockState(); got.MeasuredAt.IsZero() {
		t.Error("the Date of the answer says nothing of the clock")
	}
	for _, step := range steps {
		wantNoSecret(t, step.Note, "secret-of-ana")
		wantNoSecret(t, step.Note, testToken)
	}
}

func TestProbeNamesWhatIsWrong(t *testing.T) {
	t.Parallel()
	gone, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_ = gone.Close()
	stranger := tlsServer(t)
	roots := x509.NewCertPool()
	roots.AddCert(stranger.Certificate())
	known := func(c *Config) { c.TLS = &tls.Config{RootCAs: roots} }
	otherName := func(c *Config) { c.TLS = &tls.Config{RootCAs: roots, ServerName: "cancelaciones.invalid"} }
	later := func(c *Config) { // after the expiry of its certificate
		at := stranger.Certificate().NotAfter.Add(time.Hour)
		c.TLS = &tls.Config{RootCAs: roots, Time: func() time.Time { return at }}
	}
	refusing := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(http.StatusUnauthorized)
		_, _ = w.Write([]byte(`{"error":"invalid_client","error_description":"` + testToken + `"}`))
	}))
	t.Cleanup(refusing.Close)
	wrongKey := func(c *Config) {
		c.Tokens = ClientCredentialsToken(TokenConfig{URL: refusing.URL + "/token", ClientID: "app", ClientSecret: "secret-of-app"})
	}
	for _, tt := range []struct {
		fact, base string
		change     func(*Config)
		want       string
	}{
		{"no such host", "https://cancelaciones.invalid", known, "!dns:"},
		{"nobody listens", "http://" + gone.Addr().String(), known, "dns:isAddress !connect:refused"},
		{"a stranger's certificate", stranger.URL, func(*Config) {}, "dns:isAddress connect:connected !tls:certificateUnknown"},
		{"a certificate of another host", stranger.URL, otherName, "dns:isAddress connect:connected !tls:certificateOther"},
		{"a certificate that has ended", stranger.URL, later, "dns:isAddress connect:connected !tls:certificateExpired"},
		{"hung up on", "https://" + listen(t, func(net.Conn) {}), known, "dns:isAddress connect:connected !tls:"},
		{
			"no HTTP", "http://" + listen(t, func(c net.Conn) { _, _ = c.Write([]byte("220 mail\r\n")); untilClosed(c) }), known,
			"dns:isAddress connect:connected !answer:failed",
		},
		{"all is well", stranger.URL, known, "dns:isAddress connect:connected tls:certificateValid answer:answered"},
		{"the credential is wrong", refusing.URL, wrongKey, "dns:isAddress connect:connected !token:tokenRefused answer:answered"},
	} {
		steps := newClient(t, tt.base, tt.change).Probe(t.Context())
		if got := codes(steps); !strings.HasPrefix(got, tt.want) {
			t.Errorf("%s: Probe() = %s, want %s", tt.fact, got, tt.want)
		}
		for _, step := range steps {
			wantNoSecret(t, step.Note, testToken)
		}
	}
}

// A service that hangs delays a test no longer than its caller waits, and a failed
// fetch leaves the existing token.
func TestProbeEnds(t *testing.T) {
	t.Parallel()
	ctx, stop := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer stop()
	steps := newClient(t, "https://"+listen(t, untilClosed)).Probe(ctx)
	if got := codes(steps); got != "dns:isAddress connect:connected !tls:timeout" {
		t.Errorf("Probe() = %s, want a timeout of TLS", got)
	}

	fails := false
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if fails {
			w.WriteHeader(http.StatusInternalServerError)
			return
		}
		(&heard{}).ServeHTTP(w, r)
	}))
	t.Cleanup(s.Close)
	source := PasswordToken(TokenConfig{URL: s.URL + "/token"})
	if _, err := source.Token(t.Context()); err != nil {
		t.Fatal(err)
	}
	fails = true
	if err := source.(renewer).Renew(t.Context()); err == nil {
		t.Fatal("Renew() = nil, want the failure")
	}
	if token, err := source.Token(t.Context()); token != testToken || err != nil {
		t.Errorf("after a failed renewal Token() = %q, %v; want the one that there was", token, err)
	}
}

func TestTokenStateOfAGivenToken(t *testing.T) {
	t.Parallel()
	for fact, tt := range map[string]struct {
		source TokenSource
		want   operations.TokenState
	}{
		"given":          {StaticToken(testToken), operations.TokenState{Cached: true}},
		"of no header":   {StaticToken("a b"), operations.TokenState{}},
		"in a file gone": {StaticTokenFile(t.TempDir() + "/none"), operations.TokenState{}},
	} {
		if got := newClient(t, "https://s.example", func(c *Config) { c.Tokens = tt.source }).TokenState(); got != tt.want {
			t.Errorf("%s: TokenState() = %+v, want %+v", fact, got, tt.want)
		}
	}
}

// Through a proxy its name is looked up, and not the service's; what it answers is named.
func TestProbeThroughAProxy(t *testing.T) {
	t.Parallel()
	service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNotFound) }))
	t.Cleanup(service.Close)
	for answer, want := range map[string]string{
		"HTTP/1.1 200 OK\r\n\r\n":        "dns:isAddress connect:proxyConnected answer:answered",
		"HTTP/1.1 403 Forbidden\r\n\r\n": "dns:isAddress !connect:proxyRefused",
		"":                               "dns:isAddress !connect:hungUp",
	} {
		proxy, err := tunnel.Parse("http://ana:secret-of-the-proxy@" + listen(t, func(conn net.Conn) {
			if _, err := http.ReadRequest(bufio.NewReader(conn)); err != nil || answer == "" {
				return
			}
			_, _ = io.WriteString(conn, answer)
			through, err := net.Dial("tcp", service.Listener.Addr().String())
			if err != nil {
				return
			}
			defer through.Close()
			go func() { _, _ = io.Copy(through, conn); _ = through.Close() }()
			_, _ = io.Copy(conn, through)
		}))
		if err != nil {
			t.Fatal(err)
		}
		client := newClient(t, "http://cancelaciones.invalid", func(c *Config) { c.Proxy = proxy })
		steps := client.Probe(t.Context())
		if got := codes(steps); got != want {
			t.Errorf("Probe() after %q = %s, want %s", answer, got, want)
		}
		for _, step := range steps {
			wantNoSecret(t, step.Note, "secret-of-the-proxy")
		}
	}
}
