package models

import (
	"sync"
	"time"
)

// board keeps something that every page asks for, for a moment. One reader
// renews it; the others take what there is, so that a database that hangs does
// not hang every page.
type board[T any] struct {
	mu       sync.Mutex
	known    T
	read     time.Time // real time: it ages whatever the clock is set to
	renewing bool
	changes  int // how often it was forgotten: what was read before is not kept
}

// get returns what is known, renewed when it is older than age.
func (b *board[T]) get(age time.Duration, renew func(known T) T) T {
	b.mu.Lock()
	known, changes := b.known, b.changes
	if b.renewing || time.Since(b.read) < age {
		b.mu.Unlock()
		return known
	}
	b.renewing = true
	b.mu.Unlock()

	fresh := renew(known)
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.changes == changes {
		b.known, b.read, b.renewing = fresh, time.Now(), false
	}
	return fresh
}

// forget has the next reader look again.
func (b *board[T]) forget() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.read, b.renewing = time.Time{}, false
	b.changes++
}
