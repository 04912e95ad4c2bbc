package sealing

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"veinte/models"
	"veinte/models/audit"
	"veinte/models/database"
)

// actor is the actor of the sealer's entries.
func actor() models.Actor { return models.System("sealer", "") }

// recordKeys records with which keys the trail is sealed, when they differ from the
// last recorded ones: the first time, and after each rotation. It runs when a
// process starts, so that two that are restarted one by one record it once.
func (s *Service) recordKeys(ctx context.Context) error {
	keys := make([]string, len(s.signers))
	for i, k := range s.signers {
		keys[i] = fmt.Sprintf("%s+%08x", k.Name(), k.KeyHash())
	}
	return s.db.InTx(ctx, func(t database.Tx) error {
		if err := t.Lock(database.LockSealingKeys); err != nil {
			return err
		}
		before, err := lastKeys(t)
		if err != nil || len(before) > 0 && before[0] == keys[0] {
			return err
		}
		a := audit.About{After: map[string]any{"keys": keys}}
		if before != nil {
			a.Before = map[string]any{"keys": before}
		}
		return audit.Record(t, actor(), s.clock.Now(), models.ActionSealingKeys, models.OutcomeSuccess, a)
	})
}

// learnKeys reads which keys sealed this trail before: what they have signed is in the
// directory beside what the present ones sign, and nobody else's.
func (s *Service) learnKeys(ctx context.Context) error {
	if s.Dir == nil {
		return nil
	}
	keys, err := database.Rows[struct{ Key string }](ctx, s.db,
		`SELECT DISTINCT jsonb_array_elements_text(after->'keys') AS key FROM audit_entries WHERE action = $1`, models.ActionSealingKeys)
	if err != nil {
		return fmt.Errorf("read the keys that sealed before: %w", err)
	}
	former := map[string]bool{}
	for _, k := range keys {
		former[k.Key] = true
	}
	s.Dir.forget(former)
	return nil
}

// lastKeys returns the keys that were recorded last; nil when none were.
func lastKeys(t database.Tx) ([]string, error) {
	var e models.AuditEntry
	err := database.TakeRow(t.Where("action = ?", models.ActionSealingKeys).Order("at DESC, id DESC"), &e)
	if errors.Is(err, models.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("find the last keys: %w", err)
	}
	var after struct{ Keys []string }
	if err := json.Unmarshal(e.After, &after); err != nil {
		return nil, fmt.Errorf("read the last keys: %w", err)
	}
	return after.Keys, nil
}

// Status is the status of sealing, whichever process does it.
type Status struct {
	Size      int64         // entries sealed; 0: the trail was never sealed
	SealedAt  time.Time     // of the last checkpoint
	Lag       time.Duration // for which the oldest entry has waited; 0 when none waits
	PausedFor time.Duration // for which the transaction has run that it waits for; 0: for none
	Stop      *Trouble      // the contradiction that some process saw; nil when none is in force
	Directory *Trouble      // a process that seals cannot write checkpoints out; nil when all can
	Unguarded []string      // what of the database's own guards over the trail is off
}

// StatusSQL reads what waits to be sealed: the last checkpoint with the oldest entry
// after it. Where that entry waits for a transaction, the last column is for how
// long the oldest one has run, in seconds: null when this role may not see it. All
// that is committed after that transaction began waits with it: it could still add
// an entry before the others.
const StatusSQL = `SELECT c.size, c.sealed_at, e.at AS oldest, coalesce((e.era, e.txid) >= (trail_era(), h.xmin), false) AS waits,
		CASE WHEN (e.era, e.txid) >= (trail_era(), h.xmin) THEN extract(epoch FROM clock_timestamp() - (SELECT min(began) FROM (
			SELECT xact_start AS began FROM pg_stat_activity WHERE backend_xid = h.xmin::xid
			UNION ALL SELECT prepared FROM pg_prepared_xacts WHERE transaction = h.xmin::xid) running))::float8 END AS running
	FROM (SELECT * FROM checkpoints ORDER BY size DESC LIMIT 1) c
		CROSS JOIN (SELECT pg_snapshot_xmin(pg_current_snapshot()) AS xmin) h
		LEFT JOIN LATERAL (SELECT at, era, txid FROM audit_entries
			WHERE (era, txid, id) > (c.era, c.txid, c.entry_id) ORDER BY era, txid, id LIMIT 1) e ON true`

