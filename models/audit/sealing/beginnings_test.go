package sealing_test

import (
	"os"
	"strings"
	"testing"

	"veinte/models"
	"veinte/models/audit/trailfile"
	"veinte/models/audit/trailfile/notes"
	"veinte/models/audit/verify"
	"veinte/models/modelstest"
)

// TestATrailThatLostEntriesBeginsAnew: what is sealed after entries were lost has an origin
// of its own, and so has what is sealed after an older database was put back once more. A
// checkpoint of before that still fits vouches as it did; one of what was lost decides nothing.
func TestATrailThatLostEntriesBeginsAnew(t *testing.T) {
	t.Parallel()
	s := newTrail(t)
	s.Whole(1, 300)
	s.All()
	kept := s.Checkpoint()
	older := s.Dump()
	for beginning := 2; beginning <= 3; beginning++ {
		s.Whole(1000*beginning, 1000*beginning+9)
		s.All()
		lost := s.Checkpoint()
		if want := notes.Origin(s.Keys.Origin(), beginning-1); !strings.HasPrefix(lost, want+"\n") {
			t.Errorf("before it the origin is %q, want %q", strings.SplitN(lost, "\n", 2)[0], want)
		}
		back := s.restored(older) // which knows of no stop
		modelstest.Exec(t, back.Owner, modelstest.WholeEntries, 301, 350)
		back.Dir = s.Dir
		back.Seals = back.Process(back.Dir)
		back.refused(back.Seals, "seal.shorter")
		if err := os.Rename(s.Dir, s.Dir+".lost"+string(rune('0'+beginning))); err != nil {
			t.Fatal(err)
		}
		back.resumes()
		back.All()
		back.check()
		for _, c := range back.notes(back.Dir) {
			modelstest.Wants(t, "origin", c.Origin, notes.Origin(s.Keys.Origin(), beginning))
		}
		modelstest.Wants(t, "the beginning in the trail", modelstest.Count(t, back.Owner, `SELECT (after->>'beginning')::int
			FROM audit_entries WHERE action = $1`, models.ActionSealingResumed), beginning)
		back.Seals = back.Process(back.Dir) // a server that starts later
		if err := back.Seals.Check(t.Context()); err != nil {
			t.Fatal(err)
		}
		back.Whole(351, 351)
		back.All()
		c, err := trailfile.Open(back.Checkpoint(), s.Keys.Verifiers())
		modelstest.Wants(t, "origin later", c.Origin, notes.Origin(s.Keys.Origin(), beginning))
		if err != nil {
			t.Error(err)
		}
		if v := back.Verify(kept, back.Checkpoint()); v.State != verify.Intact || v.Outside != 2 {
			t.Errorf("with a checkpoint of before that fits the verdict is %s, %d compared: %.3v", v.State, v.Outside, v.Findings)
		}
		v := back.Verify(lost, back.Checkpoint())
		if v.State != verify.Undecided || len(v.Findings) != 1 || v.Findings[0].Code != verify.FindLost {
			t.Errorf("with one of what was lost the verdict is %s: %v", v.State, v.Findings)
		}
		s = back
	}
}
