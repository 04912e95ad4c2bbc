package sso

import (
	"fmt"

	"veinte/models"
	"veinte/models/database"
)

// Rules are whether people come in by the provider alone, and which addresses of it are
// believed.
type Rules struct {
	PasswordOff    bool
	BreakGlass     int64  // who still comes in without the provider; 0 while all do
	Email, Name    string // of that person
	TrustAddresses bool   // also those of which it does not say whether it has verified them
}

// Alone reports whether an account comes in by the provider alone.
func (r *Rules) Alone(userID int64) bool { return r.PasswordOff && userID != r.BreakGlass }

// Believes reports whether the address of an identity is taken to be its person's. One of
// which the provider says that nobody has verified it never is.
func (r *Rules) Believes(id *models.Identity) bool {
	return id.EmailVerified || r.TrustAddresses && !id.EmailDenied
}

// PasswordAttributes are what the trail says of whether passwords count.
func (r *Rules) PasswordAttributes() map[string]any {
	return map[string]any{"passwordOff": r.PasswordOff, "breakGlass": r.Email}
}

// CurrentRules returns the rules in force.
func CurrentRules(t database.Tx) (*Rules, error) {
	var r Rules
	err := t.Raw(`SELECT password_off, coalesce(break_glass, 0) AS break_glass, coalesce(u.email, '') AS email, coalesce(u.name, '') AS name,
			trust_addresses
		FROM sso_rules LEFT JOIN users u ON u.id = break_glass`).Scan(&r).Error
	if err != nil {
		return nil, fmt.Errorf("read the rules of the single sign-on: %w", err)
	}
	return &r, nil
}

// SetPassword has people come in by the provider alone, but for one; 0 lets all passwords
// count.
func SetPassword(t database.Tx, breakGlass int64) error {
	if breakGlass == 0 {
		return t.Exec("UPDATE sso_rules SET password_off = false, break_glass = NULL").Error
	}
	return t.Exec("UPDATE sso_rules SET password_off = true, break_glass = ?", breakGlass).Error
}

// SetTrust changes whether addresses are believed of which the provider says nothing.
func SetTrust(t database.Tx, trust bool) error {
	return t.Exec("UPDATE sso_rules SET trust_addresses = ?", trust).Error
}

// Came reports whether a session came by the provider.
func Came(t database.Tx, sessionID int64) (came bool, err error) {
	err = t.Raw(`SELECT EXISTS (SELECT FROM sso_sessions JOIN sessions USING (token_hash) WHERE id = ?)`, sessionID).Scan(&came).Error
	return came, err
}
