package database

import (
	"testing"
	"time"
)

// TestABoardTellsNothingThatWasForgotten: a caller who has just changed something
// sees the change, even while another caller is still reading an older value;
// otherwise one caller renews and nobody waits.
func TestABoardTellsNothingThatWasForgotten(t *testing.T) {
	t.Parallel()
	var b Cache[string]
	tell := func(text string) func(string) string { return func(string) string { return text } }
	if got := b.Get(time.Hour, tell("before")); got != "before" {
		t.Fatalf("get() = %q, want what was read first", got)
	}
	b.Forget()

	reading, release, slow := make(chan bool), make(chan bool), make(chan string)
	go func() {
		slow <- b.Get(time.Hour, func(string) string {
			close(reading)
			<-release
			return "after"
		})
	}()
	<-reading
	if got := b.Get(time.Hour, tell("after")); got != "after" {
		t.Errorf("get() while another reads what was forgotten = %q, want it read anew", got)
	}
	close(release)
	<-slow

	// Old, but not forgotten: returned as it is while one caller renews it.
	reading, release = make(chan bool), make(chan bool)
	go func() {
		slow <- b.Get(0, func(string) string {
			close(reading)
			<-release
			return "newer"
		})
	}()
	<-reading
	if got := b.Get(0, tell("read twice")); got != "after" {
		t.Errorf("get() while another renews = %q, want what is known", got)
	}
	close(release)
	if got := <-slow; got != "newer" {
		t.Errorf("get() of who renewed = %q, want what it read", got)
	}
}
