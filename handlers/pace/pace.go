// Package pace limits how often a program, a terminal or a network may ask. Each has a
// bucket of tokens in the memory of this process.
package pace

import (
	"math"
	"sync"
	"time"
)

// Limiter has a bucket of tokens for each key or address. It limits one process:
// with n processes a key may make n times as many requests, as the document states.
type Limiter[K comparable] struct {
	mu      sync.Mutex
	buckets map[K]*bucket
}

// bucket fills evenly; it holds as much as one minute gives.
type bucket struct {
	tokens float64
	at     time.Time
	held   time.Time // the minute in which it was last said that there are too few
}

// maxBuckets is how many are stored; those that are full again say nothing and go
// first.
const maxBuckets = 20_000

// New returns a limiter whose buckets are full.
func New[K comparable]() *Limiter[K] { return &Limiter[K]{buckets: map[K]*bucket{}} }

// Take takes n tokens from a bucket that refills perMinute; n is not above perMinute.
// left is what remains. If there are too few, none is taken and wait is the time until
// there are enough.
func (l *Limiter[K]) Take(who K, n, perMinute int, now time.Time) (left int, wait time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	b := l.bucket(who, perMinute, now)
	need := float64(n)
	if b.tokens < need {
		return int(max(b.tokens, 0)), time.Duration((need - b.tokens) / float64(perMinute) * float64(time.Minute))
	}
	b.tokens -= need
	return int(max(b.tokens, 0)), 0
}

// Until returns the time until the bucket holds n tokens, which it can only if n is
// not above perMinute.
func (l *Limiter[K]) Until(who K, n, perMinute int, now time.Time) time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	missing := float64(n) - l.bucket(who, perMinute, now).tokens
	return time.Duration(math.Ceil(max(missing, 0) / float64(perMinute) * float64(time.Minute)))
}

// Wait returns the time until the bucket has a token; 0 when it has one.
func (l *Limiter[K]) Wait(who K, perMinute int, now time.Time) time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	if b := l.buckets[who]; b == nil || l.bucket(who, perMinute, now).tokens >= 1 {
		return 0
	}
	return time.Duration((1 - l.buckets[who].tokens) / float64(perMinute) * float64(time.Minute))
}

// Begins reports whether this is the first time within this minute that there are
// too few tokens.
func (l *Limiter[K]) Begins(who K, now time.Time) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	b, minute := l.buckets[who], now.Truncate(time.Minute)
	if b == nil || b.held.Equal(minute) {
		return b == nil
	}
	b.held = minute
	return true
}

// bucket returns the bucket as full as it is now.
func (l *Limiter[K]) bucket(who K, perMinute int, now time.Time) *bucket {
	b := l.buckets[who]
	if b == nil {
		if len(l.buckets) >= maxBuckets {
			l.forgetFull(now)
		}
		b = &bucket{tokens: float64(perMinute), at: now}
		l.buckets[who] = b
	}
	if passed := now.Sub(b.at); passed > 0 {
		b.tokens = min(b.tokens+passed.Minutes()*float64(perMinute), float64(perMinute))
		b.at = now
	}
	return b
}

// forgetFull drops the buckets that were not used for a minute, or all if there are
// none: a flood of addresses must not fill the memory.
func (l *Limiter[K]) forgetFull(now time.Time) {
	for who, b := range l.buckets {
		if now.Sub(b.at) >= time.Minute {
			delete(l.buckets, who)
		}
	}
	if len(l.buckets) >= maxBuckets {
		clear(l.buckets)
	}
}
