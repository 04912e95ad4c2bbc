package models

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/jackc/pgx/v5"
)

// sealStop is a contradiction that keeps every process from sealing, as the
// database has it: whoever starts later, or has another directory or none, knows
// it as well.
type sealStop struct {
	id      int64
	trouble SealTrouble
	place   string // of the directory that contradicts
}

// or returns the error, or else that of the stop: one that was answered stands
// until sealing on has been tried, and until then no checkpoint leaves, since the
// directory that was moved away is known by its being empty.
func (s *sealStop) or(err error) error {
	if err == nil && s != nil {
		return &s.trouble
	}
	return err
}

// stops reads the stop that stands, nil when none does, and which one ended last.
func stops(ctx context.Context, q querier) (standing *sealStop, ended int64, err error) {
	var stop sealStop
	var over bool
	t := &stop.trouble
	err = q.QueryRow(ctx, `SELECT id, trouble, sealed, seen, seen_at, place, resumed_at IS NOT NULL FROM sealing_stops
		ORDER BY (resumed_at IS NULL) DESC, id DESC LIMIT 1`).Scan(&stop.id, &t.Code, &t.Sealed, &t.Seen, &t.SeenAt, &stop.place, &over)
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

// place names the directory of checkpoints among those of all processes; "" when
// it holds none that could be moved away.
func (s *Seals) place() string {
	if s.dir == nil || !s.filled {
		return ""
	}
	return s.home()
}

func (s *Seals) home() string {
	host, _ := os.Hostname()
	path, err := filepath.Abs(s.dir.path)
	if err != nil {
		path = s.dir.path
	}
	return host + ":" + path
}

// movedAway reports whether the directory that contradicted is this one, and an
// operator has moved it away.
func (s *Seals) movedAway(stop *sealStop) (bool, error) {
	if s.dir == nil || stop.place == "" || stop.place != s.home() {
		return false, nil
	}
	there, err := s.dir.last()
	if err != nil {
		return false, &SealTrouble{Code: SealDirectory, err: err}
	}
	return there == nil, nil
}

// held asks whether sealing is stopped, whichever process saw why. A stop that it
// returns has been answered: an operator moved the directory away that
// contradicted. Then, and when somebody has said elsewhere that sealing goes on,
// what this process remembers of before no longer counts.
//
// Errors: *SealTrouble, the one that stands.
func (s *Seals) held(ctx context.Context, q querier) (*sealStop, error) {
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
type mayResume struct{ stop *sealStop }

func (*mayResume) Error() string { return "sealing may go on" }

// tellStopped stops the sealing of every process and records it, unless it is
// stopped already. It reports whether it could.
func (s *Seals) tellStopped(ctx context.Context, c *SealTrouble) bool {
	err := s.db.transaction(ctx, func(t tx) error {
		now := s.clock.Now()
		first := t.Exec(`INSERT INTO sealing_stops (trouble, sealed, seen, seen_at, place, stopped_at) VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
			c.Code, c.Sealed, c.Seen, c.SeenAt, s.place(), now)
		if first.Error != nil || first.RowsAffected == 0 {
			return first.Error
		}
		return t.record(sealerActor(), now, ActionSealingStopped, OutcomeFailure, about{after: c.told()})
	})
	if err != nil {
		s.log.Error("record trouble with sealing", "error", err)
	}
	return err == nil
}

// told is what the trail says of a contradiction.
func (t *SealTrouble) told() map[string]any {
	told := map[string]any{"trouble": t.Code, "sealed": t.Sealed, "seen": t.Seen}
	if !t.SeenAt.IsZero() {
		told["seenAt"] = t.SeenAt
	}
	return told
}

// endStop ends a stop in the actor's name; ErrNotFound when it does not stand.
func (db *DB) endStop(ctx context.Context, actor Actor, now time.Time, stop *sealStop, reason string) error {
	return db.transaction(ctx, func(t tx) error {
		ended := t.Exec(`UPDATE sealing_stops SET resumed_at = ? WHERE id = ? AND resumed_at IS NULL`, now, stop.id)
		if ended.Error != nil {
			return fmt.Errorf("resume sealing: %w", ended.Error)
		}
		if ended.RowsAffected == 0 {
			return ErrNotFound
		}
		return t.record(actor, now, ActionSealingResumed, OutcomeSuccess, about{after: stop.trouble.told(), reason: reason})
	})
}

// ResumeSealing has the trail sealed on after a contradiction that no directory of
// checkpoints can be moved away for: somebody has looked, and says why. Where one
// still contradicts, sealing stops again.
//
// Errors: ErrForbidden, what is wrong with the reason, ErrNotFound when sealing is
// not stopped.
func (db *DB) ResumeSealing(ctx context.Context, actor Actor, now time.Time, reason string) error {
	if actor.Role != SystemRole {
		return ErrForbidden
	}
	reason, err := text("reason", reason, 300)
	if err != nil {
		return err
	}
	stop, _, err := stops(ctx, db.pool)
	if err != nil {
		return err
	}
	if stop == nil {
		return ErrNotFound
	}
	return db.endStop(ctx, actor, now, stop, reason)
}
