package operations

import (
	"context"
	"fmt"
	"slices"

	"veinte/models"
	"veinte/models/audit"
	"veinte/models/database"
)

// Onboarding is the state of what an administrator sets up first.
type Onboarding struct {
	Stores      int64
	Terminals   int64          // in use
	People      int64          // who may sign in
	RuleChanges int64          // since the version that came with the database, not withdrawn
	Test        ConnectionTest `db:"-"`
}

// Onboarding returns what is set up so far.
//
// Errors: ErrForbidden.
func (s *Service) Onboarding(ctx context.Context, actor models.Actor) (*Onboarding, error) {
	if !actor.May(models.ManageSettings) {
		return nil, models.ErrForbidden
	}
	b, err := database.Row[Onboarding](ctx, s.db, `SELECT
		(SELECT count(*) FROM stores) AS stores,
		(SELECT count(*) FROM terminals WHERE retired_at IS NULL) AS terminals,
		(SELECT count(*) FROM users WHERE disabled_at IS NULL AND (access_until IS NULL OR access_until >= $1)) AS people,
		(SELECT count(*) FROM rules WHERE taken_back_at IS NULL AND id > (SELECT min(id) FROM rules)) AS rule_changes`,
		string(models.AccessDay(s.clock.Now())))
	if err != nil {
		return nil, fmt.Errorf("count what is set up: %w", err)
	}
	b.Test, err = s.LastConnectionTest(ctx)
	return &b, err
}

// Good reports whether there was a test and each of its steps succeeded.
func (t *ConnectionTest) Good() bool {
	return len(t.Steps) > 0 && !slices.ContainsFunc(t.Steps, failed)
}

// SetOnboarding shows or dismisses the onboarding of a person's role, in every
// browser.
func (s *Service) SetOnboarding(ctx context.Context, actor models.Actor, shown bool) error {
	now := s.clock.Now()
	return s.db.InTx(ctx, func(t database.Tx) error {
		var was bool
		err := t.Raw("SELECT first_steps_hidden_at IS NULL FROM users WHERE id = ? FOR UPDATE", actor.UserID).Scan(&was).Error
		if err != nil || was == shown {
			return err
		}
		hidden := &now
		if shown {
			hidden = nil
		}
		if err := t.Exec("UPDATE users SET first_steps_hidden_at = ? WHERE id = ?", hidden, actor.UserID).Error; err != nil {
			return err
		}
		return audit.Record(t, actor, now, models.ActionOnboarding, models.OutcomeSuccess,
			audit.About{Before: map[string]any{"shown": was}, After: map[string]any{"shown": shown}})
	})
}
