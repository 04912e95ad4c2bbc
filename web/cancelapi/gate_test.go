package cancelapi

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"veinte/models"
)

const nearly8 = "2026-03-10T19:59:50-06:00"

// cutoff is ten seconds after nearly8.
func cutoff(order *models.Order) { order.NotAfter = newFakeClock(nearly8).now.Add(10 * time.Second) }

// deadline is at the same time.
func deadline(order *models.Order) { order.Deadline = newFakeClock(nearly8).now.Add(10 * time.Second) }

func withClock(clock models.Clock) func(*Config) {
	return func(cfg *Config) { cfg.Clock = clock }
}

func TestGateBeforeConnecting(t *testing.T) {
	t.Parallel()
	for _, late := range []time.Duration{10 * time.Second, 10*time.Second + 1, time.Hour} {
		clock := newFakeClock(nearly8)
		clock.add(late)
		client := newClient(t, "http://127.0.0.1:1", withClock(clock))
		client.dialer.connect = noDial(t)
		got := client.Cancel(t.Context(), anOrder(cutoff))
		wantReply(t, got, models.MeaningNotSent, models.DetailTooLate)
	}
}

func TestTheLastInstant(t *testing.T) {
	t.Parallel()
	clock := newFakeClock(nearly8)
	s := serve(t, says(whole(200, ackOK)))
	order := anOrder(func(o *models.Order) { o.NotAfter = clock.Now().Add(time.Minute) })
	got := newClient(t, s.url, withClock(clock)).Cancel(t.Context(), order)
	wantReply(t, got, models.MeaningAccepted, models.DetailAccepted)
	if !got.FirstByteAt.Equal(clock.Now()) {
		t.Errorf("first byte at %s, want %s", got.FirstByteAt, clock.Now())
	}
}

// The clock jumps over the cut-off, or the attempt's deadline, when the connection is
// established, as it does when the process is suspended there. Nothing else ends the
// request: the context's clock stood still.
func TestGateAtTheFirstByte(t *testing.T) {
	t.Parallel()
	for _, secure := range []bool{false, true} {
		testGateAtTheFirstByte(t, secure, cutoff, models.DetailTooLate)
		testGateAtTheFirstByte(t, secure, deadline, models.DetailInterrupted)
	}
}

func testGateAtTheFirstByte(t *testing.T, secure bool, limit func(*models.Order), want models.Detail) {
	t.Helper()
	clock := newFakeClock(nearly8)
	heard := make(chan int64, 1)
	address := listen(t, func(conn net.Conn) {
		n, _ := io.Copy(io.Discard, conn)
		heard <- n
	})
	base, config := "http://"+address, (*tls.Config)(nil)
	if secure {
		s := tlsServer(t)
		roots := x509.NewCertPool()
		roots.AddCert(s.Certificate())
		base, config = s.URL, &tls.Config{RootCAs: roots}
		s.Config.Handler = http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("a request arrived") })
		heard <- 0
	}
	client := newClient(t, base, withClock(clock), func(cfg *Config) { cfg.TLS = config })
	client.dialer.connect = func(ctx context.Context, network, address string) (net.Conn, error) {
		defer clock.add(10 * time.Second)
		return new(net.Dialer).DialContext(ctx, network, address)
	}
	got := client.Cancel(t.Context(), anOrder(limit))
	wantReply(t, got, models.MeaningNotSent, want)
	if n := <-heard; n != 0 {
		t.Errorf("%d bytes left after the limit", n)
	}
}

// While our own clock is wrong sending ends sooner, by what is known at that moment:
// the order may be older.
func TestTheGateIsEarlierWhileOurClockIsWrong(t *testing.T) {
	t.Parallel()
	clock := models.ShiftedClock(0)
	for early, want := range map[time.Duration]models.Detail{
		3 * time.Minute: models.DetailTooLate, 0: models.DetailDialFailed,
	} {
		client := newClient(t, "http://127.0.0.1:1", withClock(clock), func(cfg *Config) {
			cfg.Early = func() time.Duration { return early }
		})
		order := anOrder(func(o *models.Order) { o.NotAfter = clock.Now().Add(2 * time.Minute) })
		wantReply(t, client.Cancel(t.Context(), order), models.MeaningNotSent, want)
	}
}

