package models

import (
	"context"
	"fmt"
	"time"
)

// Beginnings are what an administrator sets up first, as it is.
type Beginnings struct {
	Stores      int64
	Terminals   int64 // in use
	People      int64 // who may sign in
	RuleChanges int64 // since the version that came with the database, not taken back
	Test        ConnectionTest
}

// Beginnings returns what is set up by now.
//
// Errors: ErrForbidden.
func (s *Cancellations) Beginnings(ctx context.Context, actor Actor) (*Beginnings, error) {
	if !actor.May(ManageSettings) {
		return nil, ErrForbidden
	}
	var b Beginnings
	err := s.db.pool.QueryRow(ctx, `SELECT
		(SELECT count(*) FROM stores),
		(SELECT count(*) FROM terminals WHERE retired_at IS NULL),
		(SELECT count(*) FROM users WHERE disabled_at IS NULL AND (access_until IS NULL OR access_until >= $1)),
		(SELECT count(*) FROM rules WHERE taken_back_at IS NULL AND id > (SELECT min(id) FROM rules))`, string(AccessDay(s.clock.Now()))).
		Scan(&b.Stores, &b.Terminals, &b.People, &b.RuleChanges)
	if err != nil {
		return nil, fmt.Errorf("count what is set up: %w", err)
	}
	b.Test, err = s.LastConnectionTest(ctx)
	return &b, err
}

// Good reports whether there was a test and every step of it went well.
func (t *ConnectionTest) Good() bool {
	for _, step := range t.Steps {
		if !step.OK {
			return false
		}
	}
	return len(t.Steps) > 0
}

// ShowFirstSteps shows a person the first steps of their role, or puts them away,
// in every browser.
func (db *DB) ShowFirstSteps(ctx context.Context, actor Actor, now time.Time, shown bool) error {
	return db.transaction(ctx, func(t tx) error {
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
		return t.record(actor, now, ActionFirstSteps, OutcomeSuccess,
			about{before: map[string]any{"shown": was}, after: map[string]any{"shown": shown}})
	})
}
