package sealing

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/jackc/pgx/v5"

	"veinte/models"
	"veinte/models/audit"
	"veinte/models/database"
)

// stop is a contradiction that keeps every process from sealing, as the
// database has it: whoever starts later, or has another directory or none, knows
// it as well.
type stop struct {
	id       int64
	trouble  Trouble
	location string // of the directory that contradicts
}

// or returns the error, or else that of the stop: one that was answered stands
// until sealing on has been tried, and until then no checkpoint leaves, since the
// directory that was moved away is known by its being empty.
func (s *stop) or(err error) error {
	if err == nil && s != nil {
		return &s.trouble
	}
	return err
}

// stops reads the stop that stands, nil when none does, and which one ended last.
func stops(ctx context.Context, q querier) (standing *stop, ended int64, err error) {
	var stop stop
	var over bool
	t := &stop.trouble
	err = q.QueryRow(ctx, `SELECT id, trouble, sealed, seen, seen_at, place, resumed_at IS NOT NULL FROM sealing_stops
		ORDER BY (resumed_at IS NULL) DESC, id DESC LIMIT 1`).Scan(&stop.id, &t.Code, &t.Sealed, &t.Seen, &t.SeenAt, &stop.location, &over)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return nil, 0, nil
	case err != nil:
		return nil, 0, fmt.Errorf("ask whether sealing was stopped: %w", err)
	case over:
		return nil, stop.id, nil
	}
	t.known = true
	return &stop, 0, nil
}

// location names the directory of checkpoints among those of all processes; "" when
// it holds none that could be moved away.
func (s *Service) location() string {
	if s.Dir == nil || !s.filled {
		return ""
	}
	return s.host()
}

func (s *Service) host() string {
	host, _ := os.Hostname()
	path, err := filepath.Abs(s.Dir.path)
	if err != nil {
		path = s.Dir.path
	}
	return host + ":" + path
}

// movedAway reports whether the directory that contradicted is this one, and an
// operator has moved it away.
func (s *Service) movedAway(stop *stop) (bool, error) {
	if s.Dir == nil || stop.location == "" || stop.location != s.host() {
		return false, nil
	}
	there, err := s.Dir.last()
	if err != nil {
		return false, &Trouble{Code: Directory, err: err}
	}
	return there == nil, nil
}

// stopped asks whether sealing is stopped, whichever process saw why. A stop that it
// returns has been answered: an operator moved the directory away that
// contradicted. Then, and when somebody has said elsewhere that sealing goes on,
// what this process remembers of before no longer counts.
//
// Errors: *Trouble, the one that stands.
func (s *Service) stopped(ctx context.Context, q querier) (*stop, error) {
	stop, ended, err := stops(ctx, q)
	if err != nil {
		return nil, err
	}
	if stop == nil {
		if ended != s.ended {
			s.seen, s.ended = nil, ended
		}
		return nil, nil
	}
	moved, err := s.movedAway(stop)
	if err != nil {
		return nil, err
	}
	if !moved {
		return nil, &stop.trouble
	}
	return stop, nil
}

// mayResume says that a stop has been answered, and that nothing contradicts.
type mayResume struct{ stop *stop }

func (*mayResume) Error() string { return "sealing may go on" }

// recordStop stops the sealing of every process and records it, unless it is
// stopped already. It reports whether it could.
func (s *Service) recordStop(ctx context.Context, c *Trouble) bool {
	err := s.db.InTx(ctx, func(t database.Tx) error {
		now := s.clock.Now()
		first := t.Exec(`INSERT INTO sealing_stops (trouble, sealed, seen, seen_at, place, stopped_at) VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
			c.Code, c.Sealed, c.Seen, c.SeenAt, s.location(), now)
		if first.Error != nil || first.RowsAffected == 0 {
			return first.Error
		}
		return audit.Record(t, actor(), now, models.ActionSealingStopped, models.OutcomeFailure, audit.About{After: c.attributes()})
	})
	if err != nil {
		s.log.Error("record trouble with sealing", "error", err)
	}
	return err == nil
}

// attributes is what the trail says of a contradiction.
func (t *Trouble) attributes() map[string]any {
	told := map[string]any{"trouble": t.Code, "sealed": t.Sealed, "seen": t.Seen}
	if !t.SeenAt.IsZero() {
		told["seenAt"] = t.SeenAt
	}
	return told
}

// endStop ends a stop in the actor's name; ErrNotFound when it does not stand.
func (s *Service) endStop(ctx context.Context, actor models.Actor, now time.Time, stop *stop, reason string) error {
	return s.db.InTx(ctx, func(t database.Tx) error {
		ended := t.Exec(`UPDATE sealing_stops SET resumed_at = ? WHERE id = ? AND resumed_at IS NULL`, now, stop.id)
		if ended.Error != nil {
			return fmt.Errorf("resume sealing: %w", ended.Error)
		}
		if ended.RowsAffected == 0 {
			return models.ErrNotFound
		}
		return audit.Record(t, actor, now, models.ActionSealingResumed, models.OutcomeSuccess, audit.About{After: stop.trouble.attributes(), Reason: reason})
	})
}

// ResumeSealing has the trail sealed on after a contradiction that no directory of
// checkpoints can be moved away for: somebody has looked, and says why. Where one
// still contradicts, sealing stops again.
//
// Errors: ErrForbidden, what is wrong with the reason, ErrNotFound when sealing is
// not stopped.
func (s *Service) ResumeSealing(ctx context.Context, actor models.Actor, reason string) error {
	now := s.clock.Now()
	if actor.Role != models.SystemRole {
		return models.ErrForbidden
	}
	reason, err := models.Text("reason", reason, 300)
	if err != nil {
		return err
	}
	stop, _, err := stops(ctx, s.db.Pool())
	if err != nil {
		return err
	}
	if stop == nil {
		return models.ErrNotFound
	}
	return s.endStop(ctx, actor, now, stop, reason)
}
