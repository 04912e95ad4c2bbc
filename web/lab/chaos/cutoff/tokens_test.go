package cutoff

import (
	"context"
	"crypto/tls"
	"fmt"
	"sync"
	"time"

	"veinte/web/cancelapi"
)

// tokenSource is the product's own, which asks the service, or one that fetches
// as it is told.
func (w *world) tokenSource(base string, trust *tls.Config, fetch func(fresh bool) (time.Duration, error)) cancelapi.TokenSource {
	if fetch != nil {
		return &tokens{fetch: fetch, pass: w.pass}
	}
	return cancelapi.PasswordToken(cancelapi.TokenConfig{
		URL: base + "/oauth-service" + tokenPath, Username: "tienda", Password: "clave", ClientID: "veinte", ClientSecret: "secreto",
		Clock: w.stage, TLS: trust,
	})
}

// tokens is a token source of our own that may be slow, or have none. It tells
// nothing of the service's clock, as a token in a file does not.
type tokens struct {
	fetch func(fresh bool) (time.Duration, error)
	pass  func(time.Duration)

	mu     sync.Mutex
	number int
	stale  bool
}

// Token implements cancelapi.TokenSource.
func (t *tokens) Token(context.Context) (string, error) {
	t.mu.Lock()
	if t.stale {
		t.number++
	}
	fresh := t.stale
	t.stale = false
	token := fmt.Sprintf("token-of-the-experiment-%d", t.number)
	t.mu.Unlock()
	took, err := t.fetch(fresh)
	t.pass(took)
	return token, err
}

// Invalidate implements cancelapi.TokenSource.
func (t *tokens) Invalidate(string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.stale = true
}
