package models

import (
	"context"
	"fmt"
	"slices"
	"time"
)

// UserInput is a person as a form gives them.
type UserInput struct {
	Email, Name string
	Role        Role
	AllStores   bool
	StoreIDs    []int64
	AccessUntil string // the last day of their access, as typed; "" for no end
	Password    string // on creation only
}

func (in UserInput) check() (UserInput, error) {
	var err error
	if in.Email, err = ParseEmail(in.Email); err != nil {
		return in, err
	}
	if in.Name, err = text("name", in.Name, 80); err != nil {
		return in, err
	}
	if _, err = ParseRole(string(in.Role)); err != nil {
		return in, err
	}
	switch in.Role {
	case Administrator:
		in.AllStores = true // keeps the map of all stores
	case Manager:
		in.AllStores = false
	}
	if in.AllStores {
		in.StoreIDs = nil
	} else if len(in.StoreIDs) == 0 {
		return in, Invalid("stores", "store.required")
	}
	slices.Sort(in.StoreIDs)
	in.StoreIDs = slices.Compact(in.StoreIDs)
	return in, in.checkEnd()
}

func (u *User) told() map[string]any {
	return map[string]any{"email": u.Email, "name": u.Name, "role": u.Role, "allStores": u.AllStores, "stores": u.StoreIDs, "accessUntil": u.AccessUntil}
}

// toldDisabled says besides whether they are shut out.
func (u *User) toldDisabled(disabled bool) map[string]any {
	told := u.told()
	told["disabled"] = disabled
	return told
}

// CreateUser adds a person.
//
// Errors: ErrForbidden, a field, email.taken, access.past, access.tooFar,
// password.tooShort.
func (db *DB) CreateUser(ctx context.Context, actor Actor, now time.Time, in UserInput) (*User, error) {
	if !actor.May(ManageUsers) && actor.Role != SystemRole {
		return nil, ErrForbidden
	}
	in, err := in.check()
	if err != nil {
		return nil, err
	}
	if err := in.judgeEnd(now, nil); err != nil {
		return nil, err
	}
	hash, err := hashPassword(ctx, in.Password)
	if err != nil {
		return nil, err
	}
	u := &User{
		Email: in.Email, Name: in.Name, Role: in.Role, AllStores: in.AllStores,
		StoreIDs: in.StoreIDs, AccessUntil: in.end(), PasswordHash: hash, Version: 1, CreatedAt: now,
	}
	err = db.transaction(ctx, func(t tx) error {
		if err := t.Create(u).Error; err != nil {
			return duplicated(err, "email", "email.taken")
		}
		if err := t.setScope(u.ID, in.StoreIDs); err != nil {
			return err
		}
		return t.record(actor, now, ActionUserCreated, OutcomeSuccess, about{after: u.told()})
	})
	if err != nil {
		return nil, fmt.Errorf("create user: %w", err)
	}
	return u, nil
}

// setScope replaces the stores of a person.
func (t tx) setScope(userID int64, storeIDs []int64) error {
	if err := t.Exec("DELETE FROM user_stores WHERE user_id = ?", userID).Error; err != nil {
		return err
	}
	if len(storeIDs) == 0 {
		return nil
	}
	var known int64
	if err := t.Model(&Store{}).Where("id IN ?", storeIDs).Count(&known).Error; err != nil {
		return err
	}
	if int(known) != len(storeIDs) {
		return Invalid("stores", "store.unknown")
	}
	return t.Exec("INSERT INTO user_stores (user_id, store_id) SELECT ?, id FROM stores WHERE id IN ?", userID, storeIDs).Error
}

// ChangeUser changes who a person is and what they may see. It counts from
// their next request.
//
// Errors: ErrForbidden, ErrNotFound, ErrStale, a field, email.taken, access.past,
// access.tooFar, user.lastAdministrator.
func (db *DB) ChangeUser(ctx context.Context, actor Actor, now time.Time, id int64, version int, in UserInput) error {
	in, err := in.check()
	if err != nil {
		return err
	}
	columns := map[string]any{"email": in.Email, "name": in.Name, "role": in.Role, "all_stores": in.AllStores, "access_until": in.end()}
	return db.changeUser(ctx, actor, id, version, columns, func(t tx, u *User) error {
		if err := in.judgeEnd(now, u.AccessUntil); err != nil {
			return err
		}
		if u.Role == Administrator && (in.Role != Administrator || in.end() != nil && u.AccessUntil == nil) {
			if err := t.keepsAdministrator(id); err != nil {
				return err
			}
		}
		before := u.told()
		if err := t.setScope(id, in.StoreIDs); err != nil {
			return err
		}
		u.Email, u.Name, u.Role, u.AllStores, u.StoreIDs, u.AccessUntil = in.Email, in.Name, in.Role, in.AllStores, in.StoreIDs, in.end()
		return t.record(actor, now, ActionUserChanged, OutcomeSuccess, about{before: before, after: u.told()})
	})
}

