package cancelapi

import (
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
