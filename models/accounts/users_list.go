package accounts

import (
	"context"
	"fmt"
	"slices"

	"veinte/models"
	"veinte/models/database"
)

// User returns a user.
//
// Errors: ErrForbidden or ErrNotFound.
func (s *Service) User(ctx context.Context, actor models.Actor, id int64) (*models.User, error) {
	if !actor.May(models.ManageUsers) {
		return nil, models.ErrForbidden
	}
	return ByID(database.Tx{DB: s.db.Gorm().WithContext(ctx)}, id)
}

// Users lists all users by name.
//
// Errors: ErrForbidden.
func (s *Service) Users(ctx context.Context, actor models.Actor) ([]models.User, error) {
	if !actor.May(models.ManageUsers) && actor.Role != models.SystemRole {
		return nil, models.ErrForbidden
	}
	return s.users(ctx)
}

// Colleagues lists the users whose actions the actor may read about: all users, or
// those who share a store with the actor.
//
// Errors: ErrForbidden.
func (s *Service) Colleagues(ctx context.Context, actor models.Actor) ([]models.User, error) {
	if !actor.May(models.ReadAudit) {
		return nil, models.ErrForbidden
	}
	all, err := s.users(ctx)
	if err != nil || actor.AllStores {
		return all, err
	}
	var known []models.User
	for _, u := range all {
		if u.ID == actor.UserID || slices.ContainsFunc(u.StoreIDs, actor.Sees) {
			known = append(known, u)
		}
	}
	return known, nil
}

func (s *Service) users(ctx context.Context) ([]models.User, error) {
	var users []models.User
	if err := s.db.Gorm().WithContext(ctx).Omit("password_hash").Order("lower(name), id").Find(&users).Error; err != nil {
		return nil, fmt.Errorf("list users: %w", err)
	}
	var scopes []struct{ UserID, StoreID int64 }
	err := s.db.Gorm().WithContext(ctx).Raw("SELECT user_id, store_id FROM user_stores ORDER BY store_id").Scan(&scopes).Error
	if err != nil {
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

// UserByEmail returns a user by the address they sign in with.
func (s *Service) UserByEmail(ctx context.Context, email string) (*models.User, error) {
	email, err := models.ParseEmail(email)
	if err != nil {
		return nil, err
	}
	var u models.User
	if err := database.TakeRow(s.db.Gorm().WithContext(ctx).Where("email = ?", email), &u); err != nil {
		return nil, err
	}
	return ByID(database.Tx{DB: s.db.Gorm().WithContext(ctx)}, u.ID)
}

// ByID returns a person with their stores, as the transaction sees them.
//
// Errors: ErrNotFound.
func ByID(t database.Tx, id int64) (*models.User, error) {
	var u models.User
	if err := database.TakeRow(t.Where("id = ?", id), &u); err != nil {
		return nil, err
	}
	err := t.Raw("SELECT store_id FROM user_stores WHERE user_id = ? ORDER BY store_id", id).Scan(&u.StoreIDs).Error
	return &u, err
}

// Lock makes changes of a person's way in wait for each other.
func Lock(t database.Tx, id int64) error {
	return t.Exec("SELECT id FROM users WHERE id = ? FOR NO KEY UPDATE", id).Error
}
