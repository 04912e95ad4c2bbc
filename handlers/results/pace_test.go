package results_test

import (
	"bytes"
	"fmt"
	"log/slog"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/gofiber/fiber/v2"

	"veinte/handlers/results"
	"veinte/models"
	"veinte/models/modelstest"
)

// TestAllTerminalsAtOnce: 1,600 terminals behind one address may all post in the same
// second, each at its own address and at the shared one.
func TestAllTerminalsAtOnce(t *testing.T) {
	t.Parallel()
	k, keys := &keeper{}, keysOf(t, newMaster)
	app := mount(fiber.New(), results.Config{
		Secret: "s3cret", Keys: keys, Receiver: k, Clock: modelstest.NewClock(modelstest.At(t, modelstest.Noon)),
	})
	const terminals = 1600
	for n := range terminals {
		serial := fmt.Sprintf("22%08d", n)
		for _, path := range []string{keys.Path(models.SerialNumber(serial)), "/results/s3cret", "/results/s3cret"} {
			if status, answer := post(t, app, path, said(serial)); status != 200 {
				t.Fatalf("post %d at %s = %d %s", n, path[:9], status, answer)
			}
		}
	}
	if len(k.posts) != 3*terminals {
		t.Errorf("%d posts stored, want %d", len(k.posts), 3*terminals)
	}
}

// TestTooFast: who posts too fast is told to send again, and others are not.
func TestTooFast(t *testing.T) {
	t.Parallel()
	keys, proxy := keysOf(t, newMaster), netip.MustParsePrefix("0.0.0.0/32")
	for _, tt := range []struct {
		fact, path, from, neighbour, other string // neighbour shares its pace, other does not
		taken, status                      int    // how many are, and how they are answered
	}{
		{"the shared address", "/results/s3cret", "192.0.2.1", "192.0.2.1", "192.0.2.2", 100, 200},
		{"the shared address, IPv6", "/results/s3cret", "2001:db8::1", "2001:db8::ffff:1", "2001:db8:0:1::1", 100, 200},
		{"a wrong address", "/results/wrong", "192.0.2.1", "192.0.2.1", "192.0.2.2", 60, 404},
		{"an own address", keys.Path(poster), "192.0.2.1", "192.0.2.2", "", 300, 200},
	} {
		k, clock := &keeper{}, modelstest.NewClock(modelstest.At(t, modelstest.Noon))
		var log bytes.Buffer
		app := mount(fiber.New(), results.Config{
			Secret: "s3cret", Keys: keys, Receiver: k, Clock: clock, SharedPace: 100,
			Log: slog.New(slog.NewTextHandler(&log, nil)),
		}, proxy)
		for n := range tt.taken {
			if status, answer := post(t, app, tt.path, said(poster), "X-Forwarded-For", tt.from); status != tt.status {
				t.Fatalf("%s: post %d = %d %s, want %d", tt.fact, n, status, answer, tt.status)
			}
		}
		stored := len(k.posts)
		for _, from := range []string{tt.from, tt.neighbour, tt.from} {
			status, answer := post(t, app, tt.path, said(poster), "X-Forwarded-For", from)
			if status != 503 || !strings.Contains(answer, `"code":"99"`) {
				t.Errorf("%s: one more from %s = %d %s, want 503 and 99", tt.fact, from, status, answer)
			}
		}
		if len(k.posts) != stored {
			t.Errorf("%s: what came too fast was stored", tt.fact)
		}
		if n := strings.Count(log.String(), "too fast"); n == 0 || n > 2 || strings.Contains(log.String(), "/results/") {
			t.Errorf("%s: the log says %s, want it said once for each network, without the address", tt.fact, log.String())
		}
		if tt.other != "" {
			if status, _ := post(t, app, tt.path, said(poster), "X-Forwarded-For", tt.other); status != tt.status {
				t.Errorf("%s: another source = %d, want %d", tt.fact, status, tt.status)
			}
		}
		clock.Advance(time.Second + 100*time.Millisecond)
		if status, _ := post(t, app, tt.path, said(poster), "X-Forwarded-For", tt.from); status != tt.status {
			t.Errorf("%s: a moment later = %d, want %d", tt.fact, status, tt.status)
		}
		// Whoever fills the shared address does not keep a terminal from its own.
		if status, _ := post(t, app, keys.Path("1234567899"), said("1234567899"), "X-Forwarded-For", tt.from); status != 200 {
			t.Errorf("%s: another terminal's own address = %d, want 200", tt.fact, status)
		}
	}
}
