package accounts

import (
	"context"
	"fmt"

	"veinte/models"
	"veinte/models/accounts/passwords"
	"veinte/models/accounts/proposals"
	"veinte/models/audit"
	"veinte/models/database"
)

// CreateUser adds a user with a password, for the command line: the first
// administrator. Administrators invite, see Invite.
//
// Errors: ErrForbidden, a field, email.taken, access.past, access.tooFar,
// those of a password, see passwords.Check.
func (s *Service) CreateUser(ctx context.Context, actor models.Actor, in Input) (*models.User, error) {
	if actor.Role != models.SystemRole {
		return nil, models.ErrForbidden
	}
	hash, err := s.NewHash(ctx, in.Name, in.Email, in.Password)
	if err != nil {
		return nil, err
	}
	return s.create(ctx, actor, in, hash, func(database.Tx, *models.User, map[string]any) error { return nil })
}

// CreateSample is CreateUser for the demo, whose passwords everybody may read and so may
// be any.
func (s *Service) CreateSample(ctx context.Context, actor models.Actor, in Input) (*models.User, error) {
	if actor.Role != models.SystemRole {
		return nil, models.ErrForbidden
	}
	hash, err := passwords.Hash(ctx, in.Password)
	if err != nil {
		return nil, err
	}
	return s.create(ctx, actor, in, hash, func(database.Tx, *models.User, map[string]any) error { return nil })
}

// create adds a user, and does f in the same transaction, which may add to what the trail
// says of it. Without the hash of a password they cannot sign in.
func (s *Service) create(
	ctx context.Context, actor models.Actor, in Input, hash string, f func(database.Tx, *models.User, map[string]any) error,
) (*models.User, error) {
	now := s.clock.Now()
	if !actor.May(models.ManageUsers) && actor.Role != models.SystemRole {
		return nil, models.ErrForbidden
	}
	in, err := in.check()
	if err != nil {
		return nil, err
	}
	if err := in.judgeEnd(now, nil); err != nil {
		return nil, err
	}
	u := &models.User{
		Email: in.Email, Name: in.Name, Role: in.Role, AllStores: in.AllStores,
		StoreIDs: in.StoreIDs, AccessUntil: in.end(), PasswordHash: hash, Version: 1, CreatedAt: now,
	}
	err = s.db.InTx(ctx, func(t database.Tx) error {
		if err := proposals.LockAdministrators(t); err != nil {
			return err
		}
		if err := audit.NameFree(t, "name", in.Name); err != nil {
			return err
		}
		waits, err := s.beginWithout(t, actor, u)
		if err != nil {
			return err
		}
		if err := t.Create(u).Error; err != nil {
			return database.Duplicated(err, "email", "email.taken")
		}
		if err := setScope(t, u.ID, in.StoreIDs); err != nil {
			return err
		}
		if waits {
			if err := s.ask(t, actor, u, enabled(u)); err != nil {
				return err
			}
		}
		told := u.Attributes()
		if waits {
			told["disabled"] = true
		}
		if err := f(t, u, told); err != nil {
			return err
		}
		return audit.Record(t, actor, now, models.ActionUserCreated, models.OutcomeSuccess, audit.About{After: told})
	})
	if err != nil {
		return nil, fmt.Errorf("create user: %w", err)
	}
	return u, nil
}

// setScope replaces the stores of a user.
func setScope(t database.Tx, userID int64, storeIDs []int64) error {
	if err := t.Exec("DELETE FROM user_stores WHERE user_id = ?", userID).Error; err != nil {
		return err
	}
	if len(storeIDs) == 0 {
		return nil
	}
	var known int64
	if err := t.Model(&models.Store{}).Where("id IN ?", storeIDs).Count(&known).Error; err != nil {
		return err
	}
	if int(known) != len(storeIDs) {
		return models.Invalid("stores", "store.unknown")
	}
	return t.Exec("INSERT INTO user_stores (user_id, store_id) SELECT ?, id FROM stores WHERE id IN ?", userID, storeIDs).Error
}

