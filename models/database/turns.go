package database

import (
	"context"
	"sync"
)

// KeyedMutex lets one caller of this process at a time do something about a sale. The
// database's row lock decides between processes; without turns, everybody who
// presses the button of one sale would wait for that lock on a connection of
// their own, and leave none to the rest of the shop.
type KeyedMutex struct {
	mu   sync.Mutex
	keys map[int64]*keyedLock // by sale; only those that somebody stands in
}

// keyedLock is who waits for a turn, and who has it.
type keyedLock struct {
	token   chan struct{} // holds one while somebody has it
	waiting int
}

// Lock waits for the turn and returns what gives it back. An error is ctx's.
func (t *KeyedMutex) Lock(ctx context.Context, saleID int64) (giveBack func(), err error) {
	l := t.join(saleID)
	select {
	case l.token <- struct{}{}:
	case <-ctx.Done():
		t.leave(saleID, l)
		return nil, context.Cause(ctx)
	}
	return func() {
		<-l.token
		t.leave(saleID, l)
	}, nil
}

func (t *KeyedMutex) join(saleID int64) *keyedLock {
	t.mu.Lock()
	defer t.mu.Unlock()
	l := t.keys[saleID]
	if l == nil {
		if t.keys == nil {
			t.keys = map[int64]*keyedLock{}
		}
		l = &keyedLock{token: make(chan struct{}, 1)}
		t.keys[saleID] = l
	}
	l.waiting++
	return l
}

func (t *KeyedMutex) leave(saleID int64, l *keyedLock) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if l.waiting--; l.waiting == 0 {
		delete(t.keys, saleID)
	}
}
