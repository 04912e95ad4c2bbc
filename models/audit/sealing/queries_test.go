package sealing_test

import (
	"context"
	"os"
	"path/filepath"
	"syscall"
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
	published, err := filepath.Glob(filepath.Join(s.Dir, "checkpoints-*.txt"))
	if err != nil || len(published) != 1 {
		t.Fatalf("checkpoints in %q, %v, want one file", published, err)
	}

	// The same file behind two named pipes: it is read only when both were opened.
	dir := t.TempDir()
	if err := os.Symlink(published[0], filepath.Join(dir, filepath.Base(published[0]))); err != nil {
		t.Fatal(err)
	}
	arrives, goesOn := filepath.Join(dir, "checkpoints-9999-12.txt"), filepath.Join(dir, "checkpoints-9999-11.txt")
	for _, fifo := range []string{arrives, goesOn} {
		if err := syscall.Mkfifo(fifo, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	// A pipe opens once somebody reads it, and is then deleted, so that later
	// readers do not find it.
	open := func(fifo string) {
		file, err := os.OpenFile(fifo, os.O_WRONLY, 0)
		if err != nil {
			t.Fatal(err)
		}
		defer file.Close()
		if err := os.Remove(fifo); err != nil {
			t.Fatal(err)
		}
	}

	turn, err := s.Owner.Begin() // takes the lock as another process would
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = turn.Rollback() }()
	if _, err := turn.Exec(`SELECT pg_advisory_xact_lock(hashtextextended('veinte seals the trail', 0))`); err != nil {
		t.Fatal(err)
	}
	looker := s.Process(dir)
	ctx, stop := context.WithCancel(t.Context())
	looked := make(chan struct{})
	go func() {
		looker.Run(ctx)
		close(looked)
	}()
	open(arrives)
	if err := turn.Rollback(); err != nil {
		t.Fatal(err)
	}
	s.Write(10)
	s.All()
	open(goesOn)
	s.Write(10)
	modelstest.WaitFor(t, "the process that looked to seal", func() bool { return looker.Sealed() > 0 || looker.Trouble() != nil })
	stop()
	<-looked
	if trouble := looker.Trouble(); trouble != nil {
		t.Errorf("Trouble = %v, want none", trouble)
	}
	modelstest.Wants(t, "stops", modelstest.Count(t, s.Owner, `SELECT count(*) FROM sealing_stops`), 0)
}
