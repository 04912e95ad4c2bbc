package database

import (
	"context"
	"sync"
)

// KeyedMutex serializes the callers of this process that act on the same sale. The
// database's row lock decides between processes; without the mutex, every request
// for one sale would wait for that lock on a connection of its own, and leave no
// connections for the other requests.
type KeyedMutex struct {
	mu   sync.Mutex
	keys map[int64]*keyedLock // by sale; only those with a holder or waiters
}

// keyedLock is the lock of one sale, with its number of users.
type keyedLock struct {
	token   chan struct{} // has a token while somebody has the lock
	waiting int
}

// Lock waits for the lock and returns the function that releases it. An error is
// ctx's.
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
