package api_test

import (
	"testing"
	"time"
)

// TestAFullAddressIsNotLookedUp: once an address has used up its faults, only
// keys that have opened before are looked for in the database.
func TestAFullAddressIsNotLookedUp(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	used, fresh, revoked := d.any(), d.any(), d.any()
	used.get("/api/v1/sales").want(200)
	revoked.get("/api/v1/sales").want(200)
	d.must(d.APIKeys.RevokeKey(t.Context(), d.Admin, revoked.id, 1))
	stranger := d.with(0, "vk_live_guess")
	for range 30 {
		stranger.get("/api/v1/sales").problem(401, "unauthenticated")
	}
	used.get("/api/v1/sales").want(200)
	revoked.get("/api/v1/sales").problem(429, "rate-limited") // looked up once more, and then known no longer
	d.exec(`ALTER TABLE api_secrets RENAME TO away`)
	for fact, p := range map[string]*program{"made up": d.with(0, newDesk(t).any().secret), "never used": fresh, "revoked": revoked} {
		a := p.get("/api/v1/sales")
		if a.problem(429, "rate-limited"); a.header.Get("Retry-After") == "" {
			t.Errorf("%s: no Retry-After: %v", fact, a.header)
		}
	}
	d.exec(`ALTER TABLE away RENAME TO api_secrets`)
	used.get("/api/v1/sales").want(200)
	d.Clock.Advance(2 * time.Second) // one fault more
	fresh.get("/api/v1/sales").want(200)
}
