package cancelapi

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"veinte/models"
)

const invalidToken = `{"error":"invalid_token","error_description":"Cannot convert access token to JSON"}`

// numbered provides token-1, token-2 and so on, a new one after each Invalidate.
type numbered struct {
	mu      sync.Mutex
	current int
	fail    bool // from the second token on
	dropped []string
}

func (n *numbered) Token(context.Context) (string, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.fail && n.current > 0 {
		return "", errors.New("no fresh token")
	}
	return "token-" + strconv.Itoa(n.current), nil
}

func (n *numbered) Invalidate(token string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.dropped = append(n.dropped, token)
	n.current++
}

// refusing responds invalid_token to these tokens, 00 to others.
func refusing(tokens ...string) func(net.Conn, *http.Request) {
	return func(conn net.Conn, req *http.Request) {
		for _, token := range tokens {
			if req.Header.Get("Authorization") == "Bearer "+token {
				_, _ = io.WriteString(conn, whole(401, invalidToken))
				return
			}
		}
		_, _ = io.WriteString(conn, whole(200, ackOK))
	}
}

func TestOneFreshToken(t *testing.T) {
	t.Parallel()
	tests := []struct {
		fact     string
		tokens   TokenSource
		answer   func(net.Conn, *http.Request)
		requests int32
		meaning  models.Meaning
		detail   models.Detail
	}{
		{
			"a fresh token is tried", &numbered{}, refusing("token-0"),
			2, models.MeaningAccepted, models.DetailAccepted,
		},
		{
			"only one", &numbered{}, refusing("token-0", "token-1"),
			2, models.MeaningRefused, models.DetailInvalidToken,
		},
		{
			"the same token is not tried again", StaticToken("token-0"), refusing("token-0"),
			1, models.MeaningRefused, models.DetailInvalidToken,
		},
		{
			"no fresh token leaves the refusal", &numbered{fail: true}, refusing("token-0"),
			1, models.MeaningRefused, models.DetailInvalidToken,
		},
	}
	for _, tt := range tests {
		t.Run(tt.fact, func(t *testing.T) {
			t.Parallel()
			s := serve(t, tt.answer)
			client := newClient(t, s.url, func(cfg *Config) { cfg.Tokens = tt.tokens })
			got := client.Cancel(t.Context(), anOrder())
			wantReply(t, got, tt.meaning, tt.detail)
			if n := s.requests.Load(); n != tt.requests {
				t.Errorf("%d requests, want %d", n, tt.requests)
			}
			if n, ok := tt.tokens.(*numbered); ok && (n.dropped[0] != "token-0" || len(n.dropped) != 1) {
				t.Errorf("invalidated %q, want only the first token", n.dropped)
			}
		})
	}
}

func TestUnknownAfterAFreshTokenIsNotSentAThirdTime(t *testing.T) {
	t.Parallel()
	s := serve(t, func(conn net.Conn, req *http.Request) {
		if req.Header.Get("Authorization") == "Bearer token-0" {
			_, _ = io.WriteString(conn, whole(401, invalidToken))
		}
	})
	client := newClient(t, s.url, func(cfg *Config) { cfg.Tokens = &numbered{} })
	got := client.Cancel(t.Context(), anOrder())
	wantReply(t, got, models.MeaningUnknown, models.DetailConnectionLost)
	if n := s.requests.Load(); n != 2 {
		t.Errorf("%d requests, want 2", n)
	}
}

// When the second request cannot be sent, the order is not notSent: bytes of the
// first were sent, and it was refused.
func TestSecondRequestThatCannotLeave(t *testing.T) {
	t.Parallel()
	clock := newFakeClock(nearly8)
	s := serve(t, func(conn net.Conn, _ *http.Request) {
		clock.add(10 * time.Second)
		_, _ = io.WriteString(conn, whole(401, invalidToken))
	})
	client := newClient(t, s.url, withClock(clock), func(cfg *Config) { cfg.Tokens = &numbered{} })
	got := client.Cancel(t.Context(), anOrder(cutoff))
	wantReply(t, got, models.MeaningRefused, models.DetailInvalidToken)
	if n := s.requests.Load(); n != 1 {
		t.Errorf("%d requests, want 1", n)
	}

	var dials atomic.Int32
	client = newClient(t, serve(t, refusing("token-0")).url, func(cfg *Config) { cfg.Tokens = &numbered{} })
	client.dialer.connect = func(ctx context.Context, network, address string) (net.Conn, error) {
		if dials.Add(1) > 1 {
			return nil, errNoDial
		}
		return new(net.Dialer).DialContext(ctx, network, address)
	}
	got = client.Cancel(t.Context(), anOrder())
	wantReply(t, got, models.MeaningRefused, models.DetailInvalidToken)
}

func TestNoTokenAtAll(t *testing.T) {
	t.Parallel()
	for _, token := range []string{"", "two words", "line\r\nX-Evil: 1", "ñ"} {
		client := newClient(t, "http://127.0.0.1:1", func(cfg *Config) { cfg.Tokens = StaticToken(token) })
		client.dialer.connect = noDial(t)
		got := client.Cancel(t.Context(), anOrder())
		wantReply(t, got, models.MeaningNotSent, models.DetailTokenUnavailable)
	}
	ctx, stop := context.WithCancel(t.Context())
	stop()
	client := newClient(t, "http://127.0.0.1:1", func(cfg *Config) { cfg.Tokens = noToken{} })
	wantReply(t, client.Cancel(ctx, anOrder()), models.MeaningNotSent, models.DetailInterrupted)
}
