package sealing_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"veinte/models"
	"veinte/models/audit/sealing"
	"veinte/models/audit/trailfile"
	"veinte/models/modelstest"
	"veinte/models/wiring"
)

// TestNothingIsSealedOverACutTail: neither by the running process that has seen
// more, nor after its restart, until an operator has moved the directory away.
func TestNothingIsSealedOverACutTail(t *testing.T) {
	t.Parallel()
	s := newTrail(t)
	s.Write(300)
	s.All()
	s.Write(10)
	s.All()
	s.cut(300)
	s.Write(50)
	s.refused(s.Seals, sealing.Shorter)
	modelstest.Wants(t, "entries that say so", s.recorded(models.ActionSealingStopped), 1)
	kept := modelstest.Scan[string](t, s.Owner, `SELECT after->>'signedCheckpoint' FROM audit_entries WHERE action = 'sealing.stopped'`)
	if c, err := trailfile.Open(kept, s.Keys.Verifiers()); err != nil || c.Size != 310 {
		t.Errorf("the entry has the checkpoint %q (%v), want that of 310 entries", kept, err)
	}
	again := s.Process(s.Dir)
	if err := again.Check(t.Context()); err != nil {
		t.Errorf("a server would not start: %v", err)
	}
	s.refused(again, sealing.Shorter)

	o := wiring.New(wiring.Config{DB: modelstest.Open(t, s.URL), Clock: models.ShiftedClock(0), Seals: again})
	if n := o.Operations.Notices(t.Context()); n.Sealing == nil || n.Sealing.Code != sealing.Shorter || n.Sealing.Seen != 310 {
		t.Errorf("people are notified of %v", n.Sealing)
	}
	if err := os.Rename(s.Dir, s.Dir+".moved"); err != nil {
		t.Fatal(err)
	}
	s.Seals = again
	s.resumes()
	s.All()
	modelstest.Wants(t, "entries that say that it goes on", s.recorded(models.ActionSealingResumed), 1)
	if n := len(s.notes(s.Dir)); n == 0 {
		t.Error("the new directory holds no checkpoint")
	}
}

// TestALongerOtherPastIsSeen: a tail that was cut and written anew is longer
// than the checkpoint, and yet does not begin with it.
func TestALongerOtherPastIsSeen(t *testing.T) {
	t.Parallel()
	s := newTrail(t)
	s.Write(290)
	s.All()
	s.Write(10)
	s.All()
	s.cut(290)
	other := s.Process(filepath.Join(t.TempDir(), "unknowing")) // which has seen nothing of it
	s.Write(100)
	mine := s.Seals
	s.Seals = other
	s.All()
	s.Seals = mine
	s.refused(mine, sealing.Different)
	s.refused(s.Process(s.Dir), sealing.Different)
}

// TestATreeThatWasChanged: what was sealed is compared with what was signed
// before anything is added to it.
func TestATreeThatWasChanged(t *testing.T) {
	t.Parallel()
	for _, change := range []string{
		`UPDATE sealed_entries SET hash = sha256('other') WHERE n = 299`,
		`UPDATE sealed_nodes SET hash = sha256('other') WHERE level = 1 AND n = 0`,
		`DELETE FROM sealed_entries WHERE n = 298`,
		`DELETE FROM sealed_nodes`,
		`DELETE FROM checkpoints`,
		`UPDATE checkpoints SET root = sha256('other')`,
	} {
		t.Run(change, func(t *testing.T) {
			t.Parallel()
			s := newTrail(t)
			s.Write(300)
			s.All()
			s.asSuperuser(change)
			s.Write(1)
			p := s.Process("") // which has seen nothing of it
			modelstest.WaitFor(t, "the change to be seen", func() bool {
				_, err := p.Seal(t.Context())
				return err != nil
			})
			s.refused(p, sealing.Different)
		})
	}
}

