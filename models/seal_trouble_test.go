package models_test

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"veinte/models"
	"veinte/models/audit/sealing"
	"veinte/models/cancellations"
	"veinte/models/modelstest"
	"veinte/models/trail"
)

// asSuperuser does what no role of the product may: it turns the guards off.
func (s *sealing) asSuperuser(statements ...string) {
	s.tb.Helper()
	tables := []string{"audit_entries", "sealed_entries", "sealed_nodes", "checkpoints"}
	var all []string
	for _, t := range tables {
		all = append(all, "ALTER TABLE "+t+" DISABLE TRIGGER USER")
	}
	for _, statement := range append(all, statements...) {
		exec(s.tb, s.owner, statement)
	}
}

// cut takes everything from leaf n on away, and the checkpoints over it.
func (s *sealing) cut(n int) {
	s.tb.Helper()
	s.asSuperuser(
		`DELETE FROM audit_entries e USING sealed_entries s WHERE s.entry_id = e.id AND s.n >= `+strconv.Itoa(n),
		`DELETE FROM sealed_entries WHERE n >= `+strconv.Itoa(n),
		`DELETE FROM sealed_nodes WHERE (n+1) << (8*level) > `+strconv.Itoa(n),
		`DELETE FROM checkpoints WHERE size > `+strconv.Itoa(n))
}

func (s *sealing) refused(p *sealing.Service, code string) {
	s.tb.Helper()
	sealed := count(s.tb, s.owner, `SELECT coalesce(max(size), 0) FROM checkpoints`)
	waitFor(s.tb, "sealing to be refused", func() bool { // while a transaction of another test runs there is nothing to try
		_, err := p.Seal(s.tb.Context())
		return err != nil
	})
	for range 2 {
		_, err := p.Seal(s.tb.Context())
		var trouble *sealing.Trouble
		if !errors.As(err, &trouble) || trouble.Code != code {
			s.tb.Fatalf("Seal = %v, want %s", err, code)
		}
	}
	if t := p.Trouble(); t == nil || t.Code != code {
		s.tb.Errorf("Trouble = %v, want %s", t, code)
	}
	wants(s.tb, "entries sealed over a contradiction", count(s.tb, s.owner, `SELECT coalesce(max(size), 0) FROM checkpoints`)-sealed, 0)
}

// resumes waits until nothing keeps the process from sealing: while a transaction
// of another test runs, it cannot be tried.
func (s *sealing) resumes() {
	s.tb.Helper()
	waitFor(s.tb, "sealing to be resumed", func() bool {
		_, err := s.seals.Seal(s.tb.Context())
		return err == nil
	})
}

func (s *sealing) told(action models.Action) int {
	return count(s.tb, s.owner, `SELECT count(*) FROM audit_entries WHERE action = $1`, string(action))
}

// TestNothingIsSealedOverACutTail: neither while the process runs that has seen
// more, nor after it has started again, until an operator has moved the
// directory away.
func TestNothingIsSealedOverACutTail(t *testing.T) {
	t.Parallel()
	s := newSealing(t)
	s.write(300)
	s.all()
	s.write(10)
	s.all()
	s.cut(300)
	s.write(50)
	s.refused(s.seals, sealing.Shorter)
	wants(t, "entries that say so", s.told(models.ActionSealingStopped), 1)
	again := s.process(s.dir)
	if err := again.Check(t.Context()); err != nil {
		t.Errorf("a server would not start: %v", err)
	}
	s.refused(again, sealing.Shorter)

	o := cancellations.New(cancellations.Config{DB: modelstest.Open(t, s.url), Clock: models.ShiftedClock(0), Seals: again})
	if n := o.Operations.Notices(t.Context()); n.Sealing == nil || n.Sealing.Code != sealing.Shorter || n.Sealing.Seen != 310 {
		t.Errorf("people are told %v", n.Sealing)
	}
	if err := os.Rename(s.dir, s.dir+".kept"); err != nil {
		t.Fatal(err)
	}
	s.seals = again
	s.resumes()
	s.all()
	wants(t, "entries that say that it goes on", s.told(models.ActionSealingResumed), 1)
	if n := len(s.notes(s.dir)); n == 0 {
		t.Error("the new directory holds no checkpoint")
	}
}

