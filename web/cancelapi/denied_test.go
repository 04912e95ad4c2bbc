package cancelapi

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"veinte/models"
)

const (
	refused = models.MeaningRefused
	unknown = models.MeaningUnknown
)

// challenge is what a gateway of OAuth 2 answers (RFC 6750, section 3).
const challenge = `Bearer realm="oauth2-resource", error="invalid_token", error_description="Access token expired"`

// gateway is an http.Server that refuses every request: status, challenge, body.
type gateway struct {
	status    int
	challenge string
	body      string
	readFirst bool // the whole body of the request is read before the answer
	requests  atomic.Int32
	lingers   chan struct{} // the connection stays open until it is closed; nil: not
}

func (g *gateway) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	g.requests.Add(1)
	if g.readFirst {
		_, _ = io.Copy(io.Discard, r.Body)
	} else {
		// Without it, net/http reads the body before it answers.
		_ = http.NewResponseController(w).EnableFullDuplex()
	}
	if g.challenge != "" {
		w.Header().Set("WWW-Authenticate", g.challenge)
	}
	if g.lingers != nil {
		w.Header().Set("Content-Length", strconv.Itoa(len(g.body)))
	}
	w.WriteHeader(g.status)
	_, _ = io.WriteString(w, g.body)
	if g.lingers != nil {
		_ = http.NewResponseController(w).Flush()
		<-g.lingers
	}
}

// A refusal that names the token proves that nothing was done. A fresh token is
// tried, once; the second refusal is a refusal, and no doubt.
func TestDeniedByName(t *testing.T) {
	t.Parallel()
	tests := []struct {
		fact string
		g    *gateway
	}{
		{"the documented body", &gateway{status: 401, body: invalidToken}},
		{"with a 403", &gateway{status: 403, body: invalidToken}},
		{"in the header, without a body", &gateway{status: 401, challenge: challenge}},
		{"in the header, without quotes", &gateway{status: 401, challenge: `Bearer error=invalid_token`}},
		{"in the header, beside a page", &gateway{status: 403, challenge: challenge, body: "<html>Forbidden</html>"}},
		{"in another member of the body", &gateway{status: 401, body: `{"status":401,"reason":"invalid_token"}`}},
		{"further inside the body", &gateway{status: 401, body: `{"errors":[{"code":"invalid_token"}]}`}},
		{"beside a code of its own", &gateway{status: 401, body: `{"code":"401","error":"invalid_token"}`}},
		{"in a text", &gateway{status: 401, body: "invalid_token: expired"}},
	}
	for _, tt := range tests {
		t.Run(tt.fact, func(t *testing.T) {
			t.Parallel()
			tt.g.readFirst = true
			s := httptest.NewServer(tt.g)
			t.Cleanup(s.Close)
			tokens := new(numbered)
			got := newClient(t, s.URL, func(cfg *Config) { cfg.Tokens = tokens }).Cancel(t.Context(), anOrder())
			wantReply(t, got, refused, models.DetailInvalidToken)
			if n := tt.g.requests.Load(); n != 2 || len(tokens.dropped) != 1 {
				t.Errorf("%d requests, tokens dropped %q; want 2 requests, the second with a fresh token", n, tokens.dropped)
			}
		})
	}
}

// Any other 401 or 403 proves nothing: the whole request had left. It is a doubt, it
// is not sent again, and the next order gets a fresh token.
func TestDeniedWithoutProof(t *testing.T) {
	t.Parallel()
	tests := []struct {
		fact string
		g    *gateway
	}{
		{"bare", &gateway{status: 401}},
		{"a 403 without words", &gateway{status: 403}},
		{"a page", &gateway{status: 403, body: "<html>Forbidden</html>"}},
		{"another error", &gateway{status: 403, body: `{"error":"access_denied"}`}},
		{"another challenge", &gateway{status: 401, challenge: `Bearer error="insufficient_scope"`}},
		{"a word that only contains the name", &gateway{status: 401, body: `{"error":"not_invalid_token_at_all"}`}},
		{"another refusal's code", &gateway{status: 401, body: `{"code":"19","message":"No se encontró la terminal"}`}},
		{"it says that it was sent", &gateway{status: 401, body: `{"code":"00","error":"invalid_token"}`}},
		{"it says that it was sent, as a number", &gateway{status: 401, body: `{"code": 0, "error":"invalid_token"}`}},
		{"it says that it was sent, beside a challenge", &gateway{status: 401, challenge: challenge, body: ackOK}},
	}
	for _, tt := range tests {
		for _, readFirst := range []bool{true, false} {
			t.Run(tt.fact, func(t *testing.T) {
				t.Parallel()
				g := &gateway{status: tt.g.status, challenge: tt.g.challenge, body: tt.g.body, readFirst: readFirst}
				s := httptest.NewServer(g)
				t.Cleanup(s.Close)
				tokens := new(numbered)
				got := newClient(t, s.URL, func(cfg *Config) { cfg.Tokens = tokens }).Cancel(t.Context(), anOrder())
				wantReply(t, got, unknown, models.DetailAccessRefused)
				if n := g.requests.Load(); n != 1 {
					t.Errorf("%d requests, want exactly 1", n)
				}
				if len(tokens.dropped) != 1 || tokens.dropped[0] != "token-0" {
					t.Errorf("tokens dropped: %q, want the one that was refused", tokens.dropped)
				}
			})
		}
	}
}

