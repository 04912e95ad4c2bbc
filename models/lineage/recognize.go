package lineage

import (
	"context"
	"fmt"

	"veinte/models"
	"veinte/models/audit"
	"veinte/models/database"
)

// Begin recognizes the database before a process works with it, and records the first
// one.
func (s *Service) Begin(ctx context.Context) error { return s.recognize(ctx, true) }

// Recognize looks whether the database is another one than before, or an older state
// of itself, and records that. Whoever sends calls it when Recognized is false, and the
// sweep does.
//
// Errors: OutageDatabase while the database takes no writes.
func (s *Service) Recognize(ctx context.Context) error { return s.recognize(ctx, false) }

func (s *Service) recognize(ctx context.Context, begins bool) error {
	s.one.Lock()
	defer s.one.Unlock()
	generation := s.DB.Generation()
	met := generation != s.known.Load()
	var lost []Sent
	if met {
		if _, err := s.look(ctx); err != nil { // nothing can be recorded in a standby
			return err
		}
		if s.Compare != nil {
			if err := s.Compare(ctx); err != nil {
				return fmt.Errorf("compare the database with what is outside: %w", err)
			}
		}
		var err error
		if lost, err = s.missing(ctx); err != nil {
			return err
		}
	}
	now, err := s.look(ctx)
	if err != nil {
		return err
	}
	var changed *Change
	if now.cause(len(lost) > 0) != "" && (now.Last != "" || begins || now.StopID != nil || len(lost) > 0) {
		if changed, err = s.record(ctx, lost); err != nil {
			return err
		}
	}
	s.sent.forget(lost)
	if changed != nil && changed.Cause != First {
		s.Logger.ErrorContext(ctx, "the database is another one, or an older state of itself: what it calls requested is not sent",
			"cause", changed.Cause, "doubts", changed.Doubts, "lost", len(lost))
	}
	if met || changed != nil { // doubts first: each occupies its terminal, also against what is requested here
		if err := s.Changed(ctx); err != nil {
			return err
		}
	}
	s.known.Store(generation)
	return nil
}

// state is what the database says of itself.
type state struct {
	Here   database.Identity
	Last   string // the place of the last change; "" when there is none
	StopID *int64 // a stop of the sealing for which nothing was recorded; nil when there is none
	Waits  bool   // commits of this session wait for a standby
}

const stateSQL = `SELECT database_identity() AS here, commits_wait() AS waits,
		coalesce((SELECT identity FROM database_changes ORDER BY id DESC LIMIT 1), '') AS last,
		(SELECT id FROM sealing_stops s WHERE resumed_at IS NULL
			AND NOT EXISTS (SELECT FROM database_changes WHERE stop_id = s.id)) AS stop_id`

// look reads the state, and logs when commits do not wait that were promised to.
func (s *Service) look(ctx context.Context) (state, error) {
	now, err := database.Row[state](ctx, s.DB.Pool(), stateSQL)
	if err != nil {
		return now, fmt.Errorf("ask which database this is: %w", err)
	}
	if now.Here.Standby() {
		return now, fmt.Errorf("ask which database this is: %w", database.OutageDatabase)
	}
	if s.known.Load() == 0 && now.Here.Hidden() {
		s.Logger.WarnContext(ctx, "PostgreSQL keeps its identity from this role: not every copy of the database is recognized; "+
			"name AUDIT_CHECKPOINT_DIR", "identity", now.Here)
	}
	if was := s.waiting.Swap(now.Waits); s.KeepsCommits && !now.Waits && (was || s.known.Load() == 0) {
		s.Logger.WarnContext(ctx, "FAILOVER_KEEPS_COMMITS is on and does not count: commits here wait for no standby; "+
			"see synchronous_standby_names and synchronous_commit")
	}
	return now, nil
}

// cause returns why the database is not the one of before; "" when it is.
func (n *state) cause(lost bool) Cause {
	last := database.Identity(n.Last + "/0")
	here := database.Identity(n.Here.Place() + "/0")
	switch {
	case lost:
		return Lost
	case n.StopID != nil:
		return Behind
	case n.Last == "":
		return First
	case last == here:
		return ""
	case last.PromotedTo(here):
		return Promoted
	}
	return Copied
}

// record stores the change, unless another process was quicker.
func (s *Service) record(ctx context.Context, lost []Sent) (changed *Change, err error) {
	err = s.DB.InTx(ctx, func(t database.Tx) error {
		changed = nil
		if err := t.Lock(database.LockRecognizing); err != nil {
			return err
		}
		states, err := database.TxRows[state](ctx, t, stateSQL)
		if err != nil {
			return fmt.Errorf("ask which database this is: %w", err)
		}
		now := &states[0]
		cause := now.cause(len(lost) > 0)
		if cause == "" {
			return nil
		}
		c := &Change{Cause: cause, NoticedAt: s.Clock.Now()}
		identity := now.Here
		if cause == Lost || cause == Behind {
			identity = identity.SetBack()
		}
		if c.Doubts, err = s.doubts(ctx, t, identity); err != nil {
			return err
		}
		err = t.Exec(`INSERT INTO database_changes (identity, cause, doubts, stop_id, noticed_at) VALUES (?, ?, ?, ?, ?)`,
			now.Here.Place(), c.Cause, c.Doubts, now.StopID, c.NoticedAt).Error
		if err != nil {
			return fmt.Errorf("record that the database is another one: %w", err)
		}
		changed = c
		if cause == First {
			return nil
		}
		return audit.Record(t, models.System("database", ""), c.NoticedAt, models.ActionDatabaseChanged, models.OutcomeUnknown, audit.About{
			Before: map[string]any{"database": now.Last}, After: attributes(now, c, lost),
		})
	})
	return changed, err
}

// attributes is what the trail records of a change.
func attributes(now *state, c *Change, lost []Sent) map[string]any {
	after := map[string]any{"database": now.Here.Place(), "cause": c.Cause, "doubts": c.Doubts}
	if len(lost) > 0 {
		var orders []string
		for _, x := range lost[:min(len(lost), maxNamed)] {
			orders = append(orders, x.OrderID)
		}
		after["lost"], after["lostOrders"] = len(lost), orders
	}
	return after
}

// maxNamed is how many orders the trail names of those that were lost.
const maxNamed = 200

// doubts counts what is requested and was so in another database.
func (s *Service) doubts(ctx context.Context, t database.Tx, here database.Identity) (n int, err error) {
	groups, err := database.TxRows[struct {
		AskedIn database.Identity
		Waited  bool
		Count   int
	}](ctx, t, `SELECT asked_in, coalesce(asked_waited, false) AS waited, count(*) AS count FROM cancellations
		WHERE state = `+models.RequestedSQL+` AND asked_in IS NOT NULL GROUP BY 1, 2`)
	if err != nil {
		return 0, fmt.Errorf("count what was requested in another database: %w", err)
	}
	for _, g := range groups {
		if s.Elsewhere(g.AskedIn, here, g.Waited) {
			n += g.Count
		}
	}
	return n, nil
}
