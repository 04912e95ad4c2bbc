package database

import (
	"fmt"
	"runtime/debug"
	"sync"
	"time"

	"veinte/models/goroutine"
)

// Cache caches a value that every page reads, for a moment. One caller renews it;
// the others get the present value, so that a database that hangs does not hang
// every page.
type Cache[T any] struct {
	mu       sync.Mutex
	Value    T
	readAt   time.Time // real time: it ages whatever the clock is set to
	renewing bool
	err      error // of the last renewal in the background
	changes  int   // how often it was forgotten: a value that was read before is not stored
}

// Get returns the cached value, renewed when it is older than age. While one caller
// renews it, others get the old value, but never one that was forgotten: a user who
// has just changed something sees the change.
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

// Forget makes the next caller read the value again.
func (b *Cache[T]) Forget() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.readAt, b.renewing = time.Time{}, false
	b.changes++
}

// GetOrErr returns the cached value without waiting, and renews it in the background
// when it is older than age or was forgotten. An error of the last renewal is
// returned once, with the value from before it.
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

// recovering turns a panic into an error: nothing above a renewal in the background
// would catch it, and it must not end the program.
func recovering[T any](renew func() (T, error)) (fresh T, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("renew: %v\n%s", p, debug.Stack())
		}
	}()
	return renew()
}
