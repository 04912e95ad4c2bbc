package verify

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"veinte/models"
	"veinte/models/database"
)

// clockJump is a clock that was put right, as a sealed entry of the trail says. Entries
// after it are older than those before it, and nobody has written them later.
type clockJump struct {
	N      int64 // the leaf of its entry
	ID     int64
	At     time.Time
	Before time.Time // what the clock would have shown
}

// toldWithin is how long after a clock was put right a server says so, at most.
const toldWithin = time.Minute

// readJumps reads the sealed entries of clocks that were put back, in the trail's order.
func (t *trailRun) readJumps(ctx context.Context, tx pgx.Tx) error {
	rows, err := database.Rows[struct {
		N, ID  int64
		At     time.Time
		Before string
	}](ctx, tx, `SELECT s.n, e.id, e.at, coalesce(e.before->>'clock', '') AS before
		FROM audit_entries e JOIN sealed_entries s ON s.entry_id = e.id WHERE e.action = $1 ORDER BY s.n`, models.ActionClockJumped)
	if err != nil {
		return fmt.Errorf("read jumps of the clock: %w", err)
	}
	for _, row := range rows {
		before, err := time.Parse(time.RFC3339Nano, row.Before)
		if err != nil {
			continue // such an entry explains nothing
		}
		t.jumps = append(t.jumps, clockJump{row.N, row.ID, row.At, before})
		t.v.Remarks = append(t.v.Remarks, Finding{
			Code: RemarkClock, EntryID: row.ID, N: row.N, At: row.At,
			Detail: fmt.Sprintf("it would have shown %s", before.UTC().Format(time.RFC3339)),
		})
	}
	return nil
}

// explains reports whether the clock that was put back makes an entry older than one
// before it.
func (j *clockJump) explains(n int64, at, youngest time.Time) bool {
	return j.Before.After(j.At) && !youngest.After(j.Before.Add(tooOld)) && // it went back, and from there
		(n == j.N || n < j.N && !at.Before(j.At.Add(-toldWithin)) && !at.After(j.At))
}

// sealedAfter reports whether a checkpoint is older than an entry that it has sealed
// because the clock was put back between the two.
func (j *clockJump) sealedAfter(n int64, at, sealed time.Time) bool {
	return j.Before.After(j.At) && n < j.N && !at.After(j.Before.Add(tooOld)) && sealed.Sub(j.At).Abs() <= toldWithin
}
