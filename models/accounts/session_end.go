package accounts

import (
	"context"
	"fmt"
	"time"

	"veinte/models"
	"veinte/models/audit"
	"veinte/models/database"
)

// sessionsAtOnce is how many expired sessions one sweep ends at most.
const sessionsAtOnce = 500

// SweepSessions ends the sessions that have expired, or whose user's access has
// ended, and records that in the trail. They could not be used any more:
// SessionActor checks the same times.
func (s *Service) SweepSessions(ctx context.Context) error {
	now := s.clock.Now()
	err := s.db.InTx(ctx, func(t database.Tx) error {
		var over []struct {
			UserID    int64
			Name      string
			CreatedAt time.Time
			Expired   bool
		}
		err := t.Raw(`DELETE FROM sessions s USING users u
			WHERE u.id = s.user_id AND s.token_hash IN (SELECT token_hash FROM sessions JOIN users ON users.id = user_id
				WHERE expires_at <= ? OR access_until < ? ORDER BY expires_at LIMIT ? FOR UPDATE OF sessions SKIP LOCKED)
			RETURNING s.user_id, u.name, s.created_at, s.expires_at <= ? AS expired`,
			now, string(models.AccessDay(now)), sessionsAtOnce, now).Scan(&over).Error
		if err != nil {
			return err
		}
		for _, s := range over {
			a := audit.About{Reason: models.ErrAccessExpired.Code, Before: map[string]any{"userId": s.UserID, "since": s.CreatedAt.UTC()}}
			if s.Expired {
				a.Reason = "session.expired"
			}
			if err := audit.Record(t, models.System("sessions", s.Name), now, models.ActionLogout, models.OutcomeSuccess, a); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("end sessions that are over: %w", err)
	}
	return nil
}
