package sealing

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"veinte/models"
	"veinte/models/audit"
	"veinte/models/audit/trailfile"
	"veinte/models/audit/trailfile/notes"
	"veinte/models/database"
)

// stop is a contradiction that prevents every process from sealing. It is stored in
// the database, so that a process that starts later, or has another directory or
// none, sees it as well.
type stop struct {
	id       int64
	trouble  Trouble
	location string // of the directory that contradicts

	beginning int // of the trail, when the stop is over
}

// or returns the error, or else that of the stop. A stop that an operator has
// answered remains until sealing was tried again. Until then no checkpoint is
// published: a directory that was moved away is recognized by being empty.
func (s *stop) or(err error) error {
	if err == nil && s != nil {
		return &s.trouble
	}
	return err
}

// past is the last stop that is over, and the beginning of the trail since then.
type past struct {
	id        int64 // 0 for none
	beginning int
}

// stops reads the stop in force, nil when there is none, and what is over.
func stops(ctx context.Context, q database.Querier) (standing *stop, over past, err error) {
	row, err := database.Row[struct {
		ID        int64
		Trouble   string
		Sealed    int64
		Seen      int64
		SeenAt    time.Time
		Place     string
		Over      bool
		Next      int
		Beginning int
	}](ctx, q, `SELECT id, trouble, sealed, seen, seen_at, place, resumed_at IS NOT NULL AS over, beginning AS next,
			coalesce((SELECT max(beginning) FROM sealing_stops WHERE resumed_at IS NOT NULL), 1) AS beginning
		FROM sealing_stops ORDER BY (resumed_at IS NULL) DESC, id DESC LIMIT 1`)
	switch {
	case errors.Is(err, models.ErrNotFound):
		return nil, past{beginning: 1}, nil
	case err != nil:
		return nil, past{}, fmt.Errorf("ask whether sealing was stopped: %w", err)
	case row.Over:
		return nil, past{row.ID, row.Beginning}, nil
	}
	trouble := Trouble{Code: row.Trouble, Sealed: row.Sealed, Seen: row.Seen, SeenAt: row.SeenAt, known: true}
	return &stop{id: row.ID, trouble: trouble, location: row.Place, beginning: row.Next}, past{beginning: row.Beginning}, nil
}

// location identifies the directory of checkpoints among those of all processes; ""
// when it has none that could be moved away.
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
	there, err := s.Dir.look()
	if err != nil {
		return false, &Trouble{Code: Directory, err: err}
	}
	return there.last == nil && there.foreign == "", nil
}

// stopped reports whether sealing is stopped, by whichever process. A stop that it
// returns has been answered: an operator moved the contradicting directory away.
// Then, and when somebody has confirmed elsewhere that sealing continues, the
// checkpoint that this process remembers no longer counts.
//
// Errors: *Trouble, the one in force.
func (s *Service) stopped(ctx context.Context, q database.Querier) (*stop, error) {
	stop, over, err := stops(ctx, q)
	if err != nil {
		return nil, err
	}
	s.beginning.Store(int64(over.beginning))
	if stop == nil {
		if over.id != s.ended {
			s.seen, s.ended = nil, over.id
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

// mayResume is returned when a stop has been answered and nothing contradicts.
type mayResume struct{ stop *stop }

func (*mayResume) Error() string { return "sealing may go on" }

// recordStop stops the sealing of every process and records it, unless it is
// stopped already.
func (s *Service) recordStop(ctx context.Context, c *Trouble) {
	err := s.db.InTx(ctx, func(t database.Tx) error {
		now := s.clock.Now()
		first := t.Exec(`INSERT INTO sealing_stops (trouble, sealed, seen, seen_at, place, stopped_at, beginning)
			VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`, c.Code, c.Sealed, c.Seen, c.SeenAt, s.location(), now, s.next(c))
		if first.Error != nil || first.RowsAffected == 0 {
			return first.Error
		}
		return audit.Record(t, actor(), now, models.ActionSealingStopped, models.OutcomeFailure, audit.About{After: c.attributes()})
	})
	if err != nil {
		s.log.Error("record trouble with sealing", "error", err)
	}
}

// next is the beginning of the trail after a contradiction: one that no checkpoint has which
// this process knows, also of a database that was put back more than once.
func (s *Service) next(c *Trouble) int {
	beginning := int(s.beginning.Load())
	if seen, err := trailfile.Unverified(c.Note); err == nil {
		_, theirs := notes.SplitOrigin(seen.Origin)
		beginning = max(beginning, theirs)
	}
	return min(beginning+1, notes.MaxBeginning)
}

// Compare looks whether the database and the checkpoints outside contradict each other,
// and returns once a contradiction is recorded. It does not wait for another process.
func (s *Service) Compare(ctx context.Context) error {
	if !s.Sealing() {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	_, err := s.batch(ctx, false)
	var trouble *Trouble
	switch {
	case errors.As(err, new(*mayResume)):
		return nil
	case !errors.As(err, &trouble):
		return err
	case !trouble.contradiction():
		return nil // the directory cannot be read, which is said elsewhere
	}
	s.note(ctx, err)
	stop, _, err := stops(ctx, s.db)
	if err == nil && stop == nil {
		err = trouble
	}
	return err
}

// attributes is what the trail records of a contradiction.
func (t *Trouble) attributes() map[string]any {
	after := map[string]any{"trouble": t.Code, "sealed": t.Sealed, "seen": t.Seen}
	if !t.SeenAt.IsZero() {
		after["seenAt"] = t.SeenAt
	}
	if t.Note != "" { // whoever empties the directory does not take it away
		after["signedCheckpoint"] = t.Note
	}
	return after
}

// endStop ends a stop in the actor's name; ErrNotFound when it is not in force.
func (s *Service) endStop(ctx context.Context, actor models.Actor, stop *stop, reason string) error {
	return s.db.InTx(ctx, func(t database.Tx) error {
		now := s.clock.Now()
		ended := t.Exec(`UPDATE sealing_stops SET resumed_at = ? WHERE id = ? AND resumed_at IS NULL`, now, stop.id)
		if ended.Error != nil {
			return fmt.Errorf("resume sealing: %w", ended.Error)
		}
		if ended.RowsAffected == 0 {
			return models.ErrNotFound
		}
		after := stop.trouble.attributes()
		after["beginning"] = stop.beginning
		about := audit.About{After: after, Reason: reason}
		return audit.Record(t, actor, now, models.ActionSealingResumed, models.OutcomeSuccess, about)
	})
}

// ResumeSealing continues sealing after a contradiction for which no directory of
// checkpoints can be moved away: somebody has reviewed it, and gives the reason. If
// a directory still contradicts, sealing stops again.
//
// Errors: ErrForbidden, what is wrong with the reason, ErrNotFound when sealing is
// not stopped.
func (s *Service) ResumeSealing(ctx context.Context, actor models.Actor, reason string) error {
	if actor.Role != models.SystemRole {
		return models.ErrForbidden
	}
	reason, err := models.Text("reason", reason, 300)
	if err != nil {
		return err
	}
	stop, _, err := stops(ctx, s.db)
	if err != nil {
		return err
	}
	if stop == nil {
		return models.ErrNotFound
	}
	return s.endStop(ctx, actor, stop, reason)
}
