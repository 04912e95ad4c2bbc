package verify_test

import (
	"testing"

	"veinte/models/audit/verify"
	"veinte/models/modelstest"
)

func TestAnIntactTrailIsIntact(t *testing.T) {
	t.Parallel()
	s := modelstest.NewSealedTrail(t)
	s.Whole(1, 300)
	stored := s.Checkpoint()
	s.Whole(301, 700)
	modelstest.Exec(t, s.Owner, modelstest.WholeEntries, 701, 705)
	v := s.Verify(stored)
	if v.State != verify.Intact || v.Checked != 705 || v.Size != 700 || v.Unsealed != 5 || v.Outside != 1 {
		t.Errorf("VerifyTrail = %+v\n%s", v, modelstest.FindingsOf(v))
	}
}

// TestNothingSealedIsUndecided: nothing vouches for a trail that was never sealed.
func TestNothingSealedIsUndecided(t *testing.T) {
	t.Parallel()
	s := modelstest.NewSealedTrail(t)
	modelstest.Exec(t, s.Owner, modelstest.WholeEntries, 1, 3)
	if v := s.Verify(); v.State != verify.Undecided || v.First == nil || v.First.Code != verify.FindNothingSealed || v.Unsealed != 3 {
		t.Errorf("VerifyTrail = %+v\n%s", v, modelstest.FindingsOf(v))
	}
}

// TestACheckpointOfNoKnownKeyIsUndecided: the supplied checkpoint proves nothing,
// and the trail is not reported as intact because of it.
func TestACheckpointOfNoKnownKeyIsUndecided(t *testing.T) {
	t.Parallel()
	s, foreign := modelstest.NewSealedTrail(t), modelstest.NewSealedTrail(t)
	s.Whole(1, 10)
	foreign.Whole(1, 10)
	for want, note := range map[string]string{verify.FindUnknownKey: foreign.Checkpoint(), verify.FindNotCheckpoint: "x"} {
		if v := s.Verify(s.Checkpoint(), note); v.State != verify.Undecided || v.First == nil || v.First.Code != want {
			t.Errorf("VerifyTrail = %s, first %+v, want %s", v.State, v.First, want)
		}
	}
}
