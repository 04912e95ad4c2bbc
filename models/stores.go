package models

import (
	"context"
	"errors"
	"fmt"
	"time"

	"gorm.io/gorm"
)

// StoreInput is a store as a form gives it.
type StoreInput struct {
	Code, Name, TimeZone string
}

func (in StoreInput) check() (StoreInput, error) {
	var err error
	if in.Code, err = ParseStoreCode(in.Code); err != nil {
		return in, err
	}
	if in.Name, err = text("name", in.Name, 80); err != nil {
		return in, err
	}
	in.TimeZone, err = ParseTimeZone(in.TimeZone)
	return in, err
}

func (s *Store) told() map[string]any {
	return map[string]any{"code": s.Code, "name": s.Name, "timeZone": s.TimeZone}
}

// CreateStore adds a store.
//
// Errors: ErrForbidden, a field, or storeCode.taken.
func (db *DB) CreateStore(ctx context.Context, actor Actor, now time.Time, in StoreInput) (*Store, error) {
	if !actor.May(ManageStores) {
		return nil, ErrForbidden
	}
	in, err := in.check()
	if err != nil {
		return nil, err
	}
	s := &Store{Code: in.Code, Name: in.Name, TimeZone: in.TimeZone, Version: 1, CreatedAt: now}
	err = db.transaction(ctx, func(t tx) error {
		if err := t.Create(s).Error; err != nil {
			return duplicated(err, "code", "storeCode.taken")
		}
		return t.record(actor, now, ActionStoreCreated, OutcomeSuccess, about{store: s, after: s.told()})
	})
	if err != nil {
		return nil, fmt.Errorf("create store %s: %w", in.Code, err)
	}
	db.forgetDirectory()
	return s, nil
}

// ChangeStore renames a store or corrects its zone. version is the one that the
// person saw.
//
// Errors: ErrForbidden, ErrNotFound, ErrStale, a field, or storeCode.taken.
func (db *DB) ChangeStore(ctx context.Context, actor Actor, now time.Time, id int64, version int, in StoreInput) error {
	if !actor.May(ManageStores) {
		return ErrForbidden
	}
	in, err := in.check()
	if err != nil {
		return err
	}
	err = db.transaction(ctx, func(t tx) error {
		var s Store
		if err := take(t.Where("id = ?", id), &s); err != nil {
			return err
		}
		before := s.told()
		err := t.replace(&Store{}, id, version, map[string]any{"code": in.Code, "name": in.Name, "time_zone": in.TimeZone})
		if err != nil {
			return duplicated(err, "code", "storeCode.taken")
		}
		s.Code, s.Name, s.TimeZone = in.Code, in.Name, in.TimeZone
		return t.record(actor, now, ActionStoreChanged, OutcomeSuccess, about{store: &s, before: before, after: s.told()})
	})
	if err != nil {
		return fmt.Errorf("change store %d: %w", id, err)
	}
	db.forgetDirectory()
	return nil
}

// Store returns a store that the actor may see.
func (db *DB) Store(ctx context.Context, actor Actor, id int64) (*Store, error) {
	if !actor.Sees(id) {
		return nil, ErrNotFound
	}
	var s Store
	return &s, take(db.gorm.WithContext(ctx).Where("id = ?", id), &s)
}

// replace changes the row if it is still in the version that was seen.
func (t tx) replace(model any, id int64, version int, columns map[string]any) error {
	columns["version"] = gorm.Expr("version + 1")
	done := t.Model(model).Where("id = ? AND version = ?", id, version).Updates(columns)
	if done.Error != nil {
		return done.Error
	}
	if done.RowsAffected != 1 {
		return ErrStale
	}
	return nil
}

// duplicated names the field when the database refuses a second one.
func duplicated(err error, field, code string) error {
	if errors.Is(err, gorm.ErrDuplicatedKey) {
		return &Error{Kind: KindInvalid, Code: code, Field: field}
	}
	return err
}
