package sealing

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"veinte/models/audit/trailfile"
	"veinte/models/database"
)

// beatEvery is how often a checkpoint is signed again to which nothing was added: it
// says that there was nothing until then.
const beatEvery = time.Hour

// atRestSQL asks whether nothing waits to be sealed, and nobody is writing who could still
// add what is older than now: this transaction has a number, and there is no lower one.
const atRestSQL = `SELECT pg_snapshot_xmin(s) = pg_current_xact_id() AND NOT EXISTS (SELECT FROM audit_entries
	WHERE (era, txid, id) > ($1, $2::text::xid8, $3)) FROM pg_current_snapshot() s`

// beat signs the last checkpoint again, once an hour has passed since it was signed, and
// when nothing is under way.
func (s *Service) beat(ctx context.Context, tx pgx.Tx, last SealedEnd) error {
	now := s.clock.Now().UTC().Truncate(time.Microsecond)
	if last.Size == 0 || now.Sub(last.signed) < beatEvery {
		return nil
	}
	if _, err := tx.Exec(ctx, `SELECT pg_current_xact_id()`); err != nil {
		return fmt.Errorf("seal: %w", err)
	}
	var rests bool
	if err := tx.QueryRow(ctx, atRestSQL, last.Era, fmt.Sprint(last.Txid), last.Id).Scan(&rests); err != nil || !rests {
		return err
	}
	// Over what is still the tree: what was changed since is not signed once more.
	if _, err := s.edgeOf(ctx, tx, last); err != nil {
		return err
	}
	c := trailfile.Checkpoint{Origin: s.origin(), Size: last.Size, Root: last.root, Time: now}
	signed, err := c.Sign(s.signers...)
	if err != nil {
		return err
	}
	_, err = tx.Exec(ctx, `INSERT INTO checkpoint_beats (sealed_at, size, note) VALUES ($1, $2, $3)`, now, last.Size, signed)
	if err == nil {
		err = tx.Commit(ctx)
	}
	if err != nil {
		return fmt.Errorf("seal: sign %d entries again: %w", last.Size, err)
	}
	return nil
}

// fullEvery is how often everything is looked at although nothing is new.
const fullEvery = 30 * time.Second

// news is what changes when there is something to do.
type news struct {
	Size  int64 // of the last checkpoint; 0 before the first
	Stops int64 // of sealing that began, and that ended
	Ready bool  // an entry can be sealed
}

// newsSQL asks in one statement whether there is anything to seal or to compare. A server
// at rest asks nothing else.
const newsSQL = `SELECT coalesce(c.size, 0) AS size, (SELECT count(*) + count(resumed_at) FROM sealing_stops) AS stops,
		coalesce((e.era, e.txid) < (trail_era(), pg_snapshot_xmin(pg_current_snapshot())), false) AS ready
	FROM (SELECT 1) one
		LEFT JOIN (SELECT * FROM checkpoints ORDER BY size DESC LIMIT 1) c ON true
		LEFT JOIN LATERAL (SELECT era, txid FROM audit_entries
			WHERE (era, txid, id) > (coalesce(c.era, 1), coalesce(c.txid, '0'), coalesce(c.entry_id, 0)) ORDER BY era, txid, id LIMIT 1) e ON true`

// rest is how all stood when nothing was left to do.
type rest struct {
	news
	dir   contents
	since time.Time
}

// settle remembers how all stands after everything was looked at.
func (s *Service) settle(ctx context.Context) {
	r := &rest{since: time.Now()}
	var err error
	if r.news, err = database.Row[news](ctx, s.db, newsSQL); err != nil || r.Ready {
		return
	}
	if s.Dir != nil {
		if r.dir, err = s.Dir.look(); err != nil {
			return
		}
	}
	s.rest = r
}

// quiet reports whether nothing is to be done since everything was last looked at.
func (s *Service) quiet(ctx context.Context) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.rest == nil || time.Since(s.rest.since) >= fullEvery {
		return false
	}
	now, err := database.Row[news](ctx, s.db, newsSQL)
	if err != nil || now != s.rest.news {
		return false
	}
	if s.Dir != nil {
		if dir, err := s.Dir.look(); err != nil || dir.last != s.rest.dir.last || dir.foreign != s.rest.dir.foreign {
			return false
		}
	}
	s.note(ctx, s.foreign()) // which the others believe for a while only
	return true
}
