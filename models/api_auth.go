package models

import (
	"context"
	"crypto/sha256"
	"sync"
	"time"
)

// The refusals of a request to the API that shows no valid key.
var (
	ErrKeyMissing   = &Error{Kind: KindForbidden, Code: "key.missing"}
	ErrKeyMalformed = &Error{Kind: KindForbidden, Code: "key.malformed"} // mistyped, or not copied whole
	ErrKeyUnknown   = &Error{Kind: KindForbidden, Code: "key.unknown"}
	ErrKeyExpired   = &Error{Kind: KindForbidden, Code: "key.expired"}
	ErrKeyRevoked   = &Error{Kind: KindForbidden, Code: "key.revokedUsed"}
)

// Authenticate returns the program that shows the secret, as it may act now, and
// how many operations a minute it may do. from says where the request comes from.
//
// The secret is looked up by its hash: how long that takes says nothing of it.
//
// Errors: ErrKeyMalformed, ErrKeyUnknown, ErrKeyExpired, ErrKeyRevoked.
func (db *DB) Authenticate(ctx context.Context, now time.Time, from Actor, secret string) (actor Actor, perMinute int, err error) {
	if !wellFormed(secret) {
		return from, 0, ErrKeyMalformed
	}
	hash := sha256.Sum256([]byte(secret))
	shown, err := db.keyReads.read(hash, func() (*shownKey, error) { return db.readShown(ctx, now, hash) })
	if err != nil {
		return from, 0, err
	}
	actor = shown.key.actor()
	actor.Address, actor.UserAgent, actor.RequestID = from.Address, from.UserAgent, from.RequestID
	switch {
	case shown.key.RevokedAt != nil:
		return actor, 0, ErrKeyRevoked
	case !now.Before(shown.expiresAt):
		return actor, 0, ErrKeyExpired
	}
	return actor, shown.key.PerMinute, nil
}

// shownKey is a key as one of its secrets finds it.
type shownKey struct {
	key       APIKey
	expiresAt time.Time
}

// usedEvery is how often the use of a secret is written down at most.
const usedEvery = time.Minute

func (db *DB) readShown(ctx context.Context, now time.Time, hash secretHash) (*shownKey, error) {
	// Others wait for the same answer, so nobody's leaving breaks it off.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
	defer cancel()
	var s shownKey
	var used *time.Time
	err := db.pool.QueryRow(ctx, `SELECT k.id, k.name, k.scopes, k.all_stores, k.per_minute, k.revoked_at, s.expires_at, s.last_used_at,
			array(SELECT store_id FROM api_key_stores WHERE key_id = k.id ORDER BY store_id)
		FROM api_secrets s JOIN api_keys k ON k.id = s.key_id WHERE s.hash = $1`, tokenHash(hash)).
		Scan(&s.key.ID, &s.key.Name, &s.key.Scopes, &s.key.AllStores, &s.key.PerMinute, &s.key.RevokedAt, &s.expiresAt, &used, &s.key.StoreIDs)
	if err != nil {
		if noRows(err) == ErrNotFound {
			return nil, ErrKeyUnknown
		}
		return nil, err
	}
	if valid := s.key.RevokedAt == nil && now.Before(s.expiresAt); valid && (used == nil || used.Before(now.Add(-usedEvery))) {
		_, err = db.pool.Exec(ctx, `UPDATE api_secrets SET last_used_at = $2 WHERE hash = $1 AND (last_used_at IS NULL OR last_used_at < $3)`,
			tokenHash(hash), now, now.Add(-usedEvery))
	}
	return &s, err
}

// keyReads lets the requests that come together with one secret share a read of
// it, so that two thousand posts a second do not ask two thousand times. A read
// that began before a request came is never its answer: a key that is revoked
// opens nothing more from that instant.
type keyReads struct {
	mu      sync.Mutex
	running map[secretHash]*keyRead
	next    map[secretHash]*keyRead // begins once the one under way is over
}

type keyRead struct {
	done  chan struct{}
	shown *shownKey
	err   error
}

func (r *keyReads) read(hash secretHash, f func() (*shownKey, error)) (*shownKey, error) {
	r.mu.Lock()
	if next := r.next[hash]; next != nil {
		r.mu.Unlock()
		<-next.done
		return next.shown, next.err
	}
	if r.running == nil {
		r.running, r.next = map[secretHash]*keyRead{}, map[secretHash]*keyRead{}
	}
	mine := &keyRead{done: make(chan struct{})}
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
