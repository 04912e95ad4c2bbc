package models

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
)

// sealerActor is who does what the sealer does.
func sealerActor() Actor { return System("sealer", "") }

// tellKeys records with which keys the trail is sealed, when that is not what
// was told last: the first time, and after each rotation. It is asked when a
// process starts, so that two that are restarted one by one tell it once.
func (s *Seals) tellKeys(ctx context.Context) error {
	keys := make([]string, len(s.signers))
	for i, k := range s.signers {
		keys[i] = fmt.Sprintf("%s+%08x", k.Name(), k.KeyHash())
	}
	return s.db.transaction(ctx, func(t tx) error {
		if err := t.lock(LockSealingKeys); err != nil {
			return err
		}
		before, err := lastKeys(t)
		if err != nil || len(before) > 0 && before[0] == keys[0] {
			return err
		}
		a := about{after: map[string]any{"keys": keys}}
		if before != nil {
			a.before = map[string]any{"keys": before}
		}
		return t.record(sealerActor(), s.clock.Now(), ActionSealingKeys, OutcomeSuccess, a)
	})
}

// lastKeys returns the keys that were told last; nil when none were.
func lastKeys(t tx) ([]string, error) {
	var e AuditEntry
	err := take(t.Where("action = ?", ActionSealingKeys).Order("at DESC, id DESC"), &e)
	if errors.Is(err, ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("find the last keys: %w", err)
	}
	var told struct{ Keys []string }
	if err := json.Unmarshal(e.After, &told); err != nil {
		return nil, fmt.Errorf("read the last keys: %w", err)
	}
	return told.Keys, nil
}

// SealStanding is how the sealing of the trail stands, whichever process does it.
type SealStanding struct {
	Size     int64         // entries sealed; 0: the trail was never sealed
	SealedAt time.Time     // of the last checkpoint
	Lag      time.Duration // for which the oldest entry has waited; 0 when none waits
	Held     time.Duration // for which the transaction has run that it waits for; 0: for none
	Stop     *SealTrouble  // the contradiction that some process saw; nil when none stands
}

// sealStandingSQL says what waits to be sealed. It is the last checkpoint with the
// oldest entry behind it. Where that entry waits for a transaction, the
// last column is for how long the oldest one has run, in seconds: null when this
// role may not know. All that is committed after it began waits with it: it could
// still add an entry before theirs.
const sealStandingSQL = `SELECT c.size, c.sealed_at, e.at, coalesce((e.era, e.txid) >= (trail_era(), h.xmin), false),
		CASE WHEN (e.era, e.txid) >= (trail_era(), h.xmin) THEN extract(epoch FROM clock_timestamp() - (SELECT min(began) FROM (
			SELECT xact_start AS began FROM pg_stat_activity WHERE backend_xid = h.xmin::xid
			UNION ALL SELECT prepared FROM pg_prepared_xacts WHERE transaction = h.xmin::xid) running))::float8 END
	FROM (SELECT * FROM checkpoints ORDER BY size DESC LIMIT 1) c
		CROSS JOIN (SELECT pg_snapshot_xmin(pg_current_snapshot()) AS xmin) h
		LEFT JOIN LATERAL (SELECT at, era, txid FROM audit_entries
			WHERE (era, txid, id) > (c.era, c.txid, c.entry_id) ORDER BY era, txid, id LIMIT 1) e ON true`

// Standing reads how the sealing stands.
func (s *Seals) Standing(ctx context.Context) (SealStanding, error) {
	st, err := sealStanding(ctx, s.db.pool, s.clock.Now())
	if err != nil {
		return st, err
	}
	stop, _, err := stops(ctx, s.db.pool)
	if stop != nil {
		st.Stop = &stop.trouble
	}
	return st, err
}

func sealStanding(ctx context.Context, q querier, now time.Time) (SealStanding, error) {
	var st SealStanding
	var oldest *time.Time
	var waits bool
	var running *float64
	err := q.QueryRow(ctx, sealStandingSQL).Scan(&st.Size, &st.SealedAt, &oldest, &waits, &running)
	if errors.Is(err, pgx.ErrNoRows) {
		return st, nil
	}
	if err != nil {
		return st, fmt.Errorf("ask how sealing stands: %w", err)
	}
	if oldest != nil {
		st.Lag = max(now.Sub(*oldest), 0)
	}
	if waits {
		st.Held = st.Lag // it began before what waits for it was written
		if running != nil {
			st.Held = max(time.Duration(*running*float64(time.Second)), time.Nanosecond)
		}
	}
	return st, nil
}

// longLag is how long entries may wait before people are told: longer than
// transactions usually take that hold the others up.
const longLag = 2 * time.Minute

// notice says what people should know of the sealing; nil when all is well, or
// the trail was never sealed.
func (s *Seals) notice(ctx context.Context) (*SealTrouble, error) {
	st, err := s.Standing(ctx)
	if err != nil {
		return nil, err
	}
	if st.Stop != nil {
		return st.Stop, nil
	}
	if t := s.Trouble(); t != nil && (t.contradiction() || t.Code == SealDirectory) {
		return t, nil
	}
	if st.Lag < longLag {
		return nil, nil
	}
	t := &SealTrouble{Code: SealLagging, Sealed: st.Size, SeenAt: st.SealedAt}
	if st.Held > 0 {
		t.Code, t.Since = SealHeld, s.clock.Now().Add(-st.Held)
	}
	return t, nil
}
