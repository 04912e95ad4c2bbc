package oversight

import (
	"testing"
	"time"

	"veinte/models/database"
)

// A store whose first cancellation comes between counting and reading has no
// threshold: it is skipped without an error.
func TestCardsOfAStoreThatJustBegan(t *testing.T) {
	t.Parallel()
	l := &query{Filter: Filter{Days: 7}}
	at := time.Date(2026, 11, 20, 18, 0, 0, 0, time.UTC)
	uses := []cardUse{{ID: 1, StoreID: 1, RequestedAt: at}, {ID: 2, StoreID: 1, RequestedAt: at}, {ID: 3, StoreID: 2, RequestedAt: at}}
	if got := l.closeUses(uses, 9, map[int64]int{1: 2}); len(got) != 2 || !got[1] || !got[2] {
		t.Errorf("close cases = %v, want the two of the store that was counted", got)
	}
}

// A panic in the background becomes an error, and the next request tries again.
func TestBoardSurvivesAPanic(t *testing.T) {
	t.Parallel()
	var b database.Cache[int]
	wait := func(renew func() (int, error), done func(known int, err error) bool) {
		t.Helper()
		for end := time.Now().Add(10 * time.Second); ; {
			if known, err := b.GetOrErr(0, renew); done(known, err) {
				return
			}
			if time.Now().After(end) {
				t.Fatal("the board did not renew itself in 10 s")
			}
		}
	}
	wait(func() (int, error) { panic("out of range") }, func(_ int, err error) bool { return err != nil })
	wait(func() (int, error) { return 7, nil }, func(known int, _ error) bool { return known == 7 })
}
