package apikeys

import (
	"context"
	"crypto/sha256"
	"errors"
	"sync"
	"time"

	"veinte/models"
	"veinte/models/accounts"
	"veinte/models/database"
)

// The errors of an API request without a valid key.
var (
	ErrKeyMissing   = &models.Error{Kind: models.KindForbidden, Code: "key.missing"}
	ErrKeyMalformed = &models.Error{Kind: models.KindForbidden, Code: "key.malformed"} // mistyped, or not copied completely
	ErrKeyUnknown   = &models.Error{Kind: models.KindForbidden, Code: "key.unknown"}
	ErrKeyExpired   = &models.Error{Kind: models.KindForbidden, Code: "key.expired"}
	ErrKeyRevoked   = &models.Error{Kind: models.KindForbidden, Code: "key.revokedUsed"}
)

// Authenticate returns the program that a secret belongs to, with its current
// permissions, and how many operations a minute it may perform. from states where
// the request comes from.
//
// The secret is looked up by its hash, so the time that takes reveals nothing about
// it.
//
// Errors: ErrKeyMalformed, ErrKeyUnknown, ErrKeyExpired, ErrKeyRevoked.
func (s *Service) Authenticate(ctx context.Context, from models.Actor, secret string) (actor models.Actor, perMinute int, err error) {
	now := s.clock.Now()
	if !wellFormed(secret) {
		return from, 0, ErrKeyMalformed
	}
	hash := sha256.Sum256([]byte(secret))
	shown, err := s.keyReads.read(hash, func() (*shownKey, error) { return s.readShown(ctx, now, hash) })
	if err != nil {
		return from, 0, err
	}
	actor = shown.actor()
	actor.Address, actor.UserAgent, actor.RequestID = from.Address, from.UserAgent, from.RequestID
	switch {
	case shown.RevokedAt != nil:
		return actor, 0, ErrKeyRevoked
	case !now.Before(shown.ExpiresAt):
		return actor, 0, ErrKeyExpired
	}
	return actor, shown.PerMinute, nil
}

// shownKey is a key as found by one of its secrets.
type shownKey struct {
	ID         int64
	Name       string
	Scopes     []Scope
	AllStores  bool
	StoreIDs   []int64
	PerMinute  int
	Withheld   bool
	RevokedAt  *time.Time
	ExpiresAt  time.Time  // of the secret
	LastUsedAt *time.Time // the secret
}

// usedEvery is the minimum time between two updates of when a secret was last used.
const usedEvery = time.Minute

func (s *Service) readShown(ctx context.Context, now time.Time, hash secretHash) (*shownKey, error) {
	// Other requests wait for the same result, so this request's end must not
	// cancel the read.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
	defer cancel()
	shown, err := database.Row[shownKey](ctx, s.db.Pool(), `SELECT k.id, k.name, k.scopes, k.all_stores, k.per_minute, k.withheld,
			k.revoked_at,
			array(SELECT store_id FROM api_key_stores WHERE key_id = k.id ORDER BY store_id) AS store_ids,
			s.expires_at, s.last_used_at
		FROM api_secrets s JOIN api_keys k ON k.id = s.key_id WHERE s.hash = $1`, accounts.TokenHash(hash))
	if errors.Is(err, models.ErrNotFound) {
		return nil, ErrKeyUnknown
	}
	if err != nil {
		return nil, err
	}
	valid, used := shown.RevokedAt == nil && now.Before(shown.ExpiresAt), shown.LastUsedAt
	if valid && (used == nil || used.Before(now.Add(-usedEvery))) {
		_, err = s.db.Pool().Exec(ctx, `UPDATE api_secrets SET last_used_at = $2
			WHERE hash = $1 AND (last_used_at IS NULL OR last_used_at < $3)`,
			accounts.TokenHash(hash), now, now.Add(-usedEvery))
	}
	return &shown, err
}

// ReadCache lets concurrent requests with one secret share a read of the key, so
// that two thousand requests a second do not cause two thousand queries. A request
// never gets the result of a read that began before the request arrived: a revoked
// key is refused from that instant.
type ReadCache struct {
	mu      sync.Mutex
	running map[secretHash]*cachedKey
	next    map[secretHash]*cachedKey // starts when the running one has ended
}

type cachedKey struct {
	done  chan struct{}
	shown *shownKey
	err   error
}

func (r *ReadCache) read(hash secretHash, f func() (*shownKey, error)) (*shownKey, error) {
	r.mu.Lock()
	if next := r.next[hash]; next != nil {
		r.mu.Unlock()
		<-next.done
		return next.shown, next.err
	}
	if r.running == nil {
		r.running, r.next = map[secretHash]*cachedKey{}, map[secretHash]*cachedKey{}
	}
	mine := &cachedKey{done: make(chan struct{})}
	if before := r.running[hash]; before != nil {
		r.next[hash] = mine
		r.mu.Unlock()
		<-before.done
		r.mu.Lock()
		delete(r.next, hash)
	}
	r.running[hash] = mine
	r.mu.Unlock()
	defer func() {
		r.mu.Lock()
		delete(r.running, hash)
		r.mu.Unlock()
		close(mine.done)
	}()
	mine.shown, mine.err = f()
	return mine.shown, mine.err
}
