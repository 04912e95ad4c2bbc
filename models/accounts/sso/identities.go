package sso

import (
	"database/sql/driver"
	"fmt"
	"time"

	"veinte/models"
	"veinte/models/database"
)

// UserOf returns whose account an identity is; 0 when it is nobody's.
func UserOf(t database.Tx, id *models.Identity) (userID int64, err error) {
	err = t.Raw("SELECT user_id FROM sso_identities WHERE issuer = ? AND subject = ?", id.Issuer, id.Subject).Scan(&userID).Error
	if err != nil {
		return 0, fmt.Errorf("find an identity: %w", err)
	}
	return userID, nil
}

// Link makes an account the identity's.
func Link(t database.Tx, id *models.Identity, userID int64, now time.Time) error {
	return t.Exec("INSERT INTO sso_identities (issuer, subject, user_id, created_at) VALUES (?, ?, ?, ?)",
		id.Issuer, id.Subject, userID, now).Error
}

// UseLink uses up the permission to take over an account; false when there is none.
func UseLink(t database.Tx, userID int64) (bool, error) {
	done := t.Exec("DELETE FROM sso_links WHERE user_id = ?", userID)
	return done.RowsAffected == 1, done.Error
}

// AllowLink lets the provider's verified address take over an account, once; false when
// that is allowed already.
func AllowLink(t database.Tx, userID int64, by string, now time.Time) (bool, error) {
	done := t.Exec("INSERT INTO sso_links (user_id, allowed_at, allowed_by) VALUES (?, ?, ?) ON CONFLICT DO NOTHING", userID, now, by)
	return done.RowsAffected == 1, done.Error
}

// Account is a person as the page of the single sign-on lists them.
type Account struct {
	ID          int64
	Name, Email string
	Linked      bool // they have come by the provider
	Allowed     bool // the provider may take the account over
}

// Accounts lists the people who may sign in, for a provider.
func Accounts(t database.Tx, issuer string) ([]Account, error) {
	var all []Account
	err := t.Raw(`SELECT id, name, email,
			EXISTS (SELECT FROM sso_identities WHERE user_id = u.id AND issuer = ?) AS linked,
			EXISTS (SELECT FROM sso_links WHERE user_id = u.id) AS allowed
		FROM users u WHERE disabled_at IS NULL ORDER BY name, id`, issuer).Scan(&all).Error
	if err != nil {
		return nil, fmt.Errorf("list the accounts of the single sign-on: %w", err)
	}
	return all, nil
}

// Note stores of which of the provider's sessions a session came.
func Note(t database.Tx, session driver.Valuer, id *models.Identity) error {
	return t.Exec("INSERT INTO sso_sessions (token_hash, issuer, subject, sid) VALUES (?, ?, ?, ?)",
		session, id.Issuer, id.Subject, id.SessionID).Error
}

// Ended is a session that the provider has ended.
type Ended struct {
	UserID int64
	Name   string
	Since  time.Time
}

// ErrLogoutUsed is the refusal of a word of the provider's that was taken before.
var ErrLogoutUsed = &models.Error{Kind: models.KindConflict, Code: "sso.logoutUsed"}

// End ends the sessions that came of one of the provider's, or all of a person where it
// names none.
//
// Errors: ErrLogoutUsed.
func End(t database.Tx, l *models.ProviderLogout, now time.Time) (ended []Ended, err error) {
	if err := t.Exec("DELETE FROM sso_logouts WHERE expires_at <= ?", now).Error; err != nil {
		return nil, err
	}
	done := t.Exec("INSERT INTO sso_logouts (issuer, token_id, expires_at) VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
		l.Issuer, l.TokenID, l.Expiry)
	switch {
	case done.Error != nil:
		return nil, done.Error
	case done.RowsAffected == 0:
		return nil, ErrLogoutUsed
	}
	err = t.Raw(`DELETE FROM sessions s USING sso_sessions x, users u
		WHERE x.token_hash = s.token_hash AND u.id = s.user_id AND x.issuer = @issuer
			AND (@sid = '' OR x.sid = @sid) AND (@subject = '' OR x.subject = @subject)
		RETURNING s.user_id, u.name, s.created_at AS since`,
		map[string]any{"issuer": l.Issuer, "sid": l.SessionID, "subject": l.Subject}).Scan(&ended).Error
	if err != nil {
		return nil, fmt.Errorf("end sessions of the provider: %w", err)
	}
	return ended, nil
}
