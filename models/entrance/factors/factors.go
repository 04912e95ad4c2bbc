package factors

import (
	"crypto/hkdf"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"slices"
	"time"

	"veinte/models"
	"veinte/models/database"
	"veinte/models/secretbox"
)

// Ask is when people of a role are asked for the second step.
type Ask string

// The rules.
const (
	Never     Ask = "never"
	NewDevice Ask = "newDevice"
	Always    Ask = "always"
)

// Asks lists them as a form does.
var Asks = []Ask{Never, NewDevice, Always}

// Defaults are the rules of an installation until an administrator sets others.
func Defaults() map[models.Role]Ask {
	return map[models.Role]Ask{
		models.Manager: NewDevice, models.Supervisor: Always, models.Administrator: Always, models.Auditor: Always,
	}
}

// Need is what a sign-in needs besides the password.
type Need int

// The needs.
const (
	Nothing Need = iota
	Code         // of the app, a passkey, or a recovery code
	Setup        // they have none yet, and set one up now
)

// The refusals of a code. A code of a wrong clock is a *WrongClock.
var (
	ErrWrong       = models.Invalid("code", "factor.wrong")
	ErrUsed        = models.Invalid("code", "factor.used")         // of the app, a second time
	ErrRecoverUsed = models.Invalid("code", "factor.recoveryUsed") // a second time
	ErrUnreadable  = &models.Error{Kind: models.KindConflict, Code: "factor.unreadable"}
)

// WrongClock is the refusal of a code that is right at another time: the phone's clock is
// wrong by so much, behind below zero.
type WrongClock struct{ By time.Duration }

func (e *WrongClock) Error() string { return e.Unwrap().Error() }

// Unwrap makes it the refusal that it is.
func (e *WrongClock) Unwrap() error {
	if e.By > 0 {
		return models.Invalid("code", "factor.clockAhead")
	}
	return models.Invalid("code", "factor.clockBehind")
}

// Service checks codes.
type Service struct {
	clock models.Clock
	box   *secretbox.Box // nil: the key of the installation is in the database
}

// New makes the service. box encrypts the secrets of apps.
func New(clock models.Clock, box *secretbox.Box) *Service { return &Service{clock: clock, box: box} }

// ownKey is the purpose of the key that is used where the operator has set none.
const ownKey = "veinte second factors"

// sealers are the boxes that may have encrypted a secret; the first encrypts. Without a
// key of the operator's the key follows from one of the database: it keeps secrets from
// who sees the table, not from who has all of the database.
func (s *Service) sealers(t database.Tx) ([]*secretbox.Box, error) {
	var boxes []*secretbox.Box
	if s.box != nil {
		boxes = append(boxes, s.box)
	}
	var of struct{ Key []byte }
	if err := t.Raw("SELECT key FROM device_key").Scan(&of).Error; err != nil {
		return nil, fmt.Errorf("read the key of the installation: %w", err)
	}
	if len(of.Key) > 0 {
		key, err := hkdf.Key(sha256.New, of.Key, nil, ownKey, 32)
		if err != nil {
			return nil, err
		}
		box, err := secretbox.New(base64.StdEncoding.EncodeToString(key))
		if err != nil {
			return nil, err
		}
		boxes = append(boxes, box)
	}
	if len(boxes) == 0 {
		return nil, ErrUnreadable
	}
	return boxes, nil
}

// purpose binds a secret to its person: that of another opens nothing.
func purpose(userID int64) string { return fmt.Sprintf("second factor of %d", userID) }

func (s *Service) open(t database.Tx, userID int64, sealed []byte) (string, error) {
	boxes, err := s.sealers(t)
	if err != nil {
		return "", err
	}
	for _, box := range boxes {
		if plain, err := box.Decrypt(purpose(userID), sealed); err == nil {
			return string(plain), nil
		}
	}
	return "", ErrUnreadable
}

