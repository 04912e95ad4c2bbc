package accounts

import (
	"fmt"

	"veinte/models"
	"veinte/models/database"
)

// Of user u, around the placeholder of a time: whether the rules let them resolve doubts
// as a manager then.
const (
	ResolvesSQL = `u.role = 'manager' AND coalesce((SELECT managers_settle FROM rules
		WHERE managers_settle IS NOT NULL AND taken_back_at IS NULL AND effective_at <= `
	ResolvesEndSQL = ` ORDER BY effective_at DESC, id DESC LIMIT 1), false)`
)

const currentSQL = `SELECT u.name, u.role, u.all_stores, u.disabled_at, u.access_until,
	` + ResolvesSQL + `?` + ResolvesEndSQL + ` AS resolves
	FROM users u WHERE u.id = ? FOR SHARE OF u`

// Current returns a person as they are now, and keeps them so until the end of the
// transaction: whoever disables them, ends their access or narrows their rights either
// waits for it, or was first and is seen. Each act that moves money asks it, because the
// actor of a request is as old as the request.
//
// It locks the person's row, so whoever moves a cancellation has locked its sale before,
// see cancellations.Held.
//
// Errors: models.ErrAccessEnded.
func (s *Service) Current(t database.Tx, actor models.Actor) (models.Actor, error) {
	if actor.UserID == 0 { // the system, or a terminal
		return actor, nil
	}
	now := s.clock.Now()
	var u struct {
		models.User
		Resolves bool
	}
	done := t.Raw(currentSQL, now, actor.UserID).Scan(&u)
	switch {
	case done.Error != nil:
		return actor, fmt.Errorf("read person %d again: %w", actor.UserID, done.Error)
	case done.RowsAffected == 0 || u.ShutOut(now) != nil:
		return actor, models.ErrAccessEnded
	}
	actor.Name, actor.Role, actor.AllStores, actor.MayResolve = u.Name, u.Role, u.AllStores, u.Resolves
	if actor.StoreIDs = nil; actor.AllStores {
		return actor, nil
	}
	// A statement of its own: one that waited for the lock would see the stores of before.
	err := t.Raw("SELECT store_id FROM user_stores WHERE user_id = ? ORDER BY store_id", actor.UserID).Scan(&actor.StoreIDs).Error
	if err != nil {
		return actor, fmt.Errorf("read the stores of person %d again: %w", actor.UserID, err)
	}
	return actor, nil
}
