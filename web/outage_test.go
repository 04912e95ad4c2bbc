package web

import (
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// The key to the service is deleted under a running server: nothing leaves, users
// see the reason, the probe fails, and everything works again once the key is back.
func TestTheKeyThatVanishes(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	key := filepath.Join(t.TempDir(), "token")
	must(t, os.WriteFile(key, []byte("token\n"), 0o600))
	p := s.serve("ACCESS_TOKEN=", "ACCESS_TOKEN_FILE="+key)
	ana := s.signIn(p, "ana@shop.example")
	must(t, os.Rename(key, key+".away"))
	eventually(t, 10*time.Second, "the probe is red", func() bool {
		code, text := ana.get("/healthz")
		return code == http.StatusServiceUnavailable && strings.Contains(text, "outage.credential")
	})
	eventually(t, 10*time.Second, "the page says why", func() bool {
		code, text := ana.get("/sales")
		return code == http.StatusOK && strings.Contains(text, `data-kind="outage"`) && strings.Contains(text, "credencial")
	})
	order, id := s.sell(0, "")
	ana.cancel(id, true)
	if got := len(ledgerRequests(t, s.box.url, "cancel", order)); got != 0 {
		t.Errorf("%d deliveries without a key, want none", got)
	}

	must(t, os.Rename(key+".away", key))
	eventually(t, 10*time.Second, "the probe is green", func() bool {
		code, _ := ana.get("/healthz")
		return code == http.StatusOK
	})
	s.becomes(id, 30*time.Second, "confirmed") // it has waited for the key
	if got := len(ledgerRequests(t, s.box.url, "cancel", order)); got != 1 {
		t.Errorf("%d deliveries with the key back, want 1", got)
	}
}

// The service's clock runs ahead: users are shown what that means for the last
// request of the day, and the metrics show by how much.
func TestTheServicesClockIsTold(t *testing.T) {
	t.Parallel()
	s := newShop(t, "--clock-offset", "40s")
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	admin := ln.Addr().String()
	must(t, ln.Close())
	p := s.serve("ADMIN_ADDR=" + admin)
	ana := s.signIn(p, "ana@shop.example")
	if _, page := ana.get("/sales"); strings.Contains(page, `data-kind="clock"`) {
		t.Error("the clock is reported before it was ever measured")
	}
	_, id := s.sell(0, "")
	ana.cancel(id, true)
	s.becomes(id, 30*time.Second, "confirmed")
	eventually(t, 10*time.Second, "the page tells of the clock", func() bool {
		_, page := ana.get("/sales")
		return strings.Contains(page, `data-kind="clock"`) && strings.Contains(page, " s adelante") &&
			strings.Contains(page, "antes de las 19:59:1")
	})
	var text string
	eventually(t, 20*time.Second, "this process measures the whole", func() bool {
		text = metricsOf(t, admin)
		return strings.Contains(text, "\nveinte_cases{")
	})
	for _, want := range []string{
		"veinte_service_clock_ahead_seconds 4", "veinte_ready 1", "veinte_paused 0",
		`veinte_cases{state="unknown"} 0`,
	} {
		if !strings.Contains(text, "\n"+want) &&
			!strings.Contains(text, "\n"+strings.Replace(want, "seconds 4", "seconds 3", 1)) {
			t.Errorf("the metrics lack %q:\n%s", want, text)
		}
	}
}

// The token is fetched before the first order needs it, and with it the difference
// of the clocks: a process's first order may come in the day's last minute.
func TestTheTokenIsFetchedAtTheStart(t *testing.T) {
	t.Parallel()
	s := newShop(t, "--clock-offset", "40s")
	p := s.serve("TOKEN_MODE=password", "ACCESS_TOKEN=", "TOKEN_USERNAME=user", "TOKEN_PASSWORD=secret",
		"TOKEN_CLIENT_ID=app", "TOKEN_CLIENT_SECRET=secret")
	ana := s.signIn(p, "ana@shop.example")
	eventually(t, 20*time.Second, "the clock is reported before anything was canceled", func() bool {
		_, page := ana.get("/sales")
		return strings.Contains(page, `data-kind="clock"`)
	})
	if got := len(ledgerRequests(t, s.box.url, "cancel", "")); got != 0 {
		t.Errorf("%d cancellations were sent, want none", got)
	}
}
