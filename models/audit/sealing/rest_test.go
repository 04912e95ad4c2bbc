package sealing_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"veinte/models"
	"veinte/models/audit/sealing"
	"veinte/models/audit/trailfile"
	"veinte/models/audit/verify"
	"veinte/models/modelstest"
	"veinte/models/modelstest/roundtrips"
)

// TestAtRestSealingAsksOnce each half second, whatever there is in the trail, and does
// everything as soon as there is something to do.
func TestAtRestSealingAsksOnce(t *testing.T) {
	t.Parallel()
	s := newTrail(t)
	s.Write(300)
	s.All()
	counter, err := roundtrips.New(s.URL)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = counter.Close() })
	p := sealing.New(sealing.Config{
		DB: modelstest.Open(t, counter.URL), Clock: models.ShiftedClock(0), Signers: s.Keys.Signers(), Public: s.Keys.Public(), Dir: s.Dir,
	})
	atRest := func() {
		t.Helper()
		modelstest.WaitFor(t, "nothing to be left to do", func() bool { // other tests' transactions delay it
			_, err := p.Seal(t.Context())
			return err == nil && p.Quiet(t.Context())
		})
	}
	atRest()
	p.Quiet(t.Context())
	const ticks = 20
	before := counter.Trips()
	for range ticks {
		if !p.Quiet(t.Context()) {
			t.Fatal("at rest there is something to do")
		}
	}
	if trips := counter.Trips() - before; trips != ticks {
		t.Errorf("at rest it asks %d times in %d turns, want once in each", trips, ticks)
	}
	month := filepath.Join(s.Dir, time.Now().UTC().Format("checkpoints-2006-01.txt"))
	for what, change := range map[string]func(){
		"an entry":                     func() { s.Write(1) },
		"what another process sealed":  func() { s.Write(1); s.All() },
		"a directory that is gone":     func() { must(t, os.RemoveAll(s.Dir)) },
		"a line in the directory":      func() { appendTo(t, month, "x\n\n") },
		"a stop that another recorded": func() { modelstest.Exec(t, s.Owner, stopped) },
	} {
		atRest()
		change()
		modelstest.WaitFor(t, what+" to be seen", func() bool { return !p.Quiet(t.Context()) })
		modelstest.Exec(t, s.Owner, `UPDATE sealing_stops SET resumed_at = now() WHERE resumed_at IS NULL`)
		if what == "a line in the directory" {
			must(t, os.RemoveAll(s.Dir))
		}
	}
}

const stopped = `INSERT INTO sealing_stops (trouble, sealed, seen, seen_at, place, stopped_at)
	VALUES ('seal.shorter', 1, 2, now(), '', now())`

func must(tb testing.TB, err error) {
	tb.Helper()
	if err != nil {
		tb.Fatal(err)
	}
}

// TestAnHourWithoutEntriesIsSigned: the same entries at a later time, inside the database
// and outside, and an entry that is dated back behind it is found.
func TestAnHourWithoutEntriesIsSigned(t *testing.T) {
	t.Parallel()
	s := newTrail(t)
	clock := modelstest.NewClock(time.Now())
	s.Seals = sealing.New(sealing.Config{DB: s.DB(), Clock: clock, Signers: s.Keys.Signers(), Public: s.Keys.Public(), Dir: s.Dir})
	s.Whole(1, 20)
	seal := func(want int) {
		t.Helper()
		modelstest.WaitFor(t, "what is to be signed", func() bool { // other tests' transactions delay it
			if _, err := s.Seals.Seal(t.Context()); err != nil {
				t.Fatalf("Seal = %v", err)
			}
			return len(s.notes(s.Dir)) >= want
		})
		all := s.notes(s.Dir)
		modelstest.Wants(t, "checkpoints outside", len(all), want)
		last, err := trailfile.Open(s.Checkpoint(), s.Keys.Verifiers())
		if err != nil || last != all[want-1] || last.Size != 20 {
			t.Errorf("the last checkpoint is %+v, %v, and outside %+v", last, err, all[want-1])
		}
	}
	one := len(s.notes(s.Dir))
	seal(one)
	clock.Advance(59 * time.Minute)
	seal(one)
	clock.Advance(time.Minute)
	seal(one + 1)
	seal(one + 1)
	clock.Advance(time.Hour)
	seal(one + 2)
	v := s.Verify(s.published()...)
	if v.State != verify.Intact || len(v.Findings) > 0 || !v.SealedAt.Equal(clock.Now().UTC().Truncate(time.Microsecond)) {
		t.Errorf("the trail is %s, sealed %s, with %v", v.State, v.SealedAt, v.Findings)
	}
	must(t, os.RemoveAll(s.Dir))
	seal(1) // a new directory begins with the last one
	s.Whole(21, 21)
	v = s.Verify()
	if v.First == nil || v.First.Code != verify.FindBackDated || v.First.N != 20 {
		t.Errorf("an entry of two hours before the last checkpoint: %v, want %s", v.Findings, verify.FindBackDated)
	}
	s.asSuperuser(`ALTER TABLE checkpoint_beats DISABLE TRIGGER USER`, `UPDATE checkpoint_beats SET size = 19`)
	if v := s.Verify(); !found(v, verify.FindCheckpoint) {
		t.Errorf("a checkpoint signed again that was changed: %v, want %s", v.Findings, verify.FindCheckpoint)
	}
}

// TestNothingIsSignedAgainWhileSomethingWaits: an entry that is sealed later is no younger
// for it, and would seem to be dated back.
func TestNothingIsSignedAgainWhileSomethingWaits(t *testing.T) {
	t.Parallel()
	s := newTrail(t)
	clock := modelstest.NewClock(time.Now())
	s.Whole(1, 20)
	slow, err := s.Owner.Begin()
	must(t, err)
	defer func() { _ = slow.Rollback() }()
	if _, err := slow.Exec(`SELECT pg_current_xact_id()`); err != nil {
		t.Fatal(err)
	}
	for _, entry := range []bool{false, true} { // a transaction may still write one, and one that waits for it
		if entry {
			modelstest.Exec(t, s.Owner, modelstest.WholeEntries, 21, 21)
		}
		clock.Advance(3 * time.Hour)
		s.Seals = sealing.New(sealing.Config{DB: s.DB(), Clock: clock, Signers: s.Keys.Signers(), Public: s.Keys.Public(), Dir: s.Dir})
		modelstest.Wants(t, "entries sealed", s.sealedBy(s.Seals), 0)
		modelstest.Wants(t, "checkpoints signed again", modelstest.Count(t, s.Owner, `SELECT count(*) FROM checkpoint_beats`), 0)
	}
}

func found(v *verify.Verdict, code string) bool {
	for _, f := range v.Findings {
		if f.Code == code {
			return true
		}
	}
	return false
}
