package factors

import (
	"crypto/rand"
	"crypto/subtle"
	"database/sql/driver"
	"encoding/base32"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode"

	"github.com/pquerna/otp"
	"github.com/pquerna/otp/hotp"
	"github.com/pquerna/otp/totp"

	"veinte/models"
	"veinte/models/database"
)

const (
	period     = 30 // seconds of a code
	drift      = 1  // steps before and after
	clockDrift = 40 // steps within which a wrong clock is recognized
	digits     = 6
	// SetupLife is how long the secret of an app that takes the place of another can be
	// confirmed.
	SetupLife = 10 * time.Minute
)

// Secret is what a person enters in their app. It prints as "***".
type Secret struct{ key, url string }

// Key is what is typed, in groups of four.
func (s Secret) Key() string { return groups(s.key) }

// URL is what the app reads from a square code.
func (s Secret) URL() string { return s.url }

// String hides the secret.
func (s Secret) String() string { return "***" }

// GoString hides the secret.
func (s Secret) GoString() string { return "***" }

// MarshalText hides the secret from JSON and logs.
func (s Secret) MarshalText() ([]byte, error) { return []byte("***"), nil }

func groups(text string) string {
	var b strings.Builder
	for i, r := range text {
		if i > 0 && i%4 == 0 {
			b.WriteByte('-')
		}
		b.WriteRune(r)
	}
	return b.String()
}

// Begin makes the secret that a person without an app sets up, in the place of the one that
// somebody was setting up: two who know the password must not see the same.
//
// Errors: factor.there.
func (s *Service) Begin(t database.Tx, u *models.User) (Secret, error) {
	row, err := s.row(t, u.ID)
	if err != nil && !errors.Is(err, models.ErrNotFound) {
		return Secret{}, err
	}
	if err == nil && row.ConfirmedAt != nil {
		return Secret{}, &models.Error{Kind: models.KindConflict, Code: "factor.there"}
	}
	secret := newSecret()
	boxes, err := s.sealers(t)
	if err != nil {
		return Secret{}, err
	}
	err = t.Exec(`INSERT INTO second_factors (user_id, secret, created_at) VALUES (?, ?, ?)
		ON CONFLICT (user_id) DO UPDATE SET secret = excluded.secret, created_at = excluded.created_at, last_step = 0, early_step = 0
		WHERE second_factors.confirmed_at IS NULL`, u.ID, bytea(boxes[0].Encrypt(purpose(u.ID), []byte(secret))), s.clock.Now()).Error
	if err != nil {
		return Secret{}, fmt.Errorf("store the secret of an app: %w", err)
	}
	return secretOf(u, secret)
}

func newSecret() string {
	var raw [20]byte
	_, _ = rand.Read(raw[:])
	return base32.StdEncoding.WithPadding(base32.NoPadding).EncodeToString(raw[:])
}

// Pending returns the secret that a person is setting up.
//
// Errors: ErrNotFound.
func (s *Service) Pending(t database.Tx, u *models.User) (Secret, error) {
	row, err := s.row(t, u.ID)
	if err != nil {
		return Secret{}, err
	}
	if row.ConfirmedAt != nil {
		return Secret{}, models.ErrNotFound
	}
	secret, err := s.open(t, u.ID, row.Secret)
	if err != nil {
		return Secret{}, err
	}
	return secretOf(u, secret)
}

func secretOf(u *models.User, secret string) (Secret, error) {
	raw, err := base32.StdEncoding.WithPadding(base32.NoPadding).DecodeString(secret)
	if err != nil {
		return Secret{}, err
	}
	key, err := totp.Generate(totp.GenerateOpts{Issuer: "Veinte", AccountName: u.Email, Secret: raw, Period: period, Digits: digits})
	if err != nil {
		return Secret{}, fmt.Errorf("write the address of an app's secret: %w", err)
	}
	return Secret{secret, key.URL()}, nil
}

