package models

import (
	"context"
	"errors"
	"sync"
)

// Watch notices what the trail was told while somebody's request was answered,
// so that no refusal passes without an entry: see DB.ActRefused.
type Watch struct {
	mu      sync.Mutex
	told    bool // an entry of a refusal was written
	refusal string
}

type watchKey struct{}

// Watched returns a context whose transactions are noticed.
func Watched(ctx context.Context) (context.Context, *Watch) {
	w := &Watch{}
	return context.WithValue(ctx, watchKey{}, w), w
}

func watchOf(ctx context.Context) *Watch {
	w, _ := ctx.Value(watchKey{}).(*Watch)
	return w
}

// note is called after every transaction; nobody need be watching.
func (w *Watch) note(kept *keeping, err error) {
	if w == nil {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	var known *Error
	switch {
	case err == nil:
		w.told = w.told || kept.refused
	case errors.As(err, &known):
		w.refusal = known.Code
	}
}

// Told reports whether the trail has a refusal already.
func (w *Watch) Told() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.told
}

// Refusal is the code of the last refusal within a transaction; "" for none.
func (w *Watch) Refusal() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.refusal
}
