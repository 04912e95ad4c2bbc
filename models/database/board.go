package database

import (
	"fmt"
	"runtime/debug"
	"sync"
	"time"

	"veinte/models/goroutine"
)

// Cache keeps something that every page asks for, for a moment. One reader
// renews it; the others take what there is, so that a database that hangs does
// not hang every page.
type Cache[T any] struct {
	mu       sync.Mutex
	Value    T
	readAt   time.Time // real time: it ages whatever the clock is set to
	renewing bool
	err      error // of the last renewal in the background
	changes  int   // how often it was forgotten: what was read before is not kept
}

// Get returns what is known, renewed when it is older than age. While somebody
// renews it, others are told what is known, but never what was forgotten: whoever
// has just changed something sees it changed.
func (b *Cache[T]) Get(age time.Duration, renew func(known T) T) T {
	b.mu.Lock()
	known, changes := b.Value, b.changes
	if b.renewing && !b.readAt.IsZero() || time.Since(b.readAt) < age {
		b.mu.Unlock()
		return known
	}
	b.renewing = true
	b.mu.Unlock()

	fresh := renew(known)
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.changes == changes {
		b.Value, b.readAt, b.renewing = fresh, time.Now(), false
	}
	return fresh
}

// Forget has the next reader look again.
func (b *Cache[T]) Forget() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.readAt, b.renewing = time.Time{}, false
	b.changes++
}

// GetOrErr returns what is known without waiting, and renews it in the background when
// it is older than age or was forgotten. An error of the last renewal is told
// once, with what was known before it.
func (b *Cache[T]) GetOrErr(age time.Duration, renew func() (T, error)) (T, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	failed := b.err
	b.err = nil
	if b.renewing || time.Since(b.readAt) < age {
		return b.Value, failed
	}
	b.renewing = true
	changes := b.changes
	goroutine.Go(nil, "renewing what is kept in memory", func() {
		fresh, err := recovering(renew)
		b.mu.Lock()
		defer b.mu.Unlock()
		if err == nil {
			b.Value = fresh // after a change too: it is newer than what was known
		}
		if b.changes == changes {
			b.err, b.readAt, b.renewing = err, time.Now(), false
		}
	})
	return b.Value, failed
}

// recovering turns a panic into an error: nobody above a renewal in the background
// would catch it, and it must not end the program.
func recovering[T any](renew func() (T, error)) (fresh T, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("renew: %v\n%s", p, debug.Stack())
		}
	}()
	return renew()
}