// A fresh token after a proven refusal can itself be refused without proof.
func TestDeniedWithoutProofTheSecondTime(t *testing.T) {
	t.Parallel()
	s := serve(t, func(conn net.Conn, req *http.Request) {
		body := ""
		if req.Header.Get("Authorization") == "Bearer token-0" {
			body = invalidToken
		}
		_, _ = io.WriteString(conn, whole(401, body))
	})
	tokens := new(numbered)
	got := newClient(t, s.url, func(cfg *Config) { cfg.Tokens = tokens }).Cancel(t.Context(), anOrder())
	wantReply(t, got, unknown, models.DetailAccessRefused)
	if n := s.requests.Load(); n != 2 || len(tokens.dropped) != 2 {
		t.Errorf("%d requests, tokens dropped %q; want 2 and both", n, tokens.dropped)
	}
}

// Half an answer is no proof, whatever its header says.
func TestDeniedInAnAnswerThatIsCut(t *testing.T) {
	t.Parallel()
	for _, raw := range []string{
		"HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: " + challenge + "\r\nContent-Length: 500\r\n\r\n" + invalidToken,
		"HTTP/1.1 403 Forbidden\r\nContent-Length: 500\r\n\r\n" + invalidToken,
	} {
		s := serve(t, says(raw))
		got := newClient(t, s.url, func(cfg *Config) { cfg.Tokens = new(numbered) }).Cancel(t.Context(), anOrder())
		wantReply(t, got, unknown, models.DetailAccessRefused)
		if n := s.requests.Load(); n != 1 {
			t.Errorf("%d requests, want exactly 1", n)
		}
	}
}

// slowConn is a connection that takes no more than the first bytes of a request, as
// one does whose other side does not read. The rest waits until it is closed, or
// until go is closed.
type slowConn struct {
	net.Conn
	room   int
	once   sync.Once
	closed chan struct{}
	stuck  chan struct{} // closed when the rest begins to wait
	goOn   <-chan struct{}
}

func newSlowConn(conn net.Conn, room int, goOn <-chan struct{}) *slowConn {
	return &slowConn{Conn: conn, room: room, closed: make(chan struct{}), stuck: make(chan struct{}), goOn: goOn}
}

func (c *slowConn) Write(p []byte) (int, error) {
	first := min(c.room, len(p))
	n, err := c.Conn.Write(p[:first])
	c.room -= n
	if err != nil || n == len(p) {
		return n, err
	}
	close(c.stuck)
	select {
	case <-c.closed:
		return n, net.ErrClosed
	case <-c.goOn:
		more, err := c.Conn.Write(p[n:])
		return n + more, err
	}
}

func (c *slowConn) Close() error {
	c.once.Do(func() { close(c.closed) })
	return c.Conn.Close()
}

// throughSlow makes the client's connections take the first bytes of a request.
func throughSlow(client *Client, room int, goOn <-chan struct{}) {
	client.dialer.connect = func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := new(net.Dialer).DialContext(ctx, network, address)
		return newSlowConn(conn, room, goOn), err
	}
}

