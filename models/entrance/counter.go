package entrance

import (
	"context"
	"fmt"
	"time"

	"veinte/models"
	"veinte/models/database"
)

// What models/counters needs to let people in, and to end what began there.

// Compute runs f, which computes a hash, when it is this one's turn.
//
// Errors: ErrSignInBusy.
func (p *Place) Compute(ctx context.Context, gone func() bool, f func() error) error {
	return p.compute(ctx, gone, f)
}

// Proving does f once the actor has proved that it is them: by their password, a code or a
// passkey, and never by a PIN.
//
// Errors: ErrProof, TooManyLogins, ErrSignInBusy, those of a code and of a passkey.
func (s *Service) Proving(ctx context.Context, actor models.Actor, p Proof, f func(database.Tx, *models.User) error) error {
	return s.proving(ctx, actor, p, f)
}

// NewByPIN draws the secrets of a session that begins with a PIN, on a device by its id.
func (s *Service) NewByPIN(ctx context.Context, u *models.User, device string) (*SignedIn, error) {
	in, err := s.newSession(ctx, u, visit{device: device})
	if err == nil {
		in.way = byPIN
	}
	return in, err
}

// OpenByPIN stores such a session. The caller has checked the PIN.
func (s *Service) OpenByPIN(t database.Tx, from models.Actor, in *SignedIn) error {
	return s.openSession(t, from, guesser{}, in)
}

// provedAt is when the person of the session last proved who they are. A PIN is no proof.
func (in *SignedIn) provedAt(now time.Time) time.Time {
	if in.way == byPIN {
		return time.Unix(0, 0)
	}
	return now
}

// atCounter notes who came in last at a counter, and names it in said. A full sign-in,
// wherever it is, takes back what wrong PINs have shut.
func atCounter(t database.Tx, in *SignedIn, deviceID int64, said map[string]any) error {
	var at []string
	err := t.Raw("UPDATE counters SET last_user_id = ? WHERE device_id = ? AND ended_at IS NULL RETURNING name", in.User.ID, deviceID).
		Scan(&at).Error
	if err != nil {
		return fmt.Errorf("note who is at the counter: %w", err)
	}
	if len(at) > 0 {
		said["counter"] = at[0]
	}
	if in.way == byPIN {
		return nil
	}
	return ForgiveWrongPINs(t, in.User.ID)
}

// ForgiveWrongPINs has a person's PIN count as if none had been wrong.
func ForgiveWrongPINs(t database.Tx, userID int64) error {
	if err := t.Exec("DELETE FROM counter_tries WHERE user_id = ?", userID).Error; err != nil {
		return err
	}
	return t.Exec("UPDATE counter_pins SET wrong = 0 WHERE user_id = ? AND wrong > 0", userID).Error
}

// EndByPIN ends the session on a device that began with a PIN.
func (s *Service) EndByPIN(t database.Tx, deviceID int64) error {
	var over []endedSession
	err := t.Raw(`SELECT s.token_hash, s.user_id, u.name, s.created_at, CAST(? AS text) AS why
		FROM sessions s JOIN users u ON u.id = s.user_id WHERE s.pin AND s.device_id = ? ORDER BY s.id FOR UPDATE OF s`,
		endedByCounter, deviceID).Scan(&over).Error
	if err != nil {
		return err
	}
	return endThese(t, over, s.clock.Now())
}

// EndOwnByPIN ends the actor's sessions that began with a PIN, but the one in which they act.
func EndOwnByPIN(t database.Tx, actor models.Actor) error {
	return t.Exec("DELETE FROM sessions WHERE user_id = ? AND pin AND id <> ?", actor.UserID, actor.Session.ID).Error
}

// RemovePIN takes a person's PIN away, and says whether they had one.
func RemovePIN(t database.Tx, userID int64) (had bool, err error) {
	if err := t.Exec("DELETE FROM counter_tries WHERE user_id = ?", userID).Error; err != nil {
		return false, err
	}
	done := t.Exec("DELETE FROM counter_pins WHERE user_id = ?", userID)
	return done.RowsAffected > 0, done.Error
}
