package database

import (
	"context"
	"errors"
	"sync"
	"testing"
)

func TestTurnsAreTakenOneByOne(t *testing.T) {
	t.Parallel()
	var line KeyedMutex
	var group sync.WaitGroup
	inside, most, done := 0, 0, 0 // of sale 1, guarded by the mutex under test
	for range 50 {
		group.Go(func() {
			giveBack, err := line.Lock(t.Context(), 1)
			if err != nil {
				t.Errorf("take = %v", err)
				return
			}
			inside++
			most = max(most, inside)
			done++
			inside--
			giveBack()
		})
	}
	group.Wait()
	if most != 1 || done != 50 {
		t.Errorf("%d at a time, %d in all; want 1, 50", most, done)
	}

	giveBack, _ := line.Lock(t.Context(), 1)
	other, err := line.Lock(t.Context(), 2) // another sale does not wait
	if err != nil {
		t.Fatalf("take of another sale = %v", err)
	}
	other()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := line.Lock(ctx, 1); !errors.Is(err, context.Canceled) {
		t.Errorf("take by somebody who has gone = %v, want %v", err, context.Canceled)
	}
	giveBack()
	if len(line.keys) != 0 {
		t.Errorf("%d lines are left, want none", len(line.keys))
	}
}
