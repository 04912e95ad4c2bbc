package accounts

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"veinte/models"
	"veinte/models/audit"
	"veinte/models/database"
)

// The refusals of blocking a name.
var (
	ErrBlockActive = &models.Error{Kind: models.KindConflict, Code: "user.blockActive"} // who may sign in works under the name
	ErrNamesake    = &models.Error{Kind: models.KindConflict, Code: "user.namesake"}    // the name is also that of something else
	ErrNameBlocked = &models.Error{Kind: models.KindConflict, Code: "user.nameBlocked"}
)

// namesOf are the names under which a person is in the trail, and their address.
const namesOf = `SELECT actor_name FROM audit_entries WHERE actor_id = @id AND actor_role <> @program AND actor_name <> ''
	UNION SELECT name FROM users WHERE id = @id UNION SELECT email FROM users WHERE id = @id`

// namesakes are other people, stores and terminals in whose names it stands as well: on
// pages they could not be told apart.
const namesakes = `SELECT EXISTS (SELECT FROM (
		SELECT name FROM users WHERE id <> @id AND id NOT IN (SELECT user_id FROM blocked_names)
		UNION ALL SELECT name FROM stores UNION ALL SELECT label FROM terminals) others
	WHERE strpos(' ' || regexp_replace(name, '[^[:alnum:]]+', ' ', 'g') || ' ',
		' ' || regexp_replace(@name, '[^[:alnum:]]+', ' ', 'g') || ' ') > 0)`

// BlockName has pages show a neutral word where a person's name or address stands, as
// the law may ask once they are gone. Nothing that is stored of them changes: the trail
// and its proofs are evidence.
//
// Errors: ErrForbidden, ErrNotFound, ErrStale, ErrBlockActive, ErrNamesake.
func (s *Service) BlockName(ctx context.Context, actor models.Actor, id int64, version int) error {
	return s.changeUser(ctx, actor, id, version, map[string]any{}, func(t database.Tx, u *models.User) error {
		if u.DisabledAt == nil {
			return ErrBlockActive
		}
		given := map[string]any{"id": id, "program": models.Integration}
		var names []string
		if err := t.Raw(namesOf, given).Scan(&names).Error; err != nil {
			return err
		}
		for _, given["name"] = range names {
			var other bool
			if err := t.Raw(namesakes, given).Scan(&other).Error; err != nil {
				return err
			}
			if other {
				return ErrNamesake
			}
			if err := t.Exec(`INSERT INTO blocked_names (user_id, name) VALUES (@id, @name) ON CONFLICT DO NOTHING`, given).Error; err != nil {
				return err
			}
		}
		return s.recordBlocked(t, actor, u, true)
	})
}

// UnblockName has pages show the person's name again.
//
// Errors: ErrForbidden, ErrNotFound, ErrStale.
func (s *Service) UnblockName(ctx context.Context, actor models.Actor, id int64, version int) error {
	return s.changeUser(ctx, actor, id, version, map[string]any{}, func(t database.Tx, u *models.User) error {
		if err := t.Exec(`DELETE FROM blocked_names WHERE user_id = ?`, id).Error; err != nil {
			return err
		}
		return s.recordBlocked(t, actor, u, false)
	})
}

func (s *Service) recordBlocked(t database.Tx, actor models.Actor, u *models.User, blocked bool) error {
	before, after := u.Attributes(), u.Attributes()
	before["nameBlocked"], after["nameBlocked"] = !blocked, blocked
	about := audit.About{Before: before, After: after}
	return audit.Record(t, actor, s.clock.Now(), models.ActionUserNameBlocked, models.OutcomeSuccess, about)
}

// NameBlocked reports whether a person's name is blocked.
func (s *Service) NameBlocked(ctx context.Context, id int64) (blocked bool, err error) {
	t := database.Tx{DB: s.db.Gorm().WithContext(ctx)}
	if err = nameShown(t, id); errors.Is(err, ErrNameBlocked) {
		return true, nil
	}
	return false, err
}

// nameShown refuses what makes no sense while a person's name is blocked.
func nameShown(t database.Tx, id int64) error {
	var blocked bool
	err := t.Raw(`SELECT EXISTS (SELECT FROM blocked_names WHERE user_id = ?)`, id).Scan(&blocked).Error
	if err == nil && blocked {
		return ErrNameBlocked
	}
	return err
}

// BlockedNames returns the names that pages do not show, with whose they are.
func (s *Service) BlockedNames(ctx context.Context) (map[string]int64, error) {
	rows, err := database.Rows[struct {
		UserID int64
		Name   string
	}](ctx, s.db.Pool(), `SELECT user_id, name FROM blocked_names`)
	if err != nil {
		return nil, fmt.Errorf("read blocked names: %w", err)
	}
	names := make(map[string]int64, len(rows))
	for _, r := range rows {
		names[strings.TrimSpace(r.Name)] = r.UserID
	}
	return names, nil
}
