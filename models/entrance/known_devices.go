package entrance

import (
	"context"
	"errors"
	"fmt"
	"time"

	"veinte/models"
	"veinte/models/accounts"
	"veinte/models/audit"
	"veinte/models/database"
)

// KnownDevice is a browser in which a person has signed in, as they see it.
type KnownDevice struct {
	ID        int64
	CreatedAt time.Time // when they first signed in there, with the password that they have now
	UsedAt    time.Time
	Address   string // of their last sign-in there
	UserAgent string
	Own       bool // they said that it is theirs
	Open      bool // they have a session there
}

// DevicesOf lists the browsers by which a person is known, the last used first.
//
// Errors: ErrForbidden.
func (s *Service) DevicesOf(ctx context.Context, actor models.Actor, userID int64) ([]KnownDevice, error) {
	if !actor.May(models.ManageUsers) && actor.UserID != userID {
		return nil, models.ErrForbidden
	}
	rows, err := database.Rows[KnownDevice](ctx, s.db, `SELECT d.id, k.created_at, k.address, d.user_agent, k.own,
			greatest(k.signed_in_at, o.seen_at) AS used_at, o.seen_at IS NOT NULL AS open
		FROM known_devices k JOIN devices d ON d.id = k.device_id
		LEFT JOIN LATERAL (SELECT max(s.seen_at) AS seen_at`+sessionsOf+`
			WHERE s.user_id = $1 AND s.device_id = d.id AND `+sessionLives+`) o ON true
		WHERE k.user_id = $1 AND k.signed_in_at > $6 ORDER BY used_at DESC, d.id DESC`,
		append(append([]any{userID}, livesAt(s.clock.Now())...), s.clock.Now().Add(-DeviceLife))...)
	if err != nil {
		return nil, fmt.Errorf("list the devices of person %d: %w", userID, err)
	}
	return rows, nil
}

// ForgetOwnDevice makes one of the actor's browsers unknown, and ends the session that they
// have there, which may be this one.
//
// Errors: ErrNotFound, also for a browser by which somebody else is known.
func (s *Service) ForgetOwnDevice(ctx context.Context, actor models.Actor, id int64) error {
	return s.forget(ctx, actor, actor.UserID, id)
}

// ForgetDeviceOf makes a browser of a person unknown, and ends the session that they have there.
//
// Errors: ErrForbidden, ErrNotFound.
func (s *Service) ForgetDeviceOf(ctx context.Context, actor models.Actor, userID, id int64) error {
	if !actor.May(models.ManageUsers) {
		return models.ErrForbidden
	}
	return s.forget(ctx, actor, userID, id)
}

func (s *Service) forget(ctx context.Context, actor models.Actor, userID, id int64) error {
	err := s.db.InTx(ctx, func(t database.Tx) error {
		if err := accounts.Lock(t, userID); err != nil {
			return err
		}
		u, err := accounts.ByID(t, userID)
		if err != nil {
			return err
		}
		var gone []struct {
			CreatedAt time.Time
			UserAgent string
			Own       bool
		}
		err = t.Raw(`DELETE FROM known_devices k USING devices d WHERE k.user_id = ? AND k.device_id = ? AND d.id = k.device_id
			RETURNING k.created_at, d.user_agent, k.own`, userID, id).Scan(&gone).Error
		if err != nil {
			return err
		}
		if len(gone) == 0 {
			return models.ErrNotFound
		}
		ended := t.Exec("DELETE FROM sessions WHERE user_id = ? AND device_id = ?", userID, id)
		if ended.Error != nil {
			return ended.Error
		}
		// A sign-in that waits for its second step there counts as one of a device that is known.
		err = t.Exec("DELETE FROM sign_in_steps p USING devices d WHERE p.user_id = ? AND d.id = ? AND p.device = d.token", userID, id).Error
		if err != nil {
			return err
		}
		about := audit.About{Before: map[string]any{
			"email": u.Email, "device": gone[0].UserAgent, "since": gone[0].CreatedAt.UTC(), "ownDevice": gone[0].Own,
			"sessions": ended.RowsAffected,
		}}
		return audit.Record(t, actor, s.clock.Now(), models.ActionDeviceForgotten, models.OutcomeSuccess, about)
	})
	var known *models.Error
	if err != nil && !errors.As(err, &known) {
		return fmt.Errorf("forget device %d of person %d: %w", id, userID, err)
	}
	return err
}
