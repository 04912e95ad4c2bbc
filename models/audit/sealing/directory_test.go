package sealing_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"veinte/models/audit/sealing"
	"veinte/models/audit/trailfile"
	"veinte/models/audit/verify"
	"veinte/models/modelstest"
)

// signedBy is a checkpoint of a number of entries, signed by the keys.
func signedBy(tb testing.TB, keys *trailfile.Keys, origin string, size int64) string {
	tb.Helper()
	c := trailfile.Checkpoint{Origin: origin, Size: size, Root: [32]byte{1}, Time: time.Now().UTC().Truncate(time.Microsecond)}
	note, err := c.Sign(keys.Signers()...)
	if err != nil {
		tb.Fatal(err)
	}
	return note
}

func keysNamed(tb testing.TB, name string) *trailfile.Keys {
	tb.Helper()
	private, _, err := trailfile.GenerateKey(name)
	if err != nil {
		tb.Fatal(err)
	}
	keys, err := trailfile.ParseKeys(private)
	if err != nil {
		tb.Fatal(err)
	}
	return keys
}

// TestWhatOthersPutIntoTheDirectory accuses nobody and prevents nothing, whatever number
// of entries it names: it is said to be trouble with the directory, and where.
func TestWhatOthersPutIntoTheDirectory(t *testing.T) {
	t.Parallel()
	stranger, other := keysNamed(t, "tienda.example/bitacora"), keysNamed(t, "otra.example/bitacora")
	unsigned, _, _ := strings.Cut(signedBy(t, stranger, stranger.Origin(), 1_000_000), "\n\n")
	forged := signedBy(t, stranger, stranger.Origin(), 1_000_000)
	month, theirs := time.Now().UTC().Format("checkpoints-2006-01.txt"), signedBy(t, other, other.Origin(), 1_000_000)+"\n"
	for what, put := range map[string]struct{ file, text, named string }{
		"an unsigned checkpoint":                     {month, unsigned + "\n\n", "tienda.example/bitacora"},
		"one without its end":                        {month, unsigned, "tienda.example/bitacora"},
		"one signed by a stranger under our name":    {month, forged + "\n", "tienda.example/bitacora"},
		"one of another installation":                {month, theirs, "otra.example/bitacora"},
		"a line of text":                             {month, "nota de quien opera\n\n", "nota de quien opera"},
		"a long file of something else":              {"checkpoints-2031-01.txt", strings.Repeat("basura\n\n", 100_000), "basura"},
		"a file of another installation":             {"checkpoints-2031-01.txt", theirs, "checkpoints-2031-01.txt"},
		"a file of another name":                     {"LEEME", "hola", "LEEME"},
		"a month that does not exist":                {"checkpoints-2026-13.txt", "", "checkpoints-2026-13.txt"},
		"a checkpoint of ours with another's behind": {month, forged + "\nmás\n\n", "tienda.example/bitacora"},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			s := newTrail(t)
			s.Write(5)
			s.All()
			appendTo(t, filepath.Join(s.Dir, put.file), put.text)
			s.odd(s.Seals, put.named)
			again := s.Process(s.Dir)
			if err := again.Check(t.Context()); err != nil {
				t.Errorf("a server would not start: %v", err)
			}
			s.odd(again, put.named)
			v := s.Verify(s.published()...)
			accused := slices.ContainsFunc(v.Findings, func(f verify.Finding) bool {
				return slices.Contains([]string{verify.FindTruncated, verify.FindSplit, verify.FindNotCheckpoint, verify.FindUnknownKey}, f.Code)
			})
			if accused || v.Outside == 0 {
				t.Errorf("with what the directory holds a verification finds %v, compared with %d", v.Findings, v.Outside)
			}
		})
	}
}