// ChangeUser changes a user's data, role and stores. It takes effect with their next
// request. Rights that move money may wait for another administrator: see propose.
//
// Errors: ErrForbidden, ErrProofNeeded, ErrNotFound, ErrStale, a field, email.taken, access.past,
// access.tooFar, user.lastAdministrator, user.ownRights.
func (s *Service) ChangeUser(ctx context.Context, actor models.Actor, id int64, version int, in Input) error {
	if err := actor.Fresh(); err != nil {
		return err
	}
	now := s.clock.Now()
	in, err := in.check()
	if err != nil {
		return err
	}
	return s.lockedUser(ctx, actor, id, func(t database.Tx, u *models.User) error {
		if actor.UserID == id && !in.sameRights(u) {
			return errOwnRights
		}
		if err := in.judgeEnd(now, u.AccessUntil); err != nil {
			return err
		}
		if err := nameShown(t, id); err != nil {
			return err
		}
		if err := audit.NameFree(t, "name", in.Name); err != nil {
			return err
		}
		waits, err := s.propose(t, actor, u, in.rights(u))
		if err != nil {
			return err
		}
		if waits { // the rest is changed at once
			in.keepRights(u)
			if in.Name == u.Name && in.Email == u.Email {
				return replaceUser(t, id, version, map[string]any{}) // whoever has an older form is told
			}
		}
		if u.Role == models.Administrator && (in.Role != models.Administrator || in.end() != nil && u.AccessUntil == nil) {
			if err := requireAdministrator(t, id); err != nil {
				return err
			}
		}
		return s.store(t, actor, u, version, in)
	})
}

// store changes a user to what was entered and has been checked.
func (s *Service) store(t database.Tx, actor models.Actor, u *models.User, version int, in Input) error {
	now := s.clock.Now()
	before, is := u.Attributes(), *u
	u.Email, u.Name, u.Role, u.AllStores, u.StoreIDs, u.AccessUntil = in.Email, in.Name, in.Role, in.AllStores, in.StoreIDs, in.end()
	columns := map[string]any{
		"email": u.Email, "name": u.Name, "role": u.Role, "all_stores": u.AllStores, "access_until": u.AccessUntil,
		"second_from": secondFrom(&is, u.Role, actor.UserID != 0, now),
	}
	if err := replaceUser(t, u.ID, version, columns); err != nil {
		return err
	}
	if err := setScope(t, u.ID, u.StoreIDs); err != nil {
		return err
	}
	if u.Email != is.Email { // a letter with a link went to the old one
		if err := endLinks(t, u.ID, LinkTaken, now); err != nil {
			return err
		}
		if err := forgetDevices(t, u.ID); err != nil {
			return err
		}
		if err := proposals.NoteHelp(t, actor, u.ID, now); err != nil {
			return err
		}
	}
	if is.Role == models.Administrator && u.Role != models.Administrator {
		if err := proposals.LapseOf(t, actor, u.ID, now); err != nil {
			return err
		}
	}
	return audit.Record(t, actor, now, models.ActionUserChanged, models.OutcomeSuccess, audit.About{Before: before, After: u.Attributes()})
}

// DisableUser blocks a user at once, and takes back what they asked for and has not left.
// EnableUser lets them back in.
//
// Errors: ErrForbidden, ErrNotFound, ErrStale, user.lastAdministrator, user.ownRights.
func (s *Service) DisableUser(ctx context.Context, actor models.Actor, id int64, version int) error {
	return s.disable(ctx, actor, id, version, false)
}

// DisableUserOnly is DisableUser, and leaves what they asked for.
func (s *Service) DisableUserOnly(ctx context.Context, actor models.Actor, id int64, version int) error {
	return s.disable(ctx, actor, id, version, true)
}

func (s *Service) disable(ctx context.Context, actor models.Actor, id int64, version int, keep bool) error {
	if actor.UserID == id {
		return errOwnRights
	}
	now := s.clock.Now()
	err := s.changeUser(ctx, actor, id, version, map[string]any{"disabled_at": now}, func(t database.Tx, u *models.User) error {
		if u.Role == models.Administrator {
			if err := requireAdministrator(t, id); err != nil {
				return err
			}
		}
		if err := EndSessions(t, id); err != nil {
			return err
		}
		if err := endLinks(t, id, LinkTaken, now); err != nil {
			return err
		}
		if err := proposals.Lapse(t, actor, proposals.Person(id), now); err != nil {
			return err
		}
		if err := proposals.LapseOf(t, actor, id, now); err != nil {
			return err
		}
		about := audit.About{Before: u.DisabledAttributes(false)}
		after := u.DisabledAttributes(true)
		if err := s.endRequestsOf(t, actor, id, keep, after); err != nil {
			return err
		}
		about.After = after
		return audit.Record(t, actor, now, models.ActionUserDisabled, models.OutcomeSuccess, about)
	})
	if err == nil && s.ended != nil {
		s.ended(ctx)
	}
	return err
}

// endRequestsOf takes back what a user asked for and has not left, and adds to what the
// trail says how many requests that is.
func (s *Service) endRequestsOf(t database.Tx, actor models.Actor, id int64, keep bool, told map[string]any) error {
	if keep || s.endRequests == nil {
		told["requestsKept"] = keep
		return nil
	}
	n, err := s.endRequests(t, actor, id)
	told["requestsTakenBack"] = n
	return err
}

