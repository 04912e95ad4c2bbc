package accounts

import (
	"crypto/sha256"
	"database/sql/driver"

	"veinte/models/database"
)

// TokenHash is the hash of the token of a link or a session, as stored in the database. It
// implements driver.Valuer because gorm would spread plain bytes over several
// columns.
type TokenHash [sha256.Size]byte

// Value returns the hash for a bytea column.
func (h TokenHash) Value() (driver.Value, error) { return h[:], nil }

// HashToken returns the hash of a token.
func HashToken(token string) TokenHash { return sha256.Sum256([]byte(token)) }

// EndSessions ends a user's sessions, and the sign-ins that wait for their second step.
func EndSessions(t database.Tx, userID int64) error {
	if err := t.Exec("DELETE FROM sign_in_steps WHERE user_id = ?", userID).Error; err != nil {
		return err
	}
	return t.Exec("DELETE FROM sessions WHERE user_id = ?", userID).Error
}

// forgetDevices makes all devices of a person unknown.
func forgetDevices(t database.Tx, userID int64) error {
	return t.Exec("DELETE FROM known_devices WHERE user_id = ?", userID).Error
}