// TestALongerOtherPastIsSeen: a tail that was cut and written anew is longer
// than the checkpoint, and yet does not begin with it.
func TestALongerOtherPastIsSeen(t *testing.T) {
	t.Parallel()
	s := newSealing(t)
	s.write(290)
	s.all()
	s.write(10)
	s.all()
	s.cut(290)
	other := s.process(filepath.Join(t.TempDir(), "unknowing")) // which has seen nothing of it
	s.write(100)
	mine := s.seals
	s.seals = other
	s.all()
	s.seals = mine
	s.refused(mine, sealing.Different)
	s.refused(s.process(s.dir), sealing.Different)
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
			s := newSealing(t)
			s.write(300)
			s.all()
			s.asSuperuser(change)
			s.write(1)
			p := s.process("") // which has seen nothing of it
			waitFor(t, "the change to be seen", func() bool {
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
	s := newSealing(t)
	s.write(5)
	s.all()
	if err := os.RemoveAll(s.dir); err != nil {
		t.Fatal(err)
	}
	s.write(5)
	s.all()
	wants(t, "the largest checkpoint in the new directory", s.notes(s.dir)[len(s.notes(s.dir))-1].Size, int64(10))
	if err := os.RemoveAll(s.dir); err != nil {
		t.Fatal(err)
	}
	s.cut(5)
	s.refused(s.seals, sealing.Shorter)
	if err := os.WriteFile(s.dir, []byte("in the way"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := s.process(s.dir).Check(t.Context()); err == nil || !strings.Contains(err.Error(), "AUDIT_CHECKPOINT_DIR") {
		t.Errorf("Check with a file for a directory = %v", err)
	}
}

// TestADirectoryThatCannotBeWritten: the trail is sealed all the same, people are
// told, and what did not leave leaves later.
func TestADirectoryThatCannotBeWritten(t *testing.T) {
	t.Parallel()
	s := newSealing(t)
	s.write(2)
	s.all()
	if err := os.Rename(s.dir, s.dir+".away"); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(s.dir, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	s.write(3)
	waitFor(t, "entries to be sealed without a directory", func() bool {
		_, err := s.seals.Seal(t.Context())
		var trouble *sealing.Trouble
		if !errors.As(err, &trouble) || trouble.Code != sealing.Directory {
			t.Fatalf("Seal = %v, want %s", err, sealing.Directory)
		}
		return count(t, s.owner, `SELECT max(size) FROM checkpoints`) == 5
	})
	o := cancellations.New(cancellations.Config{DB: modelstest.Open(t, s.url), Clock: models.ShiftedClock(0), Seals: s.seals})
	if n := o.Operations.Notices(t.Context()); n.Sealing == nil || n.Sealing.Code != sealing.Directory {
		t.Errorf("people are told %v", n.Sealing)
	}
	if err := errors.Join(os.Remove(s.dir), os.Rename(s.dir+".away", s.dir)); err != nil {
		t.Fatal(err)
	}
	if _, err := s.seals.Seal(t.Context()); err != nil || s.seals.Trouble() != nil {
		t.Errorf("Seal with the directory back = %v, trouble %v", err, s.seals.Trouble())
	}
	all := s.notes(s.dir)
	wants(t, "the largest checkpoint in the directory", all[len(all)-1].Size, int64(5))
	wants(t, "entries of trouble that is no contradiction", s.told(models.ActionSealingStopped)+s.told(models.ActionSealingResumed), 0)
}

// TestHalfWrittenCheckpoints: what a process that was killed left half written
// is passed over, whatever its length, and nothing of it is lost.
func TestHalfWrittenCheckpoints(t *testing.T) {
	t.Parallel()
	s := newSealing(t)
	s.write(3)
	s.all()
	file := filepath.Join(s.dir, time.Now().UTC().Format("checkpoints-2006-01.txt"))
	whole, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	s.write(3)
	s.all()
	more, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	second := more[len(whole):]
	db := modelstest.Open(t, s.url)
	for cut := range len(second) {
		dir := filepath.Join(t.TempDir(), "cut")
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, filepath.Base(file)), more[:len(whole)+cut], 0o600); err != nil {
			t.Fatal(err)
		}
		p := sealing.New(sealing.Config{DB: db, Clock: models.ShiftedClock(0), Signers: s.keys.Signers(), Dir: dir})
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
		c, err := trail.ParseText(strings.TrimLeft(parts[len(parts)-2], "\n") + "\n")
		if err != nil || c.Size != 6 {
			t.Fatalf("after %d bytes of a checkpoint the last one cannot be read: %v\n%s", cut, err, text)
		}
	}
}
