package counters

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"veinte/models"
	"veinte/models/accounts/passwords"
	"veinte/models/audit"
	"veinte/models/database"
	"veinte/models/entrance"
)

// pinLength is how many digits a PIN has.
const pinLength = 6

// isPIN reports whether a text could be one.
func isPIN(text string) bool {
	return len(text) == pinLength && strings.Trim(text, "0123456789") == ""
}

// onKeypad are ways over the keys of a terminal.
var onKeypad = []string{
	"147258", "258147", "258369", "369258", "147369", "159357", "159753", "357159", "789456", "456123", "741852", "852963",
}

// IsObvious reports whether a PIN is one of those that others try first: a row of digits, a
// piece that repeats or comes back mirrored, pairs, a way over the keypad.
func IsObvious(pin string) bool {
	digits, up, down, pairs := map[byte]bool{}, true, true, true
	for i := range len(pin) {
		digits[pin[i]] = true
		if i > 0 {
			step := (int(pin[i]) - int(pin[i-1]) + 10) % 10
			up, down = up && step == 1, down && step == 9
		}
		pairs = pairs && pin[i] == pin[i&^1]
	}
	if len(digits) < 3 || up || down || pairs {
		return true
	}
	half := len(pin) / 2
	mirrored := true
	for i := range half {
		mirrored = mirrored && pin[i] == pin[len(pin)-1-i]
	}
	return mirrored || pin[:half] == pin[half:] || slices.Contains(onKeypad, pin)
}

// OwnPIN is what a person has for counters.
type OwnPIN struct {
	Since  *time.Time // when it was set; nil: they have none
	Useful bool       // a store that they manage has a counter
	Shut   bool       // wrong ones have shut it, at all counters or one
}

// PINOf returns what the actor has for counters.
func (s *Service) PINOf(ctx context.Context, actor models.Actor) (OwnPIN, error) {
	own, err := database.Row[OwnPIN](ctx, s.db.Pool(), `SELECT (SELECT set_at FROM counter_pins WHERE user_id = u.id) AS since,
			u.role = 'manager' AND EXISTS (SELECT FROM counters c JOIN user_stores us ON us.store_id = c.store_id
				WHERE us.user_id = u.id AND c.ended_at IS NULL) AS useful,
			EXISTS (SELECT FROM counter_pins WHERE user_id = u.id AND wrong >= $2)
				OR EXISTS (SELECT FROM counter_tries WHERE user_id = u.id AND wrong >= $3) AS shut
		FROM users u WHERE u.id = $1`, actor.UserID, wrongInAll, wrongAtCounter)
	if err != nil {
		return own, fmt.Errorf("read the PIN of person %d: %w", actor.UserID, err)
	}
	return own, nil
}

// SetPIN gives the actor, who proves that it is them, a PIN, or another one. Who is at a
// counter by the one before is signed out there.
//
// Errors: those of entrance.Service.Proving, pin.six, pin.obvious; ErrForbidden for who
// comes in by a PIN nowhere.
func (s *Service) SetPIN(ctx context.Context, actor models.Actor, proof entrance.Proof, pin string) error {
	switch {
	case actor.Role != models.Manager:
		return models.ErrForbidden
	case !isPIN(pin):
		return models.Invalid("pin", "pin.six")
	case IsObvious(pin):
		return models.Invalid("pin", "pin.obvious")
	}
	hash, err := passwords.Hash(ctx, pin)
	if err != nil {
		return err
	}
	return s.entrance.Proving(ctx, actor, proof, func(t database.Tx, u *models.User) error {
		if err := entrance.EndOwnByPIN(t, actor); err != nil {
			return err
		}
		if err := s.people.Notify(t, actor, u.ID, models.NoticePINSet); err != nil {
			return err
		}
		return s.store(t, actor, u, hash)
	})
}

// SetSamplePIN gives a person of the demo a PIN that everybody may read.
func (s *Service) SetSamplePIN(ctx context.Context, actor models.Actor, u *models.User, pin string) error {
	if actor.Role != models.SystemRole {
		return models.ErrForbidden
	}
	hash, err := passwords.Hash(ctx, pin)
	if err != nil {
		return err
	}
	return s.db.InTx(ctx, func(t database.Tx) error { return s.store(t, actor, u, hash) })
}

// store stores a PIN, of which none counts as wrong, and says so in the trail.
func (s *Service) store(t database.Tx, actor models.Actor, u *models.User, hash string) error {
	var had bool
	if err := t.Raw("SELECT EXISTS (SELECT FROM counter_pins WHERE user_id = ?)", u.ID).Scan(&had).Error; err != nil {
		return err
	}
	now := s.clock.Now()
	err := t.Exec(`INSERT INTO counter_pins (user_id, hash, set_at) VALUES (?, ?, ?)
		ON CONFLICT (user_id) DO UPDATE SET hash = excluded.hash, set_at = excluded.set_at`, u.ID, hash, now).Error
	if err != nil {
		return err
	}
	if err := entrance.ForgiveWrongPINs(t, u.ID); err != nil {
		return err
	}
	return audit.Record(t, actor, now, models.ActionPINSet, models.OutcomeSuccess, audit.About{
		Before: map[string]any{"email": u.Email, "counterPin": had}, After: map[string]any{"email": u.Email, "counterPin": true},
	})
}

// RemovePIN takes the actor's own away, once they have proved that it is them.
//
// Errors: those of entrance.Service.Proving, ErrNotFound when they have none.
func (s *Service) RemovePIN(ctx context.Context, actor models.Actor, proof entrance.Proof) error {
	own, err := s.PINOf(ctx, actor)
	if err == nil && own.Since == nil {
		err = models.ErrNotFound
	}
	if err != nil {
		return err
	}
	return s.entrance.Proving(ctx, actor, proof, func(t database.Tx, u *models.User) error {
		had, err := entrance.RemovePIN(t, u.ID)
		if err != nil {
			return err
		}
		if !had {
			return models.ErrNotFound
		}
		if err := entrance.EndOwnByPIN(t, actor); err != nil {
			return err
		}
		if err := s.people.Notify(t, actor, u.ID, models.NoticePINRemoved); err != nil {
			return err
		}
		return audit.Record(t, actor, s.clock.Now(), models.ActionPINRemoved, models.OutcomeSuccess, audit.About{
			Before: map[string]any{"email": u.Email, "counterPin": true}, After: map[string]any{"email": u.Email, "counterPin": false},
		})
	})
}
