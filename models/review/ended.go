package review

import (
	"context"
	"fmt"
	"time"

	"veinte/models"
	"veinte/models/database"
)

// endedShown is how long a person is told of a doubt that ended, unless they saw it.
const endedShown = 30 * 24 * time.Hour

// maxEnded limits the doubts that are read for all people together.
const maxEnded = 1000

// NoteEnded stores that a doubt ended, for whoever asked for the cancellation.
func NoteEnded(t database.Tx, c *models.Cancellation) error {
	err := t.Exec(`INSERT INTO ended_doubts (cancellation_id, user_id, ended_at) VALUES (@id, @user, @at)
		ON CONFLICT (cancellation_id) DO UPDATE SET id = DEFAULT, ended_at = excluded.ended_at`,
		map[string]any{"id": c.ID, "user": c.RequestedBy, "at": c.ChangedAt}).Error
	if err != nil {
		return fmt.Errorf("note that the doubt of cancellation %d ended: %w", c.ID, err)
	}
	return nil
}

// EndedDoubts returns the doubts that ended and that nobody has seen yet who asked for
// their cancellation, the latest first, of all people.
func (s *Service) EndedDoubts(ctx context.Context) ([]models.EndedDoubt, error) {
	all, err := database.Rows[models.EndedDoubt](ctx, s.db, `
		SELECT e.id, e.cancellation_id, e.user_id, c.sale_id, c.store_id, c.state, s.order_id, s.amount, s.sold_at, s.last4
		FROM ended_doubts e JOIN cancellations c ON c.id = e.cancellation_id JOIN sales s ON s.id = c.sale_id
		WHERE e.ended_at > $1 ORDER BY e.id DESC LIMIT $2`, s.clock.Now().Add(-endedShown), maxEnded)
	if err != nil {
		return nil, fmt.Errorf("list ended doubts: %w", err)
	}
	return all, nil
}

// SawEnded stores that the actor has seen how doubts ended. Those of other people are
// left alone until they are no longer shown.
func (s *Service) SawEnded(ctx context.Context, actor models.Actor, ids []int64) error {
	_, err := s.db.Exec(ctx, `DELETE FROM ended_doubts WHERE id = ANY($1) AND user_id = $2 OR ended_at < $3`,
		ids, actor.UserID, s.clock.Now().Add(-endedShown))
	if err != nil {
		return fmt.Errorf("note that ended doubts were seen: %w", err)
	}
	return nil
}