// DisableUser shuts a person out at once; EnableUser lets them back in.
//
// Errors: ErrForbidden, ErrNotFound, ErrStale, user.lastAdministrator.
func (db *DB) DisableUser(ctx context.Context, actor Actor, now time.Time, id int64, version int) error {
	return db.changeUser(ctx, actor, id, version, map[string]any{"disabled_at": now}, func(t tx, u *User) error {
		if u.Role == Administrator {
			if err := t.keepsAdministrator(id); err != nil {
				return err
			}
		}
		if err := t.endSessions(id); err != nil {
			return err
		}
		return t.record(actor, now, ActionUserDisabled, OutcomeSuccess, about{before: u.toldDisabled(false), after: u.toldDisabled(true)})
	})
}

// EnableUser lets a disabled person back in.
func (db *DB) EnableUser(ctx context.Context, actor Actor, now time.Time, id int64, version int) error {
	return db.changeUser(ctx, actor, id, version, map[string]any{"disabled_at": nil}, func(t tx, u *User) error {
		return t.record(actor, now, ActionUserEnabled, OutcomeSuccess, about{before: u.toldDisabled(true), after: u.toldDisabled(false)})
	})
}

// ResetPassword gives a person a new password and ends their sessions.
//
// Errors: ErrForbidden, ErrNotFound, ErrStale, password.tooShort.
func (db *DB) ResetPassword(ctx context.Context, actor Actor, now time.Time, id int64, version int, password string) error {
	if !actor.May(ManageUsers) && actor.Role != SystemRole {
		return ErrForbidden
	}
	hash, err := hashPassword(ctx, password)
	if err != nil {
		return err
	}
	return db.changeUser(ctx, actor, id, version, map[string]any{"password_hash": hash}, func(t tx, u *User) error {
		if err := t.endSessions(id); err != nil {
			return err
		}
		// Whoever asked for it must be able to use it.
		if err := t.Exec("DELETE FROM login_failures WHERE email = ?", u.Email).Error; err != nil {
			return err
		}
		return t.record(actor, now, ActionPasswordReset, OutcomeSuccess, about{after: map[string]any{"email": u.Email}})
	})
}

// changeUser changes a person who is still as the administrator saw them.
func (db *DB) changeUser(ctx context.Context, actor Actor, id int64, version int, columns map[string]any, f func(tx, *User) error) error {
	if !actor.May(ManageUsers) && actor.Role != SystemRole {
		return ErrForbidden
	}
	err := db.transaction(ctx, func(t tx) error {
		if err := t.lockAdministrators(); err != nil {
			return err
		}
		u, err := t.user(id)
		if err != nil {
			return err
		}
		if err := t.replace(&User{}, id, version, columns); err != nil {
			return duplicated(err, "email", "email.taken")
		}
		return f(t, u)
	})
	if err != nil {
		return fmt.Errorf("change user %d: %w", id, err)
	}
	return nil
}

// lockAdministrators makes two administrators who dismiss each other wait, in
// one order and before either has changed anything.
func (t tx) lockAdministrators() error {
	return t.Exec("SELECT id FROM users WHERE role = ? ORDER BY id FOR NO KEY UPDATE", Administrator).Error
}

// keepsAdministrator refuses to leave the product without anybody who could let
// others in, now or once an access has ended.
func (t tx) keepsAdministrator(without int64) error {
	var others int64
	err := t.Model(&User{}).Where("role = ? AND disabled_at IS NULL AND access_until IS NULL AND id <> ?", Administrator, without).Count(&others).Error
	if err != nil {
		return err
	}
	if others == 0 {
		return &Error{Kind: KindConflict, Code: "user.lastAdministrator"}
	}
	return nil
}

func (t tx) user(id int64) (*User, error) {
	var u User
	if err := take(t.Where("id = ?", id), &u); err != nil {
		return nil, err
	}
	err := t.Raw("SELECT store_id FROM user_stores WHERE user_id = ? ORDER BY store_id", id).Scan(&u.StoreIDs).Error
	return &u, err
}

func (t tx) endSessions(userID int64) error {
	return t.Exec("DELETE FROM sessions WHERE user_id = ?", userID).Error
}
