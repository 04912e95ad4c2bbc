package sandbox

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"sync"
	"time"
)

// defaultTokenLifetime is the documented expires_in.
const defaultTokenLifetime = 43199 * time.Second

// tokenStore keeps the access tokens that are good now.
type tokenStore struct {
	static string
	now    func() time.Time

	mu       sync.Mutex
	lifetime time.Duration
	expires  map[string]time.Time
}

func newTokenStore(static string, now func() time.Time) *tokenStore {
	return &tokenStore{static: static, now: now, lifetime: defaultTokenLifetime, expires: map[string]time.Time{}}
}

// issue makes a token and tells how long it is good. Expired ones are
// forgotten on the way, so that a long run does not grow.
func (t *tokenStore) issue(bornExpired bool) (string, time.Duration) {
	t.mu.Lock()
	defer t.mu.Unlock()
	now := t.now()
	for token, until := range t.expires {
		if !now.Before(until) {
			delete(t.expires, token)
		}
	}
	token := rand.Text() + rand.Text()
	if !bornExpired {
		t.expires[token] = now.Add(t.lifetime)
	}
	return token, t.lifetime
}

// good reports whether token opens the service now.
func (t *tokenStore) good(token string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if token == "" {
		return false
	}
	until, issued := t.expires[token]
	return token == t.static || issued && t.now().Before(until)
}

// revoke forgets one issued token; the static one stays good.
func (t *tokenStore) revoke(token string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.expires, token)
}

// revokeAll forgets every issued token and tells how many there were.
func (t *tokenStore) revokeAll() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	n := len(t.expires)
	clear(t.expires)
	return n
}

func (t *tokenStore) setLifetime(d time.Duration) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.lifetime = d
}

func (t *tokenStore) count() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.expires)
}

// fingerprint names a token in the ledger without telling it.
func fingerprint(token string) string {
	if token == "" {
		return ""
	}
	sum := sha256.Sum256([]byte(token))
	return hex.EncodeToString(sum[:6])
}
