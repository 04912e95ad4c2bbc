package models

import (
	"context"
	"sync"
)

// turns lets one caller of this process at a time do something about a sale. The
// database's row lock decides between processes; without turns, everybody who
// presses the button of one sale would wait for that lock on a connection of
// their own, and leave none to the rest of the shop.
type turns struct {
	mu    sync.Mutex
	lines map[int64]*line // by sale; only those that somebody stands in
}

// line is who waits for a turn, and who has it.
type line struct {
	turn chan struct{} // holds one while somebody has it
	size int
}

// take waits for the turn and returns what gives it back. An error is ctx's.
func (t *turns) take(ctx context.Context, saleID int64) (giveBack func(), err error) {
	l := t.join(saleID)
	select {
	case l.turn <- struct{}{}:
	case <-ctx.Done():
		t.leave(saleID, l)
		return nil, context.Cause(ctx)
	}
	return func() {
		<-l.turn
		t.leave(saleID, l)
	}, nil
}

func (t *turns) join(saleID int64) *line {
	t.mu.Lock()
	defer t.mu.Unlock()
	l := t.lines[saleID]
	if l == nil {
		if t.lines == nil {
			t.lines = map[int64]*line{}
		}
		l = &line{turn: make(chan struct{}, 1)}
		t.lines[saleID] = l
	}
	l.size++
	return l
}

func (t *turns) leave(saleID int64, l *line) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if l.size--; l.size == 0 {
		delete(t.lines, saleID)
	}
}
