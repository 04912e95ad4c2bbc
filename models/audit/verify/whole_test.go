package verify_test

import (
	"testing"
	"time"

	"veinte/models/audit/verify"
	"veinte/models/modelstest"
)

// TestAVerdictTellsTheWhole: of a trail that is intact it says what was stopped, which keys
// there were, since when what left it goes back, and what is not sealed.
func TestAVerdictTellsTheWhole(t *testing.T) {
	t.Parallel()
	s := modelstest.NewSealedTrail(t)
	s.Whole(1, 10)
	first := s.Checkpoint()
	if w := s.Verify().Whole; w.Level() != verify.InItself || w.Since != nil || len(w.Stops)+len(w.Keys)+w.Months > 0 || w.Oldest != nil ||
		w.Compared != nil {
		t.Errorf("of a trail without a past it says %+v", w)
	}
	modelstest.Exec(t, s.Owner, `INSERT INTO sealing_stops (trouble, sealed, seen, seen_at, place, stopped_at, resumed_at)
		VALUES ('seal.shorter', 10, 20, now(), '', now() - interval '1 hour', now())`)
	modelstest.Exec(t, s.Owner, `INSERT INTO audit_entries (at, actor_name, actor_role, action, outcome, before, canonical)
		VALUES (now(), 'sealer', 'system', 'sealing.keyChanged', 'success', '{"keys": ["x"]}', '{}'),
			(now(), 'sealer', 'system', 'sealing.keyChanged', 'success', NULL, '{}')`)
	w := s.Verify().Whole
	if len(w.Stops) != 1 || w.Stops[0].Seen != 20 || w.Stops[0].ResumedAt == nil || len(w.Keys) != 1 || w.Oldest == nil ||
		time.Since(*w.Oldest) > time.Hour {
		t.Errorf("it says %+v, want one stop that is over, one change of keys, and the oldest entry that is not sealed", w)
	}
	s.All()
	s.Whole(11, 20)
	last := s.Checkpoint()
	v := s.Verify(first, last)
	w = v.Whole
	if w.Level() != verify.WithLeft || w.Since == nil || !w.Since.Before(*w.Until) || !w.Until.Equal(v.SealedAt) || w.Oldest != nil {
		t.Errorf("with two checkpoints that left it says %+v", w)
	}
	s.Unguarded()
	modelstest.Exec(t, s.Owner, `UPDATE sealing_stops SET resumed_at = NULL`)
	if w := s.Verify().Whole; len(w.Stops) != 1 || w.Stops[0].ResumedAt != nil {
		t.Errorf("of a stop that stands it says %+v", w.Stops)
	}
}
