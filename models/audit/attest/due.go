package attest

import (
	"context"
	"errors"
	"fmt"
	"time"

	"veinte/models"
	"veinte/models/audit/sealing"
	"veinte/models/audit/trailfile"
	"veinte/models/database"
)

// row is an attester as the database has it.
type row struct {
	Kind         Kind
	Name         string
	Position     int
	Address      string
	Key          string
	Since        time.Time
	WantedAt     *time.Time
	NextAt       time.Time
	Tries        int
	Trouble      string
	Detail       string
	TroubleSince *time.Time
	SignedOrigin string
	SignedSize   int64
	SignedAt     *time.Time
	ReceivedAt   *time.Time
	SeenSize     int64
}

const rowsSQL = `SELECT kind, name, position, address, key, since, wanted_at, next_at, tries, trouble, detail, trouble_since,
		signed_origin, signed_size, signed_at, received_at, seen_size
	FROM attesters ORDER BY kind DESC, position, name`

// The pauses. A witness signs every hour, while something may have been added or not. An
// authority stamps after a day was closed; where none is closed, once a day all the same,
// as soon as something was added.
const (
	cosignEvery = time.Hour
	stampAtMost = 25 * time.Hour
)

// dueOne is somebody who is to be asked.
type dueOne struct {
	row
	asked Asked
}

// due claims who is to be asked now: nobody is asked by two processes at once.
func (s *Service) due(ctx context.Context, latest *sealing.Checkpoint) (due []dueOne, err error) {
	rows, err := database.Rows[row](ctx, s.db, rowsSQL)
	if err != nil {
		return nil, fmt.Errorf("read who is to sign: %w", err)
	}
	claim, err := trailfile.Unverified(latest.Note)
	if err != nil {
		return nil, err
	}
	closed, err := s.closedAt(ctx)
	if err != nil {
		return nil, err
	}
	now := s.clock.Now()
	for _, r := range rows {
		for _, a := range s.asked {
			if a.Kind != r.Kind || a.Name != r.Name || !r.due(now, claim.Origin, latest.Size, closed) {
				continue
			}
			// Only who still finds it as it was read is the one that asks.
			done, err := s.db.Exec(ctx, `UPDATE attesters SET next_at = $4 WHERE kind = $1 AND name = $2 AND next_at = $3`,
				r.Kind, r.Name, r.NextAt, now.Add(leaseTime))
			if err != nil {
				return nil, fmt.Errorf("claim who is to sign: %w", err)
			}
			if done.RowsAffected() == 1 {
				due = append(due, dueOne{r, a})
			}
		}
	}
	return due, nil
}

// closedAt is the leaf of the last closing of a day, -1 where there is none.
func (s *Service) closedAt(ctx context.Context) (int64, error) {
	last, err := database.Row[struct{ N int64 }](ctx, s.db, `SELECT s.n FROM
			(SELECT id, at FROM audit_entries WHERE action = $1 AND at > $2 ORDER BY at DESC, id DESC LIMIT 50) e
			JOIN sealed_entries s ON s.entry_id = e.id AND s.at = e.at ORDER BY s.n DESC LIMIT 1`,
		models.ActionDayClosed, s.clock.Now().AddDate(0, 0, -7))
	if errors.Is(err, models.ErrNotFound) {
		return -1, nil
	}
	if err != nil {
		return 0, fmt.Errorf("find the last day that was closed: %w", err)
	}
	return last.N, nil
}

// due reports whether it is to be asked for a signature over a checkpoint of size entries,
// of which the last closing is leaf closed.
func (r *row) due(now time.Time, origin string, size, closed int64) bool {
	switch {
	case now.Before(r.NextAt):
		return false
	case r.Tries > 0 || r.ReceivedAt == nil || r.SignedOrigin != origin:
		return true
	case r.WantedAt != nil && r.WantedAt.After(*r.ReceivedAt):
		return true
	case r.Kind == Cosignature:
		return now.Sub(*r.ReceivedAt) >= cosignEvery
	}
	return closed >= r.SignedSize && size > closed || size > r.SignedSize && now.Sub(*r.ReceivedAt) >= stampAtMost
}

// pause is how long one who gave nothing is left alone.
func pause(tries int) time.Duration {
	return min(time.Minute<<min(tries-1, 10), 30*time.Minute)
}
