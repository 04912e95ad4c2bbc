package models

import (
	"context"
	"fmt"
	"time"
)

// Rules are what an administrator may change while the server runs. Every change
// is a new row, and the last one holds.
type Rules struct {
	ID             int64
	SetAt          time.Time
	SetBy          string
	ManagersSettle bool // a manager may settle a doubt of their store
}

// rulesOf is how the trail writes rules before and after.
type rulesOf struct {
	ManagersSettle bool `json:"managersSettle"`
}

// Rules returns the rules in force.
func (db *DB) Rules(ctx context.Context) (Rules, error) {
	var r Rules
	if err := db.gorm.WithContext(ctx).Order("id DESC").Take(&r).Error; err != nil {
		return r, fmt.Errorf("read rules: %w", err)
	}
	return r, nil
}

// SetManagersSettle decides whether managers may settle doubts of their store.
// Setting what holds already changes nothing.
//
// Errors: ErrForbidden.
func (db *DB) SetManagersSettle(ctx context.Context, actor Actor, now time.Time, may bool) error {
	if !actor.May(ManageSettings) {
		return ErrForbidden
	}
	return db.transaction(ctx, func(t tx) error {
		// One change at a time, so that before and after are true.
		if err := t.Exec("SELECT pg_advisory_xact_lock(?)", rulesLock).Error; err != nil {
			return err
		}
		var r Rules
		if err := t.Order("id DESC").Take(&r).Error; err != nil {
			return fmt.Errorf("read rules: %w", err)
		}
		if r.ManagersSettle == may {
			return nil
		}
		before := rulesOf{r.ManagersSettle}
		if err := t.Create(&Rules{SetAt: now, SetBy: actor.Name, ManagersSettle: may}).Error; err != nil {
			return fmt.Errorf("write rules: %w", err)
		}
		return t.record(actor, now, ActionRulesChanged, OutcomeSuccess, about{before: before, after: rulesOf{may}})
	})
}

// rulesLock is the advisory lock of a change of the rules.
const rulesLock = 7020_001