// EnableUser lets a disabled user back in, or asks another administrator to: see propose.
//
// Errors: ErrForbidden, ErrProofNeeded, ErrNotFound, ErrStale, user.nameBlocked.
func (s *Service) EnableUser(ctx context.Context, actor models.Actor, id int64, version int) error {
	if err := actor.Fresh(); err != nil {
		return err
	}
	now := s.clock.Now()
	return s.lockedUser(ctx, actor, id, func(t database.Tx, u *models.User) error {
		if err := nameShown(t, id); err != nil {
			return err
		}
		waits, err := s.propose(t, actor, u, enabled(u))
		if err != nil {
			return err
		}
		columns := map[string]any{"disabled_at": nil}
		if waits {
			columns = map[string]any{} // whoever has an older form is told
		}
		if err := replaceUser(t, id, version, columns); err != nil || waits {
			return err
		}
		about := audit.About{Before: u.DisabledAttributes(true), After: u.DisabledAttributes(false)}
		return audit.Record(t, actor, now, models.ActionUserEnabled, models.OutcomeSuccess, about)
	})
}

// ResetPassword sets a new password for a user and ends their sessions: the way in when
// no administrator has one, by the command line alone. Administrators make a link, see
// MakeLink.
//
// Errors: ErrForbidden, ErrNotFound, those of a password, see passwords.Check.
func (s *Service) ResetPassword(ctx context.Context, actor models.Actor, id int64, password string) error {
	if actor.Role != models.SystemRole {
		return models.ErrForbidden
	}
	of, err := ByID(database.Tx{DB: s.db.Gorm().WithContext(ctx)}, id)
	if err != nil {
		return err
	}
	hash, err := s.NewHash(ctx, of.Name, of.Email, password)
	if err != nil {
		return err
	}
	now := s.clock.Now()
	err = s.db.InTx(ctx, func(t database.Tx) error {
		if err := Lock(t, id); err != nil {
			return err
		}
		u, err := ByID(t, id)
		if err != nil {
			return err
		}
		if err := storePassword(t, u, hash); err != nil {
			return err
		}
		if err := endLinks(t, id, LinkReplaced, now); err != nil {
			return err
		}
		if err := s.Notify(t, actor, id, models.NoticePasswordReset); err != nil {
			return err
		}
		about := audit.About{After: map[string]any{"email": u.Email}}
		return audit.Record(t, actor, now, models.ActionPasswordReset, models.OutcomeSuccess, about)
	})
	if err != nil {
		return fmt.Errorf("reset the password of user %d: %w", id, err)
	}
	return nil
}

// changeUser changes a user, provided that the version is still the one the
// administrator saw.
func (s *Service) changeUser(
	ctx context.Context, actor models.Actor, id int64, version int, columns map[string]any,
	f func(database.Tx, *models.User) error,
) error {
	return s.lockedUser(ctx, actor, id, func(t database.Tx, u *models.User) error {
		if err := replaceUser(t, id, version, columns); err != nil {
			return err
		}
		return f(t, u)
	})
}

// lockedUser does f with a user while no other administrator changes one.
func (s *Service) lockedUser(ctx context.Context, actor models.Actor, id int64, f func(database.Tx, *models.User) error) error {
	if !actor.May(models.ManageUsers) && actor.Role != models.SystemRole {
		return models.ErrForbidden
	}
	err := s.db.InTx(ctx, func(t database.Tx) error {
		if err := proposals.LockAdministrators(t); err != nil {
			return err
		}
		u, err := ByID(t, id)
		if err != nil {
			return err
		}
		return f(t, u)
	})
	if err != nil {
		return fmt.Errorf("change user %d: %w", id, err)
	}
	return nil
}

func replaceUser(t database.Tx, id int64, version int, columns map[string]any) error {
	return database.Duplicated(t.Replace(&models.User{}, id, version, columns), "email", "email.taken")
}

// requireAdministrator refuses a change that would leave no administrator, now or
// once someone's access has ended.
func requireAdministrator(t database.Tx, without int64) error {
	if err := keepBreakGlass(t, without); err != nil {
		return err
	}
	var others int64
	err := t.Model(&models.User{}).
		Where("role = ? AND disabled_at IS NULL AND access_until IS NULL AND id <> ?", models.Administrator, without).
		Count(&others).Error
	if err != nil {
		return err
	}
	if others == 0 {
		return &models.Error{Kind: models.KindConflict, Code: "user.lastAdministrator"}
	}
	return nil
}