func TestCutoffWhileConnecting(t *testing.T) {
	t.Parallel()
	// The clock runs an hour behind the real one: only the remaining duration
	// may count.
	clock := models.ShiftedClock(-time.Hour)
	client := newClient(t, "http://127.0.0.1:1", withClock(clock))
	client.dialer.connect = hangingDial
	order := anOrder(func(o *models.Order) { o.NotAfter = clock.Now().Add(50 * time.Millisecond) })
	got := client.Cancel(t.Context(), order)
	wantReply(t, got, models.MeaningNotSent, models.DetailTooLate)
}

func TestCutoffWhileWaitingForAToken(t *testing.T) {
	t.Parallel()
	clock := models.ShiftedClock(time.Hour)
	client := newClient(t, "http://127.0.0.1:1", withClock(clock), func(cfg *Config) { cfg.Tokens = noToken{} })
	order := anOrder(func(o *models.Order) { o.NotAfter = clock.Now().Add(50 * time.Millisecond) })
	got := client.Cancel(t.Context(), order)
	wantReply(t, got, models.MeaningNotSent, models.DetailTooLate)
}

// noToken is a source that never has a token.
type noToken struct{}

func (noToken) Token(ctx context.Context) (string, error) {
	<-ctx.Done()
	return "", ctx.Err()
}
func (noToken) Invalidate(string) {}

// The first response shows that it is already past the cut-off for the service, and
// refuses the token. No second request is sent with a fresh one.
func TestGateKnowsWhatTheFirstAnswerTold(t *testing.T) {
	t.Parallel()
	for date, want := range map[string]int32{
		"Wed, 11 Mar 2026 01:59:58 GMT": 2, // ahead by 8 s, 9 at most
		"Wed, 11 Mar 2026 01:59:59 GMT": 1, // at most by 10, which was all the time left
		"Wed, 11 Mar 2026 02:01:00 GMT": 1,
	} {
		clock := newFakeClock(nearly8)
		s := serve(t, func(conn net.Conn, _ *http.Request) {
			_, _ = io.WriteString(conn, "HTTP/1.1 401 Unauthorized\r\nDate: "+date+"\r\n\r\n"+`{"error":"invalid_token"}`)
		})
		client := newClient(t, s.url, withClock(clock), func(cfg *Config) { cfg.Tokens = new(countedTokens) })
		got := client.Cancel(t.Context(), anOrder(cutoff))
		wantReply(t, got, models.MeaningRefused, models.DetailInvalidToken)
		if n := s.requests.Load(); n != want {
			t.Errorf("dated %s, %d requests arrived, want %d", date, n, want)
		}
	}
}

// A process that has just started learns with its first token that it is past the
// cut-off for the service. A token operation on another host has its own clock.
func TestTheFirstTokenTellsTheDifference(t *testing.T) {
	t.Parallel()
	for _, same := range []bool{true, false} {
		clock := newFakeClock(nearly8)
		granting := func(conn net.Conn, _ *http.Request) {
			_, _ = io.WriteString(conn, "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"+
				"Date: Wed, 11 Mar 2026 02:01:00 GMT\r\n\r\n"+grantedToken)
		}
		tokens := serve(t, granting)
		s, operation := tokens, tokens.url+"/oauth-service/oauth/token"
		if !same {
			s, operation = serve(t, says(whole(200, ackOK))), strings.Replace(operation, "127.0.0.1", "localhost", 1)
		}
		client := newClient(t, s.url, withClock(clock), func(cfg *Config) {
			cfg.Tokens = PasswordToken(TokenConfig{URL: operation, Username: "tienda", Password: "secret word", Clock: clock})
		})
		got := client.Cancel(t.Context(), anOrder(cutoff))
		if same {
			wantReply(t, got, models.MeaningNotSent, models.DetailTooLate)
		} else {
			wantReply(t, got, models.MeaningAccepted, models.DetailAccepted)
		}
		if n := tokens.requests.Load(); n != 1 {
			t.Errorf("%d requests arrived where tokens are, want one for a token", n)
		}
	}
}

