package accounts

import (
	"context"
	"crypto/sha256"
	"database/sql/driver"
	"time"

	"veinte/models"
	"veinte/models/audit"
	"veinte/models/database"
)

// SessionLife is how long a sign-in lasts: a long shift.
const SessionLife = 12 * time.Hour

// TokenHash is the hash of a session's token, as stored in the database. It
// implements driver.Valuer because gorm would spread plain bytes over several
// columns.
type TokenHash [sha256.Size]byte

// Value returns the hash for a bytea column.
func (h TokenHash) Value() (driver.Value, error) { return h[:], nil }

func hashToken(token string) TokenHash { return sha256.Sum256([]byte(token)) }

// SessionActor returns the user of a session's cookie, with their current role and
// stores, and their language.
//
// Errors: ErrNotFound when the session or the user's access has ended, or the user
// is disabled.
func (s *Service) SessionActor(ctx context.Context, token string) (actor models.Actor, language string, err error) {
	now := s.clock.Now()
	row, err := database.Row[sessionRow](ctx, s.db.Pool(), `
		SELECT u.id, u.name, u.role, u.all_stores, u.language, u.access_until, u.first_steps_hidden_at IS NULL AS onboarding,
		       u.role = 'manager' AND coalesce((SELECT managers_settle FROM rules
			WHERE managers_settle IS NOT NULL AND taken_back_at IS NULL AND effective_at <= $2
			ORDER BY effective_at DESC, id DESC LIMIT 1), false) AS resolves,
		       array(SELECT store_id FROM user_stores WHERE user_id = u.id ORDER BY store_id) AS store_ids
		FROM sessions s JOIN users u ON u.id = s.user_id
		WHERE s.token_hash = $1 AND s.expires_at > $2 AND u.disabled_at IS NULL
			AND (u.access_until IS NULL OR u.access_until >= $3)`, hashToken(token), now, string(models.AccessDay(now)))
	if err != nil {
		return models.Actor{}, "", err
	}
	actor = models.Actor{
		UserID: row.ID, Name: row.Name, Role: row.Role, AllStores: row.AllStores, StoreIDs: row.StoreIDs,
		ShowOnboarding: row.Onboarding, MayResolve: row.Resolves,
	}
	if row.AccessUntil != nil {
		actor.AccessEnds = models.Day(row.AccessUntil.Format(time.DateOnly)).AccessEnds()
	}
	return actor, row.Language, nil
}

// sessionRow is a session's user.
type sessionRow struct {
	ID          int64
	Name        string
	Role        models.Role
	AllStores   bool
	StoreIDs    []int64
	Language    string
	AccessUntil *time.Time
	Onboarding  bool // they have not dismissed it
	Resolves    bool // the rules let managers resolve doubts
}

// Logout ends a session.
func (s *Service) Logout(ctx context.Context, actor models.Actor, token string) error {
	now := s.clock.Now()
	return s.db.InTx(ctx, func(t database.Tx) error {
		done := t.Exec("DELETE FROM sessions WHERE token_hash = ?", hashToken(token))
		if done.Error != nil || done.RowsAffected == 0 {
			return done.Error
		}
		return audit.Record(t, actor, now, models.ActionLogout, models.OutcomeSuccess, audit.About{})
	})
}

// SetLanguage stores the language that a user chose.
func (s *Service) SetLanguage(ctx context.Context, actor models.Actor, language string) error {
	now := s.clock.Now()
	return s.db.InTx(ctx, func(t database.Tx) error {
		var was string
		if err := t.Raw("SELECT language FROM users WHERE id = ? FOR UPDATE", actor.UserID).Scan(&was).Error; err != nil || was == language {
			return err
		}
		if err := t.Exec("UPDATE users SET language = ? WHERE id = ?", language, actor.UserID).Error; err != nil {
			return err
		}
		return audit.Record(t, actor, now, models.ActionLanguageChosen, models.OutcomeSuccess,
			audit.About{Before: map[string]any{"language": was}, After: map[string]any{"language": language}})
	})
}
