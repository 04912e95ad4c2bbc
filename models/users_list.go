package models

import (
	"context"
	"fmt"
	"slices"
)

// User returns a person.
//
// Errors: ErrForbidden or ErrNotFound.
func (db *DB) User(ctx context.Context, actor Actor, id int64) (*User, error) {
	if !actor.May(ManageUsers) {
		return nil, ErrForbidden
	}
	return tx{DB: db.gorm.WithContext(ctx)}.user(id)
}

// Users lists everybody by name.
//
// Errors: ErrForbidden.
func (db *DB) Users(ctx context.Context, actor Actor) ([]User, error) {
	if !actor.May(ManageUsers) && actor.Role != SystemRole {
		return nil, ErrForbidden
	}
	return db.users(ctx)
}

// Colleagues lists the people whose acts the actor may read about: everybody,
// or those who share a store with them.
//
// Errors: ErrForbidden.
func (db *DB) Colleagues(ctx context.Context, actor Actor) ([]User, error) {
	if !actor.May(ReadAudit) {
		return nil, ErrForbidden
	}
	all, err := db.users(ctx)
	if err != nil || actor.AllStores {
		return all, err
	}
	var known []User
	for _, u := range all {
		if u.ID == actor.UserID || slices.ContainsFunc(u.StoreIDs, actor.Sees) {
			known = append(known, u)
		}
	}
	return known, nil
}

func (db *DB) users(ctx context.Context) ([]User, error) {
	var users []User
	if err := db.gorm.WithContext(ctx).Omit("password_hash").Order("lower(name), id").Find(&users).Error; err != nil {
		return nil, fmt.Errorf("list users: %w", err)
	}
	var scopes []struct{ UserID, StoreID int64 }
	if err := db.gorm.WithContext(ctx).Raw("SELECT user_id, store_id FROM user_stores ORDER BY store_id").Scan(&scopes).Error; err != nil {
		return nil, fmt.Errorf("list scopes: %w", err)
	}
	byUser := map[int64][]int64{}
	for _, s := range scopes {
		byUser[s.UserID] = append(byUser[s.UserID], s.StoreID)
	}
	for i := range users {
		users[i].StoreIDs = byUser[users[i].ID]
	}
	return users, nil
}

// UserByEmail returns a person by the address they sign in with.
func (db *DB) UserByEmail(ctx context.Context, email string) (*User, error) {
	email, err := ParseEmail(email)
	if err != nil {
		return nil, err
	}
	var u User
	if err := take(db.gorm.WithContext(ctx).Where("email = ?", email), &u); err != nil {
		return nil, err
	}
	return tx{DB: db.gorm.WithContext(ctx)}.user(u.ID)
}