// lengthOf is the length of the whole request for an order, as it is written.
func lengthOf(t *testing.T, order models.Order) int {
	t.Helper()
	below := &countedConn{}
	s := serve(t, says(whole(200, ackOK)))
	client := newClient(t, s.url, func(cfg *Config) { cfg.Tokens = StaticToken("token-0") })
	client.dialer.connect = func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := new(net.Dialer).DialContext(ctx, network, address)
		below.Conn = conn
		return below, err
	}
	client.Cancel(t.Context(), order)
	return int(below.written.Load())
}

// countedConn counts what is written.
type countedConn struct {
	net.Conn
	written atomic.Int64
}

func (c *countedConn) Write(p []byte) (int, error) {
	n, err := c.Conn.Write(p)
	c.written.Add(int64(n))
	return n, err
}

// The answer was complete while the last byte of the request was still here: it was
// never done, whatever the refusal says. One byte decides.
func TestDeniedBeforeTheLastByteLeft(t *testing.T) {
	t.Parallel()
	order := anOrder()
	length := lengthOf(t, order)
	for _, tt := range []struct {
		fact   string
		status int
		body   string
		held   int // bytes of the request that stay here
		want   models.Meaning
		detail models.Detail
		times  int32
	}{
		{"a bare 401, the body stayed", 401, "", 100, refused, models.DetailInvalidToken, 2},
		{"a bare 403, one byte stayed", 403, "", 1, refused, models.DetailInvalidToken, 2},
		{"a page, one byte stayed", 403, "<html>Forbidden</html>", 1, refused, models.DetailInvalidToken, 2},
		{"a bare 401, nothing stayed", 401, "", 0, unknown, models.DetailAccessRefused, 1},
		{"a 500, the body stayed: another status proves nothing", 500, "", 100, unknown, models.DetailServerError, 1},
		{"a 407, the body stayed", 407, "", 100, unknown, models.DetailServerError, 1},
	} {
		t.Run(tt.fact, func(t *testing.T) {
			t.Parallel()
			g := &gateway{status: tt.status, body: tt.body}
			s := httptest.NewServer(g)
			t.Cleanup(s.Close)
			client := newClient(t, s.URL, func(cfg *Config) { cfg.Tokens = new(numbered) })
			throughSlow(client, length-tt.held, nil)
			got := client.Cancel(t.Context(), order)
			wantReply(t, got, tt.want, tt.detail)
			if n := g.requests.Load(); n != tt.times {
				t.Errorf("%d requests, want %d", n, tt.times)
			}
		})
	}
}

// The fresh token is accepted: one order, one push.
func TestAFreshTokenAfterAnEarlyRefusal(t *testing.T) {
	t.Parallel()
	var pushes, denied atomic.Int32
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") == "Bearer token-0" {
			denied.Add(1)
			_ = http.NewResponseController(w).EnableFullDuplex()
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		_, _ = io.Copy(io.Discard, r.Body)
		pushes.Add(1)
		_, _ = io.WriteString(w, ackOK)
	}))
	t.Cleanup(s.Close)
	client := newClient(t, s.URL, func(cfg *Config) { cfg.Tokens = new(numbered) })
	dials := 0
	client.dialer.connect = func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := new(net.Dialer).DialContext(ctx, network, address)
		if dials++; dials == 1 {
			conn = newSlowConn(conn, 250, nil)
		}
		return conn, err
	}
	got := client.Cancel(t.Context(), anOrder())
	wantReply(t, got, models.MeaningAccepted, models.DetailAccepted)
	if pushes.Load() != 1 || denied.Load() != 1 {
		t.Errorf("%d pushes after %d refusals, want one after one", pushes.Load(), denied.Load())
	}
}

// The last byte leaves while the answer is being read: the service has the whole
// request, and may have carried it out after all.
func TestTheLastByteLeavesDuringTheAnswer(t *testing.T) {
	t.Parallel()
	order := anOrder()
	length := lengthOf(t, order)
	goOn := make(chan struct{})
	var bodies atomic.Int32
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		out := http.NewResponseController(w)
		_ = out.EnableFullDuplex()
		w.Header().Set("Content-Length", "2")
		w.WriteHeader(http.StatusUnauthorized)
		_ = out.Flush() // the header of the refusal has left
		close(goOn)
		_, _ = io.Copy(io.Discard, r.Body)
		bodies.Add(1)
		_, _ = io.WriteString(w, "no")
	}))
	t.Cleanup(s.Close)
	client := newClient(t, s.URL, func(cfg *Config) { cfg.Tokens = new(numbered) })
	throughSlow(client, length-1, goOn)
	got := client.Cancel(t.Context(), order)
	wantReply(t, got, unknown, models.DetailAccessRefused)
	if n := bodies.Load(); n != 1 {
		t.Errorf("%d whole requests arrived, want 1", n)
	}
}

