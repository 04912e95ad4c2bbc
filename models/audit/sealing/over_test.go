package sealing_test

import (
	"testing"
	"time"

	"veinte/models/audit/trailfile"
	"veinte/models/modelstest"
	"veinte/models/wiring"
)

// TestCheckpointOver finds the first checkpoint over an entry, not a later one, and none
// before it is sealed.
func TestCheckpointOver(t *testing.T) {
	t.Parallel()
	s := newTrail(t)
	service := wiring.Over(modelstest.Open(t, s.URL)).Sealing
	s.Write(3)
	s.All()
	at := time.Now().UTC().Truncate(time.Microsecond)
	if _, err := s.Owner.Exec(entryAt, at); err != nil {
		t.Fatal(err)
	}
	if c, err := service.CheckpointOver(t.Context(), "test.done", at); err != nil || c != nil {
		t.Errorf("before it is sealed: %v, %v, want none", c, err)
	}
	s.All()
	s.Write(5)
	s.All()
	c, err := service.CheckpointOver(t.Context(), "test.done", at)
	if err != nil || c == nil || c.Size != 4 {
		t.Fatalf("CheckpointOver = %+v, %v, want the one of 4 entries", c, err)
	}
	short, err := trailfile.Unverified(c.Short())
	if err != nil || short.Size != 4 || short.Root != c.Root {
		t.Errorf("Short = %q, %v", c.Short(), err)
	}
	if c, err := service.CheckpointOver(t.Context(), "test.other", at); err != nil || c != nil {
		t.Errorf("of another act: %v, %v, want none", c, err)
	}
}
