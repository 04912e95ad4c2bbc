package cancelapi

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"time"

	"veinte/models"
)

// TestBoundsOfTokens: what a header can carry, up to the longest.
func TestBoundsOfTokens(t *testing.T) {
	t.Parallel()
	for token, good := range map[string]bool{
		"": false, "!~": true, "a b": false, "a\x7f": false, "ñ": false,
		strings.Repeat("a", maxToken): true, strings.Repeat("a", maxToken+1): false,
	} {
		if err := checkToken(token); (err == nil) != good {
			t.Errorf("checkToken(%.10q, %d bytes) = %v, want good %t", token, len(token), err, good)
		}
	}
}

// TestBoundsOfStatuses: a body that says "sent" counts with a status from 200 to 299.
func TestBoundsOfStatuses(t *testing.T) {
	t.Parallel()
	for status, want := range map[int]models.Meaning{
		199: models.MeaningUnknown, 200: models.MeaningAccepted, 299: models.MeaningAccepted, 300: models.MeaningUnknown,
	} {
		if got, _ := classify(status, words{code: codeSent}); got != want {
			t.Errorf("status %d means %s, want %s", status, got, want)
		}
	}
}

// TestBoundsOfSecrets: a secret of three characters would be part of any word.
func TestBoundsOfSecrets(t *testing.T) {
	t.Parallel()
	if got := clean("un abcd y un xyz", 100, "abcd", "xyz"); got != "un "+mask+" y un xyz" {
		t.Errorf("clean() = %q, want the longer one masked", got)
	}
	if got := clean("12345", 4); got != "1234" {
		t.Errorf("clean() to four characters = %q", got)
	}
}

// TestBoundsOfTheConfiguration: each mistake is told once.
func TestBoundsOfTheConfiguration(t *testing.T) {
	t.Parallel()
	good := func() Config {
		return Config{BaseURL: "https://pay.example", Tokens: StaticToken("token-1")}
	}
	if _, err := New(good()); err != nil {
		t.Errorf("New() without a timeout = %v", err)
	}
	for mistakes, cfg := range map[string]func(*Config){
		"timeout":  func(c *Config) { c.Timeout = -1 },
		"path":     func(c *Config) { c.CancelPath = "%zz" },
		"base URL": func(c *Config) { c.BaseURL = "pay.example" },
	} {
		c := good()
		cfg(&c)
		if _, err := New(c); err == nil || strings.Count(err.Error(), "\n") > 0 {
			t.Errorf("New() with a wrong %s = %v, want one mistake", mistakes, err)
		}
	}
}

// TestBoundsOfTheClock: a difference is believed up to the largest, and a response
// that took long says less.
func TestBoundsOfTheClock(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 20, 18, 0, 0, 0, time.UTC)
	measure := func(ahead, trip time.Duration) time.Duration {
		c := &Client{log: slog.New(slog.DiscardHandler)}
		c.compareClocks(now.Add(ahead).Format(http.TimeFormat), now.Add(-trip), now)
		return c.ClockDifference()
	}
	if got := measure(maxDifference, 0); got != maxDifference+dateStep {
		t.Errorf("the largest difference is read as %s", got)
	}
	if got := measure(maxDifference+time.Second, 0); got != 0 {
		t.Errorf("more than that is read as %s, want 0", got)
	}
	if got := measure(0, maxRoundTrip); got != maxRoundTrip+dateStep {
		t.Errorf("after the longest trip the clock may be %s ahead", got)
	}
	if got := measure(0, maxRoundTrip+time.Second); got != 0 {
		t.Errorf("after a longer one it is said to be %s ahead, want what was known", got)
	}
}

// TestWhichTextIsTheMessage: the first of the two that is there.
func TestWhichTextIsTheMessage(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]string{
		`{"code":"19","message":"A","error_description":"B"}`: "A",
		`{"error":"invalid_token","error_description":"B"}`:   "B",
		`{"code":"19","message":"","error_description":"B"}`:  "B",
		`{"code":"19","message":7}`:                           "",
		`{"code":"00"}`:                                       "",
	} {
		if got, ok := parseWords([]byte(body)); got.message != want || !ok {
			t.Errorf("parseWords(%s) = %+v, %t, want the message %q", body, got, ok, want)
		}
	}
}

// TestWhyNothingWasSent: the log names what went wrong, and says that a response came
// unasked only if nothing went wrong.
func TestWhyNothingWasSent(t *testing.T) {
	t.Parallel()
	torn := errors.New("torn")
	for _, fails := range []error{nil, torn} {
		client := newClient(t, "http://"+listen(t, untilClosed))
		client.transport = talker(func(*wire) (*http.Response, error) {
			return &http.Response{StatusCode: 200, Body: io.NopCloser(strings.NewReader(ackOK))}, fails
		})
		order := anOrder()
		body, err := encode(order)
		if err != nil {
			t.Fatal(err)
		}
		x := exchange{client: client, target: client.cancel, order: order, body: body, token: testToken}
		reply, err := x.run(t.Context())
		wantReply(t, reply, models.MeaningNotSent, models.DetailDialFailed)
		if unasked := err != nil && strings.Contains(err.Error(), errUnasked.Error()); unasked != (fails == nil) ||
			fails != nil && !strings.Contains(err.Error(), torn.Error()) {
			t.Errorf("with the error %v: run() = %v", fails, err)
		}
	}
}

// TestBoundsOfACertificatesEnd: three weeks before its end it is still fine.
func TestBoundsOfACertificatesEnd(t *testing.T) {
	t.Parallel()
	server := tlsServer(t)
	roots := x509.NewCertPool()
	roots.AddCert(server.Certificate())
	warns := server.Certificate().NotAfter.Add(-certificateSoon)
	for late, want := range map[time.Duration]string{0: "tls:certificateValid", time.Nanosecond: "tls:certificateSoon"} {
		client := newClient(t, server.URL, func(c *Config) {
			c.TLS, c.Clock = &tls.Config{RootCAs: roots}, &fakeClock{now: warns.Add(late)}
		})
		if got := codes(client.Probe(t.Context())); !strings.Contains(got, " "+want+" ") {
			t.Errorf("%s after that: Probe() = %s, want %s", late, got, want)
		}
	}
}

// TestWhatATokenSourceSays: that fetching failed, until it succeeds.
func TestWhatATokenSourceSays(t *testing.T) {
	t.Parallel()
	clock := newFakeClock(nearly8)
	b := &bakery{err: errors.New("the oven is cold"), life: time.Hour}
	cache := b.cache(clock)
	if got := cache.State(); !got.FailedAt.IsZero() || got.Cached {
		t.Errorf("before: State() = %+v", got)
	}
	for range 2 { // the second at the same instant, which fetches nothing
		if _, err := cache.Token(t.Context()); err == nil || b.baked.Load() != 1 {
			t.Errorf("Token() = %v after %d fetches, want the one failure", err, b.baked.Load())
		}
	}
	if got := cache.State(); !got.FailedAt.Equal(clock.Now()) || got.Cached {
		t.Errorf("after a failure: State() = %+v, want that it failed now", got)
	}
	b.err = nil
	clock.add(tokenBackoff)
	wantToken(t, cache, "loaf-2")
	if got := cache.State(); !got.FailedAt.IsZero() || !got.Cached {
		t.Errorf("after a success: State() = %+v, want no failure", got)
	}
}
