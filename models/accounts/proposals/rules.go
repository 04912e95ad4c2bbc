package proposals

import (
	"context"
	"fmt"
	"time"

	"veinte/models"
	"veinte/models/database"
)

// Aside is how long an administrator does not count as a second one after they were made
// by one alone, and two of whom one gave the other a way in do not confirm for each other.
const Aside = 7 * 24 * time.Hour

// LockAdministrators locks the administrators in one order, before anything else of people
// and proposals is. Two administrators who disable each other, or who decide at once, then
// wait instead of deadlocking.
func LockAdministrators(t database.Tx) error {
	return t.Exec("SELECT id FROM users WHERE role = ? ORDER BY id FOR NO KEY UPDATE", models.Administrator).Error
}

// active are the administrators who have access, around their day and the time.
const active = `u.role = 'administrator' AND u.disabled_at IS NULL AND (u.access_until IS NULL OR u.access_until >= @day)`

// Needed reports whether another administrator has to confirm what the actor gives to the
// subject: there is one who has signed in. Where there is none, and for the command line,
// it takes effect at once.
func Needed(t database.Tx, actor models.Actor, of Subject, now time.Time) (needed bool, err error) {
	if actor.UserID == 0 {
		return false, nil
	}
	given := map[string]any{"asker": actor.UserID, "subject": int64(0), "now": now, "day": models.AccessDay(now), "login": models.ActionLogin}
	if of.Kind == OfPerson {
		given["subject"] = of.ID
	}
	err = t.Raw(`SELECT EXISTS (SELECT FROM users u WHERE `+active+` AND u.id NOT IN (@asker, @subject)
		AND (u.second_from IS NULL OR u.second_from <= @now)
		AND EXISTS (SELECT FROM audit_entries WHERE action = @login AND actor_id = u.id))`, given).Scan(&needed).Error
	if err != nil {
		return false, fmt.Errorf("look for a second administrator: %w", err)
	}
	return needed, nil
}

// NoteHelp notes that the actor gave somebody a way into their account. For a while it may
// be the actor who comes in.
func NoteHelp(t database.Tx, actor models.Actor, userID int64, now time.Time) error {
	if actor.UserID == 0 || actor.UserID == userID {
		return nil
	}
	return t.Exec(`INSERT INTO access_helpers (user_id, helper_id, at) VALUES (?, ?, ?)
		ON CONFLICT (user_id, helper_id) DO UPDATE SET at = excluded.at`, userID, actor.UserID, now).Error
}

// judge refuses a confirmation by somebody who may not give it.
func judge(t database.Tx, actor models.Actor, p *Proposal, now time.Time) error {
	switch {
	case actor.UserID == p.AskedBy:
		return ErrOwn
	case p.UserID != nil && actor.UserID == *p.UserID:
		return ErrForYou
	}
	there, secondFrom, err := administrator(t, actor.UserID, now)
	switch {
	case err != nil:
		return err
	case !there:
		return models.ErrAccessEnded
	case secondFrom != nil && now.Before(*secondFrom):
		return ErrTooNew
	}
	var helped bool
	err = t.Raw(`SELECT EXISTS (SELECT FROM access_helpers WHERE at > @since
		AND ((user_id, helper_id) = (@a, @b) OR (user_id, helper_id) = (@b, @a)))`,
		map[string]any{"since": now.Add(-Aside), "a": actor.UserID, "b": p.AskedBy}).Scan(&helped).Error
	if err == nil && helped {
		return ErrHelped
	}
	return err
}

// administrator reports whether somebody is an administrator with access, and from when on
// a second one.
func administrator(t database.Tx, id int64, now time.Time) (there bool, secondFrom *time.Time, err error) {
	var u struct{ SecondFrom *time.Time }
	done := t.Raw(`SELECT second_from FROM users u WHERE u.id = @id AND `+active,
		map[string]any{"id": id, "day": models.AccessDay(now)}).Scan(&u)
	if done.Error != nil {
		return false, nil, fmt.Errorf("read administrator %d again: %w", id, done.Error)
	}
	return done.RowsAffected > 0, u.SecondFrom, nil
}

// Needed is Needed for a form, before anything is asked for.
func (s *Service) Needed(ctx context.Context, actor models.Actor, of Subject) (bool, error) {
	return Needed(database.Tx{DB: s.db.Gorm().WithContext(ctx)}, actor, of, s.clock.Now())
}
