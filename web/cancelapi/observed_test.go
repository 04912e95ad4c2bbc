package cancelapi

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"veinte/models"
)

func wantNoSecret(tb testing.TB, text string, secrets ...string) {
	tb.Helper()
	for _, secret := range secrets {
		if strings.Contains(text, secret) {
			tb.Errorf("%q holds the secret %q", text, secret)
		}
	}
}

func TestClockDifference(t *testing.T) {
	t.Parallel()
	tests := []struct {
		fact    string
		date    string
		trip    time.Duration
		want    time.Duration // at most
		certain time.Duration
	}{
		{"the service is ahead, by the second that Date cuts off too", "Wed, 11 Mar 2026 02:00:00 GMT", 0, 11 * time.Second, 10 * time.Second},
		{
			"it may have dated its answer as soon as the request came", "Wed, 11 Mar 2026 02:00:00 GMT", 4 * time.Second, 11 * time.Second,
			6 * time.Second,
		},
		{"the service is behind", "Wed, 11 Mar 2026 01:59:00 GMT", 0, -49 * time.Second, -49 * time.Second},
		{"a slow answer that proves nothing", "Wed, 11 Mar 2026 02:00:00 GMT", 11 * time.Second, 0, 0},
		{
			"a slow answer proves that the service is ahead", "Wed, 11 Mar 2026 02:01:50 GMT", 25 * time.Second, 95 * time.Second,
			95 * time.Second,
		},
		{"a slow answer proves that it is behind", "Wed, 11 Mar 2026 01:59:00 GMT", 11 * time.Second, -49 * time.Second, -49 * time.Second},
		{"a clock an hour and more off is not believed", "Wed, 11 Mar 2026 03:10:00 GMT", 0, 0, 0},
		{"nor one that is so far behind", "Wed, 11 Mar 2026 00:50:00 GMT", 0, 0, 0},
		{"no date is not measured", "mañana", 0, 0, 0},
	}
	for _, tt := range tests {
		t.Run(tt.fact, func(t *testing.T) {
			t.Parallel()
			clock := newFakeClock(nearly8)
			s := serve(t, func(conn net.Conn, _ *http.Request) {
				clock.add(tt.trip)
				_, _ = io.WriteString(conn, "HTTP/1.1 200 OK\r\nDate: "+tt.date+"\r\n\r\n"+ackOK)
			})
			client := newClient(t, s.url, withClock(clock))
			got := client.Cancel(t.Context(), anOrder())
			wantReply(t, got, models.MeaningAccepted, models.DetailAccepted)
			if d := client.ClockDifference(); d != tt.want {
				t.Errorf("ClockDifference() = %s, want %s", d, tt.want)
			}
			if d := client.ClockCertainly(); d != tt.certain {
				t.Errorf("ClockCertainly() = %s, want %s", d, tt.certain)
			}
			if got.Duration != tt.trip {
				t.Errorf("duration = %s, want %s", got.Duration, tt.trip)
			}
		})
	}
}

// TestNoSecretsAnywhere uses a service that repeats everything it received: in code,
// message, and a status line that is quoted in errors.
func TestNoSecretsAnywhere(t *testing.T) {
	t.Parallel()
	const token = "short.token"
	order := anOrder()
	answers := []string{
		whole(401, `{"error":"invalid_token","error_description":"bad `+token+` of `+order.Key.Reveal()+`"}`),
		whole(200, `{"code":"`+token+`","message":"Bearer `+token+`"}`),
		whole(200, `{"code":"`+order.Key.Reveal()+`"}`),
		token + " " + order.Key.Reveal() + "\r\n\r\n",
		"HTTP/1.1 200 OK\r\nTransfer-Encoding: " + token + "\r\n\r\n",
	}
	log := new(logged)
	for _, raw := range answers {
		s := serve(t, says(raw))
		client := newClient(t, s.url, func(cfg *Config) {
			cfg.Tokens, cfg.Logger = StaticToken(token), log.logger()
		})
		got := client.Cancel(t.Context(), order)
		wantNoSecret(t, fmt.Sprintf("%+v %#v", got, got), token, order.Key.Reveal())
		wantNoSecret(t, fmt.Sprintf("%+v %#v", client, client), token)
	}
	if n := strings.Count(log.String(), "operation=cancel"); n != len(answers) {
		t.Errorf("%d lines logged, want one for each of %d orders", n, len(answers))
	}
	wantNoSecret(t, log.String(), token, order.Key.Reveal(), "Mensaje enviado")
}