// odd sees that everything is sealed although the directory holds something, which is
// said to be in a place.
func (s trail) odd(p *sealing.Service, named string) {
	s.TB.Helper()
	s.Write(3)
	mine := s.Seals
	s.Seals = p
	s.All()
	s.Seals = mine
	if trouble := p.Trouble(); trouble == nil || trouble.Code != sealing.Foreign || !strings.Contains(trouble.Detail, named) {
		s.TB.Errorf("Trouble = %v, want %s of %s", trouble, sealing.Foreign, named)
	}
	if notice := s.noticed(p, 0); notice == nil || notice.Code != sealing.Foreign || !strings.Contains(notice.Detail, named) {
		s.TB.Errorf("people are notified of %v, want %s of %s", notice, sealing.Foreign, named)
	}
	// A server beside a sealer of its own says it all the same.
	server := sealing.New(sealing.Config{DB: s.DB(), Clock: modelstest.NewClock(time.Now()), Elsewhere: true})
	if notice := s.noticed(server, 0); notice == nil || notice.Code != sealing.Foreign || !strings.Contains(notice.Detail, named) {
		s.TB.Errorf("people of a server that only reads are notified of %v", notice)
	}
	modelstest.Wants(s.TB, "stops", modelstest.Count(s.TB, s.Owner, `SELECT count(*) FROM sealing_stops`), 0)
}

// published are the checkpoints that the directory has of this installation.
func (s trail) published() []string {
	s.TB.Helper()
	notes, err := s.Process(s.Dir).PublishedCheckpoints()
	if err != nil {
		s.TB.Fatal(err)
	}
	return notes
}

func appendTo(tb testing.TB, path, text string) {
	tb.Helper()
	file, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		tb.Fatal(err)
	}
	defer file.Close()
	if _, err := file.WriteString(text); err != nil {
		tb.Fatal(err)
	}
}

// TestAPipeInTheDirectory is no file of checkpoints: who reads it would wait for ever.
func TestAPipeInTheDirectory(t *testing.T) {
	t.Parallel()
	s := newTrail(t)
	s.Write(1)
	s.All()
	if err := syscall.Mkfifo(filepath.Join(s.Dir, "checkpoints-9999-12.txt"), 0o600); err != nil {
		t.Fatal(err)
	}
	s.odd(s.Seals, "checkpoints-9999-12.txt")
}

// TestWhatIsMovedOutOfTheDirectory ends the trouble; what remains does not pass for a
// directory that an operator has moved away.
func TestWhatIsMovedOutOfTheDirectory(t *testing.T) {
	t.Parallel()
	s := newTrail(t)
	s.Write(5)
	s.All()
	foreign := filepath.Join(s.Dir, "checkpoints-2031-01.txt")
	appendTo(t, foreign, "basura\n\n")
	s.odd(s.Seals, "basura")
	if err := os.Remove(foreign); err != nil {
		t.Fatal(err)
	}
	s.Write(1)
	s.All()
	if trouble, notice := s.Seals.Trouble(), s.noticed(s.Seals, 0); trouble != nil || notice != nil {
		t.Errorf("Trouble = %v, people are notified of %v, want nothing", trouble, notice)
	}
	s.cut(5)
	s.refused(s.Seals, sealing.Shorter)
	for _, file := range []string{foreign, filepath.Join(s.Dir, time.Now().UTC().Format("checkpoints-2006-01.txt"))} {
		if err := os.WriteFile(file, []byte("basura\n\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	s.refused(s.Process(s.Dir), sealing.Shorter)
}

// TestAKeyThatWasReplaced: checkpoints of a key that the trail names as an earlier one
// are nobody else's.
func TestAKeyThatWasReplaced(t *testing.T) {
	t.Parallel()
	s := newTrail(t)
	run(t, s.Seals, s)
	s.Keys, _ = modelstest.NewKeys(t)
	replaced := s.Process(s.Dir)
	run(t, replaced, s)
	if trouble := replaced.Trouble(); trouble != nil {
		t.Errorf("Trouble = %v, want none: the trail has the former key", trouble)
	}
}
