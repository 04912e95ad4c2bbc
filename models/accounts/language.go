package accounts

import (
	"context"

	"veinte/models"
	"veinte/models/audit"
	"veinte/models/database"
)

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
