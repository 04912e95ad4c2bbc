package verify

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"veinte/models"
	"veinte/models/audit/trailfile"
	"veinte/models/database"
)

// Whole is what has to be known beside a verdict: a trail can be consistent in itself and
// yet have been sealed with gaps, or have left this server since yesterday only.
type Whole struct {
	Stops []Stop `json:"stops,omitempty"` // of sealing; the latest first
	// Keys is when the trail was sealed with other keys than before; the latest first.
	Keys []time.Time `json:"keys,omitempty"`
	// Oldest is when the oldest entry that is not sealed was written.
	Oldest *time.Time `json:"oldest,omitempty"`
	Months int        `json:"months,omitempty"` // archived
	// Since and Until are of the oldest and the youngest checkpoint outside with which the
	// trail agrees; nil when it was compared with none.
	Since *time.Time `json:"since,omitempty"`
	Until *time.Time `json:"until,omitempty"`
	// Compared is when the tables beside the trail were last compared with it; nil: never.
	Compared *time.Time `json:"compared,omitempty"`
}

// Stop is a time in which nothing was sealed because a checkpoint outside contradicted.
type Stop struct {
	Trouble   string     `json:"trouble"` // seal.shorter or seal.different
	Sealed    int64      `json:"sealed"`  // entries that the database had
	Seen      int64      `json:"seen"`    // entries that the checkpoint had
	StoppedAt time.Time  `json:"stoppedAt"`
	ResumedAt *time.Time `json:"resumedAt,omitempty"` // nil while it stands
}

// maxWhole limits how many stops and keys are told.
const maxWhole = 10

// readWhole reads what has to be known beside the verdict.
func (t *trailRun) readWhole(ctx context.Context, tx pgx.Tx) (err error) {
	w := &t.v.Whole
	w.Stops, err = database.Rows[Stop](ctx, tx, `SELECT trouble, sealed, seen, stopped_at, resumed_at FROM sealing_stops
		ORDER BY id DESC LIMIT $1`, maxWhole)
	if err != nil {
		return fmt.Errorf("read stops of sealing: %w", err)
	}
	// The first key is no other one.
	rows, err := tx.Query(ctx, `SELECT at FROM audit_entries WHERE action = $1 AND before IS NOT NULL ORDER BY at DESC LIMIT $2`,
		models.ActionSealingKeys, maxWhole)
	if err != nil {
		return fmt.Errorf("read keys of sealing: %w", err)
	}
	if w.Keys, err = pgx.CollectRows(rows, pgx.RowTo[time.Time]); err != nil {
		return fmt.Errorf("read keys of sealing: %w", err)
	}
	err = tx.QueryRow(ctx, `SELECT min(at) FROM (SELECT at FROM audit_entries WHERE (era, txid, id) > ($1, $2::text::xid8, $3)
		ORDER BY era, txid, id LIMIT 1000) x`, max(t.last.Era, 1), fmt.Sprint(t.last.Txid), t.last.Id).Scan(&w.Oldest)
	if err != nil {
		return fmt.Errorf("read the oldest entry that is not sealed: %w", err)
	}
	w.Months = len(t.archived)
	return nil
}

// agrees notes a checkpoint outside with which the trail agrees.
func (w *Whole) agrees(c *trailfile.Checkpoint) {
	if w.Since == nil || c.Time.Before(*w.Since) {
		w.Since = &c.Time
	}
	if w.Until == nil || c.Time.After(*w.Until) {
		w.Until = &c.Time
	}
}

// Level is how much an intact trail is vouched for. Each has a text of its own.
type Level string

// The levels. Of a time stamp or a witness nothing is known here yet.
const (
	InItself Level = "itself" // its entries, its tree and its checkpoints agree
	WithLeft Level = "left"   // and it agrees with what left this server
)

// Level returns how much the trail is vouched for; it says nothing of one that is not
// intact.
func (w *Whole) Level() Level {
	if w.Until == nil {
		return InItself
	}
	return WithLeft
}