// Bytes that come before the request answer something else, whatever they say: a
// gateway that confuses its clients may still carry this request out.
func TestDeniedBeforeTheFirstByteLeft(t *testing.T) {
	t.Parallel()
	var connections atomic.Int32
	base := "http://" + listen(t, func(conn net.Conn) {
		connections.Add(1)
		_, _ = io.WriteString(conn, "x")
		untilClosed(conn)
	})
	client := newClient(t, base, func(cfg *Config) { cfg.Tokens = new(numbered) })
	client.transport = talker(func(w *wire) (*http.Response, error) {
		if _, err := w.Read(make([]byte, 1)); err != nil {
			t.Error(err)
		}
		_, _ = w.Write([]byte("POST"))
		return &http.Response{StatusCode: 401, Body: io.NopCloser(strings.NewReader(invalidToken))}, nil
	})
	wantReply(t, client.Cancel(t.Context(), anOrder()), unknown, models.DetailAccessRefused)
	if n := connections.Load(); n != 1 {
		t.Errorf("%d connections, want exactly 1", n)
	}
}

// small makes the buffers of the system as small as they can be, so that a request
// that is not read soon stays here.
func small(_, _ string, raw syscall.RawConn) error {
	return raw.Control(func(fd uintptr) {
		_ = syscall.SetsockoptInt(int(fd), syscall.SOL_SOCKET, syscall.SO_RCVBUF, 1)
		_ = syscall.SetsockoptInt(int(fd), syscall.SOL_SOCKET, syscall.SO_SNDBUF, 1)
	})
}

// The same with nothing between client and server but the system: the server
// answers by the header, and the rest of a long request does not fit into the
// network's buffers.
func TestDeniedWhileTheSystemHoldsTheRest(t *testing.T) {
	t.Parallel()
	for _, secure := range []bool{false, true} {
		// Closing at once would reset the connection, and could lose the answer.
		g := &gateway{status: 401, lingers: make(chan struct{})}
		s := httptest.NewUnstartedServer(g)
		listener, err := (&net.ListenConfig{Control: small}).Listen(t.Context(), "tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		_ = s.Listener.Close()
		s.Listener = listener
		var config *tls.Config
		if secure {
			s.StartTLS()
			roots := x509.NewCertPool()
			roots.AddCert(s.Certificate())
			config = &tls.Config{RootCAs: roots}
		} else {
			s.Start()
		}
		t.Cleanup(s.Close)
		client := newClient(t, s.URL, func(cfg *Config) { cfg.TLS = config })
		client.dialer.connect = (&net.Dialer{Control: small}).DialContext
		target, err := url.Parse(s.URL + DefaultCancelPath)
		if err != nil {
			t.Fatal(err)
		}
		x := exchange{client: client, target: target, order: anOrder(), body: []byte(strings.Repeat(" ", 60<<10)), token: testToken}
		got, err := x.run(t.Context())
		close(g.lingers)
		wantReply(t, got, refused, models.DetailInvalidToken)
		if err != nil || g.requests.Load() != 1 {
			t.Errorf("secure %t: error %v, %d requests; want none and one", secure, err, g.requests.Load())
		}
	}
}

// Closing ends a write that waits, and what it reports is the truth about the bytes.
func TestWithheld(t *testing.T) {
	t.Parallel()
	for room, want := range map[int]bool{0: true, 9: true, 10: false, 11: false} {
		ours, theirs := net.Pipe()
		go func() { _, _ = io.Copy(io.Discard, theirs) }()
		below := newSlowConn(ours, room, nil)
		w := &wire{Conn: below, clock: models.ShiftedClock(0), closes: until(time.Time{})}
		written := make(chan struct{})
		var writer sync.WaitGroup
		writer.Go(func() {
			_, _ = w.Write([]byte("0123456789"))
			close(written)
		})
		select {
		case <-below.stuck:
		case <-written:
		}
		if got := w.withheld(); got != want {
			t.Errorf("room for %d of 10 bytes: withheld() = %t, want %t", room, got, want)
		}
		writer.Wait()
	}
}
