package entrance

import (
	"context"
	"fmt"
	"time"

	"veinte/models"
	"veinte/models/accounts"
	"veinte/models/audit"
	"veinte/models/database"
)

// sessionsAtOnce is how many expired sessions one sweep ends at most.
const sessionsAtOnce = 500

// Why a session ends by itself, as the trail says it.
const (
	endedByAge     = "session.expired"
	endedByRest    = "session.idle"
	endedByNewer   = "session.replaced" // somebody signed in on its device
	endedByTooMany = "session.tooMany"
	endedByCounter = "session.counter" // its device is no counter any more
	endedByPause   = "session.counterRest"
)

// endedSession is a session that ends by itself.
type endedSession struct {
	TokenHash []byte
	UserID    int64
	Name      string
	CreatedAt time.Time
	Why       string
}

// SweepSessions ends the sessions that have expired or were not used for too long, or
// whose user's access has ended, and records that in the trail. They could not be used any
// more: SessionActor checks the same times. It forgets devices of which nothing was seen
// for their life.
func (s *Service) SweepSessions(ctx context.Context) error {
	now := s.clock.Now()
	err := s.db.InTx(ctx, func(t database.Tx) error {
		var over []endedSession
		err := t.Raw(`SELECT s.token_hash, s.user_id, u.name, s.created_at, CASE WHEN s.expires_at <= @now THEN @age
				WHEN u.access_until < @day THEN @access WHEN c.id IS NOT NULL THEN @pause ELSE @rest END AS why
			`+sessionsOf+` WHERE s.expires_at <= @now OR u.access_until < @day
				OR CASE WHEN c.id IS NOT NULL THEN s.seen_at <= @counter ELSE NOT coalesce(k.own, false) AND s.seen_at <= @idle END
			ORDER BY s.expires_at, s.id LIMIT @most FOR UPDATE OF s SKIP LOCKED`, map[string]any{
			"now": now, "day": string(models.AccessDay(now)), "idle": now.Add(-IdleLife), "counter": now.Add(-CounterLife),
			"most": sessionsAtOnce,
			"age":  endedByAge, "access": models.ErrAccessExpired.Code, "rest": endedByRest, "pause": endedByPause,
		}).Scan(&over).Error
		if err != nil {
			return err
		}
		if err := endThese(t, over, now); err != nil {
			return err
		}
		if err := t.Exec("DELETE FROM known_devices WHERE signed_in_at < ?", now.Add(-DeviceLife)).Error; err != nil {
			return err
		}
		return t.Exec(`DELETE FROM devices d WHERE created_at < ? AND NOT EXISTS (SELECT FROM known_devices WHERE device_id = d.id)
			AND NOT EXISTS (SELECT FROM sessions WHERE device_id = d.id)
			AND NOT EXISTS (SELECT FROM counters WHERE device_id = d.id)`, now.Add(-DeviceLife)).Error
	})
	if err != nil {
		return fmt.Errorf("end sessions that are over: %w", err)
	}
	return nil
}

// endReplaced ends the sessions in whose place a new one of the person comes: those on its
// device, and those that are too many.
func (s *Service) endReplaced(t database.Tx, userID, deviceID int64, now time.Time) error {
	var over []endedSession
	err := t.Raw(`WITH own AS (SELECT id, row_number() OVER (ORDER BY seen_at DESC, id DESC) AS n
			FROM sessions WHERE user_id = @user AND device_id IS DISTINCT FROM @device)
		SELECT s.token_hash, s.user_id, u.name, s.created_at, CASE WHEN s.device_id = @device THEN @newer ELSE @many END AS why
		FROM sessions s JOIN users u ON u.id = s.user_id
		WHERE s.device_id = @device OR s.id IN (SELECT id FROM own WHERE n >= @most)
		ORDER BY s.id FOR UPDATE OF s`, map[string]any{
		"user": userID, "device": deviceID, "most": maxSessions, "newer": endedByNewer, "many": endedByTooMany,
	}).Scan(&over).Error
	if err != nil {
		return err
	}
	return endThese(t, over, now)
}

// endThese ends sessions, and says in the trail of each why.
func endThese(t database.Tx, over []endedSession, now time.Time) error {
	for _, s := range over {
		if err := t.Exec("DELETE FROM sessions WHERE token_hash = ?", accounts.TokenHash(s.TokenHash)).Error; err != nil {
			return err
		}
		a := audit.About{Reason: s.Why, Before: map[string]any{"userId": s.UserID, "since": s.CreatedAt.UTC()}}
		if err := audit.Record(t, models.System("sessions", s.Name), now, models.ActionLogout, models.OutcomeSuccess, a); err != nil {
			return err
		}
	}
	return nil
}