// Status reads the status of sealing.
func (s *Service) Status(ctx context.Context) (st Status, err error) {
	row, err := database.Row[struct {
		Size     int64
		SealedAt time.Time
		Oldest   *time.Time
		Waits    bool
		Running  *float64
	}](ctx, s.db, StatusSQL)
	if err != nil && !errors.Is(err, models.ErrNotFound) {
		return st, fmt.Errorf("ask how sealing stands: %w", err)
	}
	st.Size, st.SealedAt = row.Size, row.SealedAt
	if row.Oldest != nil {
		st.Lag = max(s.clock.Now().Sub(*row.Oldest), 0)
	}
	if row.Waits {
		st.PausedFor = st.Lag // it began before what waits for it was written
		if row.Running != nil {
			st.PausedFor = max(time.Duration(*row.Running*float64(time.Second)), time.Nanosecond)
		}
	}
	stop, _, err := stops(ctx, s.db)
	if stop != nil {
		st.Stop = &stop.trouble
	}
	if err == nil {
		st.Directory, err = s.directoryTrouble(ctx)
	}
	if err == nil {
		st.Unguarded, err = s.Unguarded(ctx)
	}
	return st, err
}

// tellEvery is how often a process that cannot write checkpoints out says so to the
// others, and believedFor for how long they believe it: it may be gone.
const (
	tellEvery   = 15 * time.Second
	believedFor = time.Minute
)

// tell says to the processes that only read what is wrong with the directory of
// checkpoints, nil for nothing: where sealing is a process of its own, nobody looks at
// its log.
func (s *Service) tell(ctx context.Context, t *Trouble) {
	if s.Dir == nil || t == nil && s.cleared {
		return
	}
	now := s.clock.Now()
	var err error
	switch {
	case t == nil:
		_, err = s.db.Exec(ctx, `DELETE FROM sealer_troubles WHERE place = $1`, s.host())
		s.told = time.Time{}
	case now.Sub(s.told) < tellEvery && s.tells == t.Code+t.Detail:
		return
	default:
		_, err = s.db.Exec(ctx, `INSERT INTO sealer_troubles (place, trouble, detail, since, seen_at) VALUES ($1, $2, $3, $4, $4)
			ON CONFLICT (place) DO UPDATE SET seen_at = excluded.seen_at, trouble = excluded.trouble, detail = excluded.detail`,
			s.host(), t.Code, models.Legible(t.Detail, maxDetail), now)
		s.told, s.tells = now, t.Code+t.Detail
	}
	s.cleared = t == nil && err == nil
	if err != nil {
		s.log.Warn("tell of the directory of checkpoints", "error", err)
	}
}

// maxDetail is how long a trouble's detail may be, in characters.
const maxDetail = 300

// directoryTrouble returns the oldest trouble of those that seal; nil when there is none.
func (s *Service) directoryTrouble(ctx context.Context) (*Trouble, error) {
	row, err := database.Row[struct {
		Trouble, Detail string
		Since           time.Time
	}](ctx, s.db, `SELECT trouble, detail, since FROM sealer_troubles WHERE seen_at > $1 ORDER BY since LIMIT 1`,
		s.clock.Now().Add(-believedFor))
	if errors.Is(err, models.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("ask for trouble with sealing: %w", err)
	}
	return &Trouble{Code: row.Trouble, Detail: row.Detail, Since: row.Since}, nil
}

// longLag is how long entries may wait before people are notified: longer than most
// transactions that delay the others.
const longLag = 2 * time.Minute

// Notice returns what people should know about sealing; nil when all is well, or the
// trail was never sealed.
func (s *Service) Notice(ctx context.Context) (*Trouble, error) {
	st, err := s.Status(ctx)
	if err != nil {
		return nil, err
	}
	if st.Stop != nil {
		return st.Stop, nil
	}
	if t := s.Trouble(); t != nil && (t.contradiction() || t.Code == Directory || t.Code == Foreign) {
		return t, nil
	}
	if len(st.Unguarded) > 0 {
		return &Trouble{Code: Unguarded, Detail: strings.Join(st.Unguarded, ", ")}, nil
	}
	if st.Lag < longLag {
		return st.Directory, nil
	}
	t := &Trouble{Code: Lagging, Sealed: st.Size, SeenAt: st.SealedAt}
	if st.PausedFor > 0 {
		t.Code, t.Since = Paused, s.clock.Now().Add(-st.PausedFor)
	}
	return t, nil
}
