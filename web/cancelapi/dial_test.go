package cancelapi

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"veinte/models"
)

func TestFaultsBeforeWriting(t *testing.T) {
	t.Parallel()
	closed := listen(t, func(net.Conn) {})
	silent := listen(t, untilClosed)
	stranger := tlsServer(t)
	tests := []struct {
		fact   string
		base   string
		detail models.Detail
	}{
		{"nobody listens", "http://127.0.0.1:1", models.DetailDialFailed}, // a port that no other test is given
		{"no such host", "http://cancelaciones.invalid", models.DetailDialFailed},
		{"the certificate is a stranger's", stranger.URL, models.DetailTLSFailed},
		{"the handshake is hung up on", "https://" + closed, models.DetailTLSFailed},
		{"the handshake is not answered", "https://" + silent, models.DetailTLSFailed},
	}
	for _, tt := range tests {
		t.Run(tt.fact, func(t *testing.T) {
			t.Parallel()
			got := newClient(t, tt.base, timeout(2*time.Second)).Cancel(t.Context(), anOrder())
			wantReply(t, got, models.MeaningNotSent, tt.detail)
		})
	}
}

func tlsServer(tb testing.TB) *httptest.Server {
	tb.Helper()
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.ProtoMajor != 1 {
			w.WriteHeader(http.StatusHTTPVersionNotSupported)
		}
		_, _ = io.WriteString(w, ackOK)
	}))
	s.EnableHTTP2 = true
	s.Config.ErrorLog = newDiscardLog()
	s.StartTLS()
	tb.Cleanup(s.Close)
	return s
}

func TestTLS(t *testing.T) {
	t.Parallel()
	s := tlsServer(t)
	roots := x509.NewCertPool()
	roots.AddCert(s.Certificate())
	client := newClient(t, s.URL, func(cfg *Config) { cfg.TLS = &tls.Config{RootCAs: roots} })

	got := client.Cancel(t.Context(), anOrder()) // over HTTP/1.1, although the server offers 2
	wantReply(t, got, models.MeaningAccepted, models.DetailAccepted)
}

// hangingDial never connects.
func hangingDial(ctx context.Context, _, _ string) (net.Conn, error) {
	<-ctx.Done()
	return nil, ctx.Err()
}

func TestConnectingTakesForever(t *testing.T) {
	t.Parallel()
	client := newClient(t, "http://127.0.0.1:1", timeout(50*time.Millisecond))
	client.dialer.connect = hangingDial
	got := client.Cancel(t.Context(), anOrder())
	wantReply(t, got, models.MeaningNotSent, models.DetailDialFailed)
}

func TestStoppedByTheCallerWhileConnecting(t *testing.T) {
	t.Parallel()
	ctx, stop := context.WithCancel(t.Context())
	client := newClient(t, "http://127.0.0.1:1")
	client.dialer.connect = func(ctx context.Context, network, address string) (net.Conn, error) {
		stop()
		return hangingDial(ctx, network, address)
	}
	got := client.Cancel(ctx, anOrder())
	wantReply(t, got, models.MeaningNotSent, models.DetailDialFailed)
}

// talker is a transport whose requests are handled by the function.
type talker func(w *wire) (*http.Response, error)

func (talk talker) RoundTrip(req *http.Request) (*http.Response, error) {
	return talk(req.Context().Value(wireKey{}).(*wire))
}

// A response that arrived before the request responds to something else, so its "00"
// proves nothing; nor does a whole response to a request that was never sent.
func TestAnswerBeforeTheRequest(t *testing.T) {
	t.Parallel()
	for _, writes := range []bool{false, true} {
		client := newClient(t, "http://"+listen(t, func(conn net.Conn) {
			_, _ = io.WriteString(conn, "HTTP/1.1")
			untilClosed(conn)
		}))
		client.transport = talker(func(w *wire) (*http.Response, error) {
			if _, err := w.Read(make([]byte, 8)); err != nil {
				return nil, err
			}
			if writes {
				_, _ = w.Write([]byte("POST"))
			}
			return &http.Response{StatusCode: 200, Body: io.NopCloser(strings.NewReader(ackOK))}, nil
		})
		got := client.Cancel(t.Context(), anOrder())
		if writes {
			wantReply(t, got, models.MeaningUnknown, models.DetailNotJSON)
		} else {
			wantReply(t, got, models.MeaningNotSent, models.DetailDialFailed)
		}
	}
}

func TestConfigIsChecked(t *testing.T) {
	t.Parallel()
	tests := []struct{ fact, base string }{
		{"no base URL", ""},
		{"no scheme", "service.example"},
		{"another scheme", "ftp://service.example"},
		{"no host", "https://"},
		{"a password in it", "https://user:secret-word@service.example"},
		{"a query", "https://service.example?x=1"},
		{"a fragment", "https://service.example#x"},
		{"no URL at all", "https://user:secret-word@%zz"},
	}
	for _, tt := range tests {
		t.Run(tt.fact, func(t *testing.T) {
			t.Parallel()
			_, err := New(Config{BaseURL: tt.base, Tokens: StaticToken("x")})
			if err == nil {
				t.Fatalf("New(%q) = nil error", tt.base)
			}
			wantNoSecret(t, err.Error(), "secret-word")
		})
	}
	if _, err := New(Config{BaseURL: "https://service.example"}); err == nil {
		t.Error("New without a token source = nil error")
	}
	if _, err := New(Config{BaseURL: "https://s.example", Tokens: StaticToken("x"), Timeout: -1}); err == nil {
		t.Error("New with a negative timeout = nil error")
	}
}

func TestOneConnectionForOneRequest(t *testing.T) {
	t.Parallel()
	w := new(wire)
	ctx := context.WithValue(t.Context(), wireKey{}, w)
	if _, err := handOver(ctx, "tcp", ""); err != nil {
		t.Fatalf("handOver = %v", err)
	}
	if _, err := handOver(ctx, "tcp", ""); err == nil {
		t.Error("handOver gave the same connection twice")
	}
	if _, err := handOver(t.Context(), "tcp", ""); err == nil {
		t.Error("handOver without a connection = nil error")
	}
}

var errNoDial = errors.New("must not connect")

// noDial fails the test when anything is sent.
func noDial(tb testing.TB) func(context.Context, string, string) (net.Conn, error) {
	return func(context.Context, string, string) (net.Conn, error) {
		tb.Error("the client connected")
		return nil, errNoDial
	}
}
