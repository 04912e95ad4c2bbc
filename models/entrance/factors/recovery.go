package factors

import (
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"fmt"

	"veinte/models/database"
)

const (
	// Recoveries is how many recovery codes a person gets.
	Recoveries     = 10
	recoveryLength = 16 // of the alphabet of base32: 80 bits
)

// FirstRecovery gives recovery codes to a person who has none that they could use.
func FirstRecovery(t database.Tx, userID int64) ([]string, error) {
	state, err := Of(t, userID)
	if err != nil || state.Left > 0 {
		return nil, err
	}
	return MakeRecovery(t, userID)
}

// RemoveRecovery removes a person's recovery codes.
func RemoveRecovery(t database.Tx, userID int64) error {
	return t.Exec("DELETE FROM recovery_codes WHERE user_id = ?", userID).Error
}

// MakeRecovery gives a person new recovery codes; the old ones open nothing any more.
func MakeRecovery(t database.Tx, userID int64) ([]string, error) {
	if err := RemoveRecovery(t, userID); err != nil {
		return nil, err
	}
	codes := make([]string, Recoveries)
	for i := range codes {
		code := rand.Text()[:recoveryLength]
		err := t.Exec("INSERT INTO recovery_codes (user_id, code_hash) VALUES (?, ?)", userID, hashOf(userID, code)).Error
		if err != nil {
			return nil, fmt.Errorf("store recovery codes: %w", err)
		}
		codes[i] = groups(code)
	}
	return codes, nil
}

func (s *Service) useRecovery(t database.Tx, userID int64, code string) error {
	if len(code) != recoveryLength {
		return ErrWrong
	}
	hash := hashOf(userID, code)
	done := t.Exec("UPDATE recovery_codes SET used_at = ? WHERE user_id = ? AND code_hash = ? AND used_at IS NULL",
		s.clock.Now(), userID, hash)
	if done.Error != nil || done.RowsAffected > 0 {
		return done.Error
	}
	var used bool
	err := t.Raw("SELECT EXISTS (SELECT FROM recovery_codes WHERE user_id = ? AND code_hash = ?)", userID, hash).Scan(&used).Error
	if err == nil && used {
		return ErrRecoverUsed
	}
	return errors.Join(err, ErrWrong)
}

func hashOf(userID int64, code string) bytea {
	sum := sha256.Sum256(fmt.Appendf(nil, "recovery code of %d: %s", userID, code))
	return sum[:]
}
