package clocks

import (
	"context"
	"errors"
	"fmt"
	"time"

	"veinte/models"
	"veinte/models/audit"
	"veinte/models/database"
)

// JumpLimit is the least by which a clock must have jumped to be in the trail: entries
// after it may seem to be older than those before it.
const JumpLimit = time.Minute

// reading is the time by which the server goes, at a moment.
type reading struct {
	shown  time.Time // by Now
	theirs time.Time // by the database's clock
	taken  time.Time // with the monotonic clock, which nobody puts right
}

// jump is a clock that was put right, or wrong.
type jump struct{ before, after time.Time }

// jumped compares two readings. A machine that slept goes on later by every clock: it is
// no jump forward when the database's clock did the same.
func jumped(before, now reading) *jump {
	passed := now.taken.Sub(before.taken)
	expected := before.shown.Round(0).Add(passed)
	by := now.shown.Round(0).Sub(expected)
	slept := now.theirs.Round(0).Sub(before.theirs.Round(0)) - passed
	if by.Abs() < JumpLimit || by > 0 && (by-slept).Abs() < JumpLimit {
		return nil
	}
	return &jump{expected.UTC(), now.shown.Round(0).UTC()}
}

// tellJump records that the clock jumped since the last reading, or while no server ran.
// What cannot be recorded is with the next measurement.
func (s *Service) tellJump(ctx context.Context, theirs time.Time) error {
	now := reading{shown: s.Now(), theirs: theirs, taken: time.Now()}
	if s.jump == nil && s.before == nil {
		youngest, err := s.youngest(ctx)
		if err != nil {
			return err
		}
		if youngest.Sub(now.shown) >= JumpLimit {
			s.jump = &jump{youngest.UTC(), now.shown.Round(0).UTC()}
		}
	} else if s.jump == nil {
		s.jump = jumped(*s.before, now)
	}
	s.before = &now
	if s.jump == nil {
		return nil
	}
	err := audit.RecordAlone(ctx, s.db, models.System("clock", ""), now.shown, models.ActionClockJumped, models.OutcomeSuccess,
		audit.About{Before: map[string]any{"clock": s.jump.before}, After: map[string]any{"clock": s.jump.after}})
	if err != nil {
		return fmt.Errorf("record that the clock jumped: %w", err)
	}
	s.log.WarnContext(ctx, "the clock jumped", "expected", s.jump.before, "shows", s.jump.after)
	s.jump = nil
	return nil
}

// youngest is the time of the youngest entry since the last jump that is in the trail;
// zero where there is none.
func (s *Service) youngest(ctx context.Context) (at time.Time, err error) {
	row, err := database.Row[struct{ At time.Time }](ctx, s.db.Pool(), `SELECT at FROM audit_entries
		WHERE id > coalesce((SELECT max(id) FROM audit_entries WHERE action = $1), 0) ORDER BY at DESC LIMIT 1`, models.ActionClockJumped)
	if err != nil && !errors.Is(err, models.ErrNotFound) {
		return at, fmt.Errorf("ask for the youngest entry: %w", err)
	}
	return row.At, nil
}
