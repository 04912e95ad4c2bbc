package sealing_test

import (
	"context"
	"sync"
	"testing"

	"veinte/models/modelstest"
)

// TestASealerThatOnlyLooksIsNotOvertaken: while one process reads the directory,
// another seals and publishes there. What the first finds is more than the
// database had a moment ago, and no contradiction.
func TestASealerThatOnlyLooksIsNotOvertaken(t *testing.T) {
	t.Parallel()
	s := newTrail(t)
	s.Write(10)
	s.All()
	turn, err := s.Owner.Begin() // takes the lock as another process would
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = turn.Rollback() }()
	if _, err := turn.Exec(`SELECT pg_advisory_xact_lock(hashtextextended('veinte seals the trail', 0))`); err != nil {
		t.Fatal(err)
	}
	looker := s.Process(s.Dir)
	arrives, goesOn := make(chan struct{}), make(chan struct{})
	var once sync.Once
	looker.OnLook(func() {
		once.Do(func() {
			close(arrives)
			<-goesOn
		})
	})
	ctx, stop := context.WithCancel(t.Context())
	looked := make(chan struct{})
	go func() {
		looker.Run(ctx)
		close(looked)
	}()
	<-arrives
	if err := turn.Rollback(); err != nil {
		t.Fatal(err)
	}
	s.Write(10)
	s.All()
	close(goesOn)
	s.Write(10)
	modelstest.WaitFor(t, "the process that looked to seal", func() bool { return looker.Sealed() > 0 || looker.Trouble() != nil })
	stop()
	<-looked
	if trouble := looker.Trouble(); trouble != nil {
		t.Errorf("Trouble = %v, want none", trouble)
	}
	modelstest.Wants(t, "stops", modelstest.Count(t, s.Owner, `SELECT count(*) FROM sealing_stops`), 0)
}