// TestADirectoryThatIsLost: a process remembers what it has written out, and
// writes where the directory was; only a contradiction makes it forget.
func TestADirectoryThatIsLost(t *testing.T) {
	t.Parallel()
	s := newTrail(t)
	s.Write(5)
	s.All()
	if err := os.RemoveAll(s.Dir); err != nil {
		t.Fatal(err)
	}
	s.Write(5)
	s.All()
	modelstest.Wants(t, "the largest checkpoint in the new directory", s.notes(s.Dir)[len(s.notes(s.Dir))-1].Size, int64(10))
	if err := os.RemoveAll(s.Dir); err != nil {
		t.Fatal(err)
	}
	s.cut(5)
	s.refused(s.Seals, sealing.Shorter)
	if err := os.WriteFile(s.Dir, []byte("in the way"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := s.Process(s.Dir).Check(t.Context()); err == nil || !strings.Contains(err.Error(), "AUDIT_CHECKPOINT_DIR") {
		t.Errorf("Check with a file for a directory = %v", err)
	}
}

// TestADirectoryThatCannotBeWritten: the trail is still sealed, people are notified,
// and the unpublished checkpoints are published later.
func TestADirectoryThatCannotBeWritten(t *testing.T) {
	t.Parallel()
	s := newTrail(t)
	s.Write(2)
	s.All()
	if err := os.Rename(s.Dir, s.Dir+".away"); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(s.Dir, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	s.Write(3)
	modelstest.WaitFor(t, "entries to be sealed without a directory", func() bool {
		_, err := s.Seals.Seal(t.Context())
		var trouble *sealing.Trouble
		if !errors.As(err, &trouble) || trouble.Code != sealing.Directory {
			t.Fatalf("Seal = %v, want %s", err, sealing.Directory)
		}
		return modelstest.Count(t, s.Owner, `SELECT max(size) FROM checkpoints`) == 5
	})
	o := wiring.New(wiring.Config{DB: modelstest.Open(t, s.URL), Clock: models.ShiftedClock(0), Seals: s.Seals})
	if n := o.Operations.Notices(t.Context()); n.Sealing == nil || n.Sealing.Code != sealing.Directory {
		t.Errorf("people are notified of %v", n.Sealing)
	}
	// A server beside a sealer of its own has no trouble itself, and says it all the same.
	clock := modelstest.NewClock(time.Now())
	server := sealing.New(sealing.Config{DB: modelstest.Open(t, s.URL), Clock: clock, Elsewhere: true})
	notice := func() string {
		n, err := server.Notice(t.Context())
		if err != nil || n == nil {
			return fmt.Sprint(n, err)
		}
		return n.Code
	}
	modelstest.Wants(t, "what the server says of the sealer", notice(), sealing.Directory)
	clock.Advance(2 * time.Minute)
	modelstest.Wants(t, "of one that has been silent since", notice(), "<nil> <nil>")
	clock.Advance(-2 * time.Minute)
	if err := errors.Join(os.Remove(s.Dir), os.Rename(s.Dir+".away", s.Dir)); err != nil {
		t.Fatal(err)
	}
	defer func() { modelstest.Wants(t, "what the server says once it is mended", notice(), "<nil> <nil>") }()
	if _, err := s.Seals.Seal(t.Context()); err != nil || s.Seals.Trouble() != nil {
		t.Errorf("Seal with the directory back = %v, trouble %v", err, s.Seals.Trouble())
	}
	all := s.notes(s.Dir)
	modelstest.Wants(t, "the largest checkpoint in the directory", all[len(all)-1].Size, int64(5))
	modelstest.Wants(t, "entries of trouble that is no contradiction",
		s.recorded(models.ActionSealingStopped)+s.recorded(models.ActionSealingResumed), 0)
}

// TestHalfWrittenCheckpoints: what a process that was killed left half written
// is passed over, whatever its length, and nothing of it is lost.
func TestHalfWrittenCheckpoints(t *testing.T) {
	t.Parallel()
	s := newTrail(t)
	s.Write(3)
	s.All()
	file := filepath.Join(s.Dir, time.Now().UTC().Format("checkpoints-2006-01.txt"))
	whole, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	s.Write(3)
	s.All()
	more, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	second := more[len(whole):]
	db := modelstest.Open(t, s.URL)
	for cut := range len(second) {
		dir := filepath.Join(t.TempDir(), "cut")
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, filepath.Base(file)), more[:len(whole)+cut], 0o600); err != nil {
			t.Fatal(err)
		}
		p := sealing.New(sealing.Config{DB: db, Clock: models.ShiftedClock(0), Signers: s.Keys.Signers(), Public: s.Keys.Public(), Dir: dir})
		if _, err := p.Seal(t.Context()); err != nil {
			t.Fatalf("Seal after %d bytes of a checkpoint = %v", cut, err)
		}
		text, err := os.ReadFile(filepath.Join(dir, filepath.Base(file)))
		if err != nil {
			t.Fatal(err)
		}
		if !strings.HasPrefix(string(text), string(more[:len(whole)+cut])) || !strings.HasSuffix(string(text), "\n\n") ||
			!strings.HasSuffix(string(text), string(second)) {
			t.Fatalf("after %d bytes of a checkpoint the file is\n%s", cut, text)
		}
		parts := strings.Split(strings.TrimSuffix(string(text), "\n\n"), "\n\n")
		c, err := trailfile.ParseText(strings.TrimLeft(parts[len(parts)-2], "\n") + "\n")
		if err != nil || c.Size != 6 {
			t.Fatalf("after %d bytes of a checkpoint the last one cannot be read: %v\n%s", cut, err, text)
		}
	}
}
