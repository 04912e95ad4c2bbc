package sso

import (
	"database/sql/driver"
	"fmt"

	"veinte/models/database"
)

// PasswordRule is whether people come in by the provider alone, but for one account.
type PasswordRule struct {
	PasswordOff bool
	BreakGlass  int64  // whose password still counts; 0 while all do
	Email, Name string // of that person
}

// Attributes are what the trail says of the rule.
func (r PasswordRule) Attributes() map[string]any {
	return map[string]any{"passwordOff": r.PasswordOff, "breakGlass": r.Email}
}

// Password returns the rule.
func Password(t database.Tx) (r PasswordRule, err error) {
	err = t.Raw(`SELECT password_off, coalesce(break_glass, 0) AS break_glass, coalesce(u.email, '') AS email, coalesce(u.name, '') AS name
		FROM sso_rules LEFT JOIN users u ON u.id = break_glass`).Scan(&r).Error
	if err != nil {
		return r, fmt.Errorf("read whether passwords count: %w", err)
	}
	return r, nil
}

// SetPassword changes the rule; 0 lets all passwords count.
func SetPassword(t database.Tx, breakGlass int64) error {
	if breakGlass == 0 {
		return t.Exec("UPDATE sso_rules SET password_off = false, break_glass = NULL").Error
	}
	return t.Exec("UPDATE sso_rules SET password_off = true, break_glass = ?", breakGlass).Error
}

// Came reports whether a session came by the provider.
func Came(t database.Tx, session driver.Valuer) (came bool, err error) {
	err = t.Raw("SELECT EXISTS (SELECT FROM sso_sessions WHERE token_hash = ?)", session).Scan(&came).Error
	return came, err
}