// Need returns what a person's sign-in needs. known is a device on which they have signed
// in before.
func (s *Service) Need(t database.Tx, u *models.User, known bool) (Need, error) {
	var is struct {
		Ask Ask
		Has bool
	}
	err := t.Raw(`SELECT coalesce((SELECT ask FROM factor_rules WHERE role = ?), 'never') AS ask,
		EXISTS (SELECT FROM second_factors WHERE user_id = ? AND confirmed_at IS NOT NULL)
			OR EXISTS (SELECT FROM passkeys WHERE user_id = ?) AS has`, u.Role, u.ID, u.ID).Scan(&is).Error
	if err != nil {
		return Nothing, fmt.Errorf("read what a sign-in needs: %w", err)
	}
	if is.Has && is.Ask == Never {
		is.Ask = NewDevice // they have set it up, so that it is asked
	}
	switch {
	case is.Ask == Never, is.Ask == NewDevice && known:
		return Nothing, nil
	case is.Has:
		return Code, nil
	}
	return Setup, nil
}

// State is what is there of a person's second step.
type State struct {
	Since    *time.Time // when the app was set up; nil: there is none
	Passkeys int        // also those that are refused: whoever has a copy must not set up an app instead
	Left     int        // recovery codes that are not used
}

// None reports whether nothing is there.
func (s State) None() bool { return s.Since == nil && s.Passkeys == 0 }

// Of returns what is there of a person's second step.
func Of(t database.Tx, userID int64) (State, error) {
	var state State
	err := t.Raw(`SELECT (SELECT confirmed_at FROM second_factors WHERE user_id = @id) AS since,
		(SELECT count(*) FROM passkeys WHERE user_id = @id) AS passkeys,
		(SELECT count(*) FROM recovery_codes WHERE user_id = @id AND used_at IS NULL) AS left`,
		map[string]any{"id": userID}).Scan(&state).Error
	return state, err
}

// Reset removes a person's app, passkeys and recovery codes.
func Reset(t database.Tx, userID int64) error {
	if err := RemoveApp(t, userID); err != nil {
		return err
	}
	if err := t.Exec("DELETE FROM passkeys WHERE user_id = ?", userID).Error; err != nil {
		return err
	}
	return RemoveRecovery(t, userID)
}

// Asked reports whether people of a role are asked for a second step at all.
func Asked(t database.Tx, role models.Role) (asked bool, err error) {
	err = t.Raw("SELECT coalesce((SELECT ask <> 'never' FROM factor_rules WHERE role = ?), false)", role).Scan(&asked).Error
	return asked, err
}

// Rules returns the rule of each role.
func Rules(t database.Tx) (map[models.Role]Ask, error) {
	var rows []struct {
		Role models.Role
		Ask  Ask
	}
	if err := t.Raw("SELECT role, ask FROM factor_rules").Scan(&rows).Error; err != nil {
		return nil, fmt.Errorf("read the rules of second factors: %w", err)
	}
	rules := map[models.Role]Ask{}
	for _, r := range rows {
		rules[r.Role] = r.Ask
	}
	return rules, nil
}

// AsksProof reports whether people are asked for a fresh proof of who they are.
func AsksProof(t database.Tx) (asked bool, err error) {
	err = t.Raw("SELECT asked FROM proof_rule").Scan(&asked).Error
	return asked, err
}

// SetAsksProof changes that, and returns what it was.
func SetAsksProof(t database.Tx, asked bool) (was bool, err error) {
	if err := t.Raw("SELECT asked FROM proof_rule FOR UPDATE").Scan(&was).Error; err != nil {
		return was, err
	}
	return was, t.Exec("UPDATE proof_rule SET asked = ? WHERE asked <> ?", asked, asked).Error
}

// SetRule changes the rule of a role.
//
// Errors: factor.rule.
func SetRule(t database.Tx, role models.Role, ask Ask) error {
	if !slices.Contains(Asks, ask) {
		return models.Invalid(string(role), "factor.rule")
	}
	done := t.Exec("UPDATE factor_rules SET ask = ? WHERE role = ?", ask, role)
	if done.Error == nil && done.RowsAffected == 0 {
		return models.Invalid(string(role), "factor.rule")
	}
	return done.Error
}