// Confirm takes the first code of a person's app, which proves that it is set up, and
// returns their recovery codes: only their hashes are stored.
//
// Errors: ErrNotFound, those of a code.
func (s *Service) Confirm(t database.Tx, userID int64, code string) (recovery []string, err error) {
	row, err := s.row(t, userID)
	if err != nil {
		return nil, err
	}
	if row.ConfirmedAt != nil {
		return nil, models.ErrNotFound
	}
	if err := s.useApp(t, row, clean(code)); err != nil {
		return nil, err
	}
	if err := t.Exec("UPDATE second_factors SET confirmed_at = ? WHERE user_id = ?", s.clock.Now(), userID).Error; err != nil {
		return nil, err
	}
	return FirstRecovery(t, userID)
}

// Use takes a code of a person's app, or a recovery code, once.
//
// Errors: those of a code.
func (s *Service) Use(t database.Tx, userID int64, code string) (recovery bool, err error) {
	code = clean(code)
	if len(code) != digits {
		return true, s.useRecovery(t, userID, code)
	}
	row, err := s.row(t, userID)
	switch {
	case errors.Is(err, models.ErrNotFound), err == nil && row.ConfirmedAt == nil:
		return false, ErrWrong // they have no app, and another factor
	case err != nil:
		return false, err
	}
	return false, s.useApp(t, row, code)
}

// row is a person's app. It is locked, so that of two uses of a code one comes first.
type row struct {
	UserID              int64
	Secret              []byte
	CreatedAt           time.Time
	ConfirmedAt         *time.Time
	LastStep, EarlyStep int64
	NextSecret          []byte // of the app that is to take its place; nil: there is none
	NextAt              *time.Time
	NextSession         *int64 // in which it is set up
}

func (s *Service) row(t database.Tx, userID int64) (*row, error) {
	var r row
	done := t.Raw("SELECT * FROM second_factors WHERE user_id = ? FOR UPDATE", userID).Scan(&r)
	if done.Error != nil {
		return nil, fmt.Errorf("read the app of a person: %w", done.Error)
	}
	if done.RowsAffected == 0 {
		return nil, models.ErrNotFound
	}
	return &r, nil
}

func (s *Service) useApp(t database.Tx, r *row, code string) error {
	secret, err := s.open(t, r.UserID, r.Secret)
	if err != nil {
		return err
	}
	step, now, err := stepOf(secret, code, s.clock.Now())
	switch {
	case err != nil:
		return err
	case step >= now-drift && step <= now+drift:
		if step <= r.LastStep || step == r.EarlyStep {
			return ErrUsed
		}
		return t.Exec("UPDATE second_factors SET last_step = ? WHERE user_id = ?", step, r.UserID).Error
	case step > now: // it is known now, before its time
		if err := t.Exec("UPDATE second_factors SET early_step = ? WHERE user_id = ?", step, r.UserID).Error; err != nil {
			return err
		}
	}
	return &WrongClock{time.Duration(step-now) * period * time.Second}
}

// stepOf finds the half minute of a code: the nearest, and of as many as a wrong clock
// may be away. It always compares them all.
func stepOf(secret, code string, at time.Time) (step, now int64, err error) {
	now = at.Unix() / period
	nearest := int64(-1)
	for away := int64(0); away <= clockDrift; away++ {
		for _, s := range []int64{now - away, now + away} {
			right, err := hotp.GenerateCodeCustom(secret, uint64(s), hotp.ValidateOpts{Digits: digits, Algorithm: otp.AlgorithmSHA1})
			if err != nil {
				return 0, now, fmt.Errorf("compute a code: %w", err)
			}
			if subtle.ConstantTimeCompare([]byte(right), []byte(code)) == 1 && nearest < 0 {
				nearest = s
			}
		}
	}
	if nearest < 0 {
		return 0, now, ErrWrong
	}
	return nearest, now, nil
}

// bytea is written into one column: gorm would spread plain bytes over several.
type bytea []byte

// Value returns the bytes for a column.
func (b bytea) Value() (driver.Value, error) { return []byte(b), nil }

// clean is a code as it was meant: without spaces and signs, in capitals. The alphabet of
// recovery codes has no digits that look like letters.
func clean(code string) string {
	kept := strings.Map(func(r rune) rune {
		if r <= unicode.MaxASCII && (unicode.IsLetter(r) || unicode.IsDigit(r)) {
			return unicode.ToUpper(r)
		}
		return -1
	}, models.Truncate(code, 100))
	if len(kept) != digits {
		kept = strings.NewReplacer("0", "O", "1", "I", "8", "B").Replace(kept)
	}
	return kept
}
