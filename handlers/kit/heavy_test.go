package kit

import (
	"context"
	"testing"
	"testing/synctest"
)

// TestTurns: two of each person, few over all, and of files that are read fewer still.
func TestTurns(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name    string
		of      turn
		persons int // who each take one
		fit     int
	}{
		{"downloads of one person", aHeavy, 1, heavyOfPerson},
		{"uploads of one person", anUpload, 1, heavyOfPerson},
		{"downloads of all", aHeavy, 40, maxHeavy},
		{"uploads of all", anUpload, 40, maxUploads},
		{"files that are read", aRead, 40, maxReads},
	} {
		turns, fit := newTurns(), 0
		for n := range 40 {
			if end, _ := turns.try(int64(n%tt.persons), tt.of); end != nil {
				fit++
			}
		}
		if fit != tt.fit {
			t.Errorf("%s: %d of 40 at once, want %d", tt.name, fit, tt.fit)
		}
	}
	turns := newTurns()
	turns.try(1, aHeavy)
	turns.try(1, anUpload)
	if end, _ := turns.try(1, aHeavy); end != nil {
		t.Error("one has a download, an upload and another download at once")
	}
	if end, _ := turns.try(1, aRead); end == nil {
		t.Error("an upload that has arrived may not be read: its person would wait for themselves")
	}
}

// TestATurnIsWaitedFor: who waits comes when one has ended, and no longer than they should.
func TestATurnIsWaitedFor(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		turns := newTurns()
		first := turns.take(t.Context(), 1, aHeavy)
		turns.take(t.Context(), 1, aHeavy)
		came := make(chan func())
		go func() { came <- turns.take(t.Context(), 1, aHeavy) }()
		synctest.Wait() // it waits
		first()
		first() // once
		third := <-came
		if third == nil {
			t.Fatal("one of two has ended, and the third does not come")
		}
		if end := turns.take(t.Context(), 1, aHeavy); end != nil { // no time passes here but by waiting
			t.Error("one that ended twice made room for two")
		}
		gone, leave := context.WithCancel(t.Context())
		go func() { came <- turns.take(gone, 1, aHeavy) }()
		synctest.Wait()
		leave()
		if end := <-came; end != nil {
			t.Error("who has left has a turn")
		}
		third()
		if end := turns.take(t.Context(), 1, aHeavy); end == nil || len(turns.people) != 1 {
			t.Errorf("after all: no turn, of %d people", len(turns.people))
		}
	})
}
