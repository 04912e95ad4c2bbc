package cancelapi

import (
	"bufio"
	"bytes"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"veinte/models"
)

const testToken = "token-of-the-tests-0123456789"

// anOrder returns a valid cancellation, modified by change.
func anOrder(change ...func(*models.Order)) models.Order {
	order := models.Order{
		SerialNumber: "1234567890",
		MerchantID:   "7654321",
		OrderID:      "260310120000-1234567890",
		Key:          models.NewAttemptKey(),
	}
	for _, c := range change {
		c(&order)
	}
	return order
}

func newClient(tb testing.TB, base string, change ...func(*Config)) *Client {
	tb.Helper()
	cfg := Config{
		BaseURL:     base,
		InquiryPath: DefaultInquiryPath,
		Timeout:     10 * time.Second,
		Tokens:      StaticToken(testToken),
	}
	for _, c := range change {
		c(&cfg)
	}
	client, err := New(cfg)
	if err != nil {
		tb.Fatalf("New(%+v) = %v", cfg, err)
	}
	return client
}

func timeout(d time.Duration) func(*Config) { return func(cfg *Config) { cfg.Timeout = d } }

// service is a loopback server that reads requests itself and responds with raw
// bytes, so that it can violate every rule.
type service struct {
	url      string
	requests atomic.Int32 // read completely, on all connections
	bodies   chan string
}

// serve sends answer for each request, then closes the connection.
func serve(tb testing.TB, answer func(conn net.Conn, req *http.Request)) *service {
	tb.Helper()
	s := &service{bodies: make(chan string, 64)}
	s.url = "http://" + listen(tb, func(conn net.Conn) {
		req, err := http.ReadRequest(bufio.NewReader(conn))
		if err != nil {
			return
		}
		body, err := io.ReadAll(req.Body)
		if err != nil {
			return
		}
		s.requests.Add(1)
		s.bodies <- string(body)
		answer(conn, req)
	})
	return s
}

// listen passes each connection to talk and closes it afterwards. It returns the
// address.
func listen(tb testing.TB, talk func(net.Conn)) string {
	tb.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		tb.Fatal(err)
	}
	var talks sync.WaitGroup
	talks.Go(func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			talks.Go(func() {
				defer conn.Close()
				talk(conn)
			})
		}
	})
	tb.Cleanup(func() {
		_ = listener.Close()
		talks.Wait()
	})
	return listener.Addr().String()
}

// says responds with exactly these bytes.
func says(raw string) func(net.Conn, *http.Request) {
	return func(conn net.Conn, _ *http.Request) { _, _ = io.WriteString(conn, raw) }
}

// whole returns a response with the correct length.
func whole(status int, body string) string {
	var b bytes.Buffer
	resp := http.Response{
		StatusCode: status, ProtoMajor: 1, ProtoMinor: 1, Header: http.Header{},
		ContentLength: int64(len(body)), Body: io.NopCloser(strings.NewReader(body)),
	}
	_ = resp.Write(&b)
	return b.String()
}

const ackOK = `{"code":"00","message":"Mensaje enviado exitosamente"}`

// untilClosed waits until the other side closes.
func untilClosed(conn net.Conn) { _, _ = io.Copy(io.Discard, conn) }

// reset closes with RST instead of FIN.
func reset(conn net.Conn) {
	_ = conn.(*net.TCPConn).SetLinger(0)
	_ = conn.Close()
}

// fakeClock is a clock that moves only when it is set.
type fakeClock struct {
	mu  sync.Mutex
	now time.Time
}

func newFakeClock(at string) *fakeClock {
	now, err := time.Parse(time.RFC3339, at)
	if err != nil {
		panic(err)
	}
	return &fakeClock{now: now}
}

func (c *fakeClock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *fakeClock) add(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

// logged collects what a client logs.
type logged struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *logged) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *logged) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

func (l *logged) logger() *slog.Logger {
	return slog.New(slog.NewTextHandler(l, &slog.HandlerOptions{Level: slog.LevelDebug}))
}

// wantReply compares what a reply proves.
func wantReply(tb testing.TB, got models.Reply, meaning models.Meaning, detail models.Detail) {
	tb.Helper()
	if got.Meaning != meaning || got.Detail != detail {
		tb.Errorf("reply = %s/%s (%+v), want %s/%s", got.Meaning, got.Detail, got, meaning, detail)
	}
	if got.FirstByteAt.IsZero() != (got.Meaning == models.MeaningNotSent) {
		tb.Errorf("first byte at %s, but the meaning is %s", got.FirstByteAt, got.Meaning)
	}
}