// countedTokens provides a new token whenever the last was refused.
type countedTokens struct{ refused int }

func (c *countedTokens) Token(context.Context) (string, error) {
	return fmt.Sprintf("token-of-the-tests-%d", c.refused), nil
}
func (c *countedTokens) Invalidate(string) { c.refused++ }

// The response to a request that was sent in time is awaited beyond the cut-off.
func TestAnswerAfterTheCutoff(t *testing.T) {
	t.Parallel()
	clock := newFakeClock(nearly8)
	s := serve(t, func(conn net.Conn, _ *http.Request) {
		clock.add(time.Minute)
		_, _ = io.WriteString(conn, whole(200, ackOK))
	})
	got := newClient(t, s.url, withClock(clock)).Cancel(t.Context(), anOrder(cutoff))
	wantReply(t, got, models.MeaningAccepted, models.DetailAccepted)
}

// recorder is a connection that records what was written.
type recorder struct {
	net.Conn
	mu   sync.Mutex
	left bytes.Buffer
}

func (r *recorder) Write(p []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.left.Write(p)
}
func (r *recorder) SetWriteDeadline(time.Time) error { return nil }

// until is a deadline that does not change.
func until(at time.Time) func() time.Time { return func() time.Time { return at } }

func TestNotASecondByteAfterTheCutoff(t *testing.T) {
	t.Parallel()
	clock := newFakeClock(nearly8)
	below := new(recorder)
	w := &wire{Conn: below, clock: clock, closes: until(clock.Now().Add(time.Second))}
	if _, err := w.Write([]byte("a")); err != nil {
		t.Fatalf("Write in time = %v", err)
	}
	clock.add(time.Second)
	if n, err := w.Write([]byte("b")); err == nil || n != 0 {
		t.Errorf("Write at the cut-off = %d, %v; want an error", n, err)
	}
	if got := w.seal(); !got.written || below.left.String() != "a" {
		t.Errorf("record %+v, left %q; want only the first byte", got, below.left.String())
	}
}

// The service reads nothing, so the write blocks. It is canceled at the cut-off, not
// at the timeout, so that the rest of the request is not sent late.
func TestAWriteThatHangsEndsAtTheCutoff(t *testing.T) {
	t.Parallel()
	clock := models.ShiftedClock(-time.Hour)
	client := newClient(t, "http://service.example", withClock(clock))
	client.dialer.connect = func(context.Context, string, string) (net.Conn, error) {
		ours, theirs := net.Pipe()
		t.Cleanup(func() { _ = theirs.Close() })
		return ours, nil
	}
	order := anOrder(func(o *models.Order) { o.NotAfter = clock.Now().Add(200 * time.Millisecond) })
	got := client.Cancel(t.Context(), order)
	wantReply(t, got, models.MeaningUnknown, models.DetailTimeout)
	if got.Duration >= client.timeout {
		t.Errorf("gave up after %s", got.Duration)
	}
}

// A goroutine of net/http may be about to write when the reply is decided.
func TestNothingIsWrittenOnceSealed(t *testing.T) {
	t.Parallel()
	for range 2000 {
		below := new(recorder)
		w := &wire{Conn: below, clock: models.ShiftedClock(0), closes: until(time.Time{})}
		var writer sync.WaitGroup
		writer.Go(func() { _, _ = w.Write([]byte("a")) })
		seen := w.seal()
		writer.Wait()
		if left := below.left.Len(); left > 0 && !seen.written {
			t.Fatal("a byte left that the record denies")
		}
	}
}
