package main

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// The key to the service vanishes from under a running server: nothing leaves,
// people read why, the probe is red, and all is well once it is back.
func TestTheKeyThatVanishes(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	key := filepath.Join(t.TempDir(), "token")
	must(t, os.WriteFile(key, []byte("token\n"), 0o600))
	p := s.serve("ACCESS_TOKEN=", "ACCESS_TOKEN_FILE="+key)
	ana := s.signIn(p, "ana@shop.example")
	must(t, os.Rename(key, key+".away"))
	eventually(t, 10*time.Second, "the probe is red", func() bool {
		code, text := ana.get("/readyz")
		return code == http.StatusServiceUnavailable && strings.Contains(text, "outage.credential")
	})
	eventually(t, 10*time.Second, "the page says why", func() bool {
		code, text := ana.get("/sales")
		return code == http.StatusOK && strings.Contains(text, `data-kind="outage"`) && strings.Contains(text, "credencial")
	})
	order, id := s.sell(0, "")
	ana.cancel(id, true)
	s.becomes(id, 30*time.Second, "cancelable") // taken back after three proofs that nothing left
	if got := len(ledgerRequests(t, s.box.url, "cancel", order)); got != 0 {
		t.Errorf("%d deliveries without a key, want none", got)
	}

	must(t, os.Rename(key+".away", key))
	eventually(t, 10*time.Second, "the probe is green", func() bool {
		code, _ := ana.get("/readyz")
		return code == http.StatusOK
	})
	second, id := s.sell(1, "")
	ana.cancel(id, true)
	s.becomes(id, 30*time.Second, "confirmed")
	if got := len(ledgerRequests(t, s.box.url, "cancel", second)); got != 1 {
		t.Errorf("%d deliveries with the key back, want 1", got)
	}
}
