package intake

import (
	"context"
	"fmt"
	"sync"
	"time"

	"veinte/models/goroutine"
)

const (
	// groupedSales is the largest call that shares a transaction with others.
	groupedSales = 20
	// groupSize is the largest number of sales in one shared transaction.
	groupSize = 500
	// groupsAtOnce lets one group be collected and validated while another waits for
	// the disk.
	groupsAtOnce = 2
	// groupTime is how long a shared transaction may take.
	groupTime = 20 * time.Second
)

// Groups lets small calls of one process that arrive at the same moment share a
// transaction, so that the disk is synced once and not for each. A single call does
// not wait for others.
type Groups struct {
	mu      sync.Mutex
	waiting []*waitingCall
	busy    int
}

type waitingCall struct {
	*Call
	done chan error
}

// do stores the call's sales in its own transaction or a shared one. A caller that
// stops waiting does not learn the outcome; if it reports the sales again, they are
// known.
func (g *Groups) do(ctx context.Context, c *Call, store func(context.Context, ...*Call) error) error {
	w := &waitingCall{c, make(chan error, 1)}
	g.mu.Lock()
	g.waiting = append(g.waiting, w)
	if g.busy < groupsAtOnce {
		g.busy++
		shared := context.WithoutCancel(ctx)
		goroutine.Go(nil, "storing sales", func() { g.work(shared, store) })
	}
	g.mu.Unlock()
	select {
	case err := <-w.done:
		return err
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// work stores groups until no call waits.
func (g *Groups) work(ctx context.Context, store func(context.Context, ...*Call) error) {
	for {
		group := g.next()
		if len(group) == 0 {
			return
		}
		storeGroup(ctx, group, store)
	}
}

// next takes the next group; an empty one ends the worker.
func (g *Groups) next() []*waitingCall {
	g.mu.Lock()
	defer g.mu.Unlock()
	n, sales := 0, 0
	for n < len(g.waiting) && (n == 0 || sales+len(g.waiting[n].sales) <= groupSize) {
		sales += len(g.waiting[n].sales)
		n++
	}
	group := g.waiting[:n:n]
	g.waiting = g.waiting[n:]
	if n == 0 {
		g.waiting = nil
		g.busy--
	}
	return group
}

// storeGroup stores the calls together. If that fails it stores each alone, so that
// no call fails because of another.
func storeGroup(ctx context.Context, group []*waitingCall, store func(context.Context, ...*Call) error) {
	calls := make([]*Call, len(group))
	for i, w := range group {
		calls[i] = w.Call
	}
	err := storeWithin(ctx, calls, store)
	if err == nil || len(group) == 1 {
		for _, w := range group {
			w.done <- err
		}
		return
	}
	for _, w := range group {
		w.done <- storeWithin(ctx, []*Call{w.Call}, store)
	}
}

func storeWithin(ctx context.Context, calls []*Call, store func(context.Context, ...*Call) error) (err error) {
	ctx, cancel := context.WithTimeout(ctx, groupTime)
	defer cancel()
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic while storing sales: %v", p)
		}
	}()
	return store(ctx, calls...)
}
