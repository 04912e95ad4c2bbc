package terminals

import (
	"context"
	"fmt"

	"veinte/models"
	"veinte/models/audit"
	"veinte/models/database"
	"veinte/models/traceability"
)

// StoreInput is a store as entered in a form.
type StoreInput struct {
	Code, Name, TimeZone string
	// Traceability is the template of the merchant's own object, as JSON. With
	// BareTraceability there is none, and {} is sent.
	Traceability     string
	BareTraceability bool
}

func (in StoreInput) check() (StoreInput, error) {
	var err error
	if in.Code, err = models.ParseStoreCode(in.Code); err != nil {
		return in, err
	}
	if in.Name, err = models.Text("name", in.Name, 80); err != nil {
		return in, err
	}
	if in.TimeZone, err = models.ParseTimeZone(in.TimeZone); err != nil {
		return in, err
	}
	if in.Traceability, err = traceability.ParseTemplate(in.Traceability); err == nil && in.BareTraceability && in.Traceability != "" {
		err = models.Invalid("traceability", "traceability.bareOrTemplate")
	}
	return in, err
}

// CreateStore adds a store.
//
// Errors: ErrForbidden, a field, or storeCode.taken.
func (s *Service) CreateStore(ctx context.Context, actor models.Actor, in StoreInput) (*models.Store, error) {
	now := s.clock.Now()
	if !actor.May(models.ManageStores) {
		return nil, models.ErrForbidden
	}
	in, err := in.check()
	if err != nil {
		return nil, err
	}
	store := &models.Store{
		Code: in.Code, Name: in.Name, TimeZone: in.TimeZone, Version: 1, CreatedAt: now,
		Traceability: in.Traceability, BareTraceability: in.BareTraceability,
	}
	err = s.db.InTx(ctx, func(t database.Tx) error {
		if err := audit.NameFree(t, "name", in.Name); err != nil {
			return err
		}
		if err := t.Create(store).Error; err != nil {
			return database.Duplicated(err, "code", "storeCode.taken")
		}
		about := audit.About{Store: store, After: store.Attributes()}
		return audit.Record(t, actor, now, models.ActionStoreCreated, models.OutcomeSuccess, about)
	})
	if err != nil {
		return nil, fmt.Errorf("create store %s: %w", in.Code, err)
	}
	s.forgetDirectory()
	return store, nil
}

// ChangeStore renames a store or corrects its time zone. version is the one that the
// user saw.
//
// Errors: ErrForbidden, ErrNotFound, ErrStale, a field, or storeCode.taken.
func (s *Service) ChangeStore(ctx context.Context, actor models.Actor, id int64, version int, in StoreInput) error {
	now := s.clock.Now()
	if !actor.May(models.ManageStores) {
		return models.ErrForbidden
	}
	in, err := in.check()
	if err != nil {
		return err
	}
	err = s.db.InTx(ctx, func(t database.Tx) error {
		var store models.Store
		if err := database.TakeRow(t.Where("id = ?", id), &store); err != nil {
			return err
		}
		if err := audit.NameFree(t, "name", in.Name); err != nil {
			return err
		}
		before := store.Attributes()
		err := t.Replace(&models.Store{}, id, version, map[string]any{
			"code": in.Code, "name": in.Name, "time_zone": in.TimeZone,
			"traceability": in.Traceability, "bare_traceability": in.BareTraceability,
		})
		if err != nil {
			return database.Duplicated(err, "code", "storeCode.taken")
		}
		store.Code, store.Name, store.TimeZone = in.Code, in.Name, in.TimeZone
		store.Traceability, store.BareTraceability = in.Traceability, in.BareTraceability
		about := audit.About{Store: &store, Before: before, After: store.Attributes()}
		return audit.Record(t, actor, now, models.ActionStoreChanged, models.OutcomeSuccess, about)
	})
	if err != nil {
		return fmt.Errorf("change store %d: %w", id, err)
	}
	s.forgetDirectory()
	return nil
}

// Store returns a store that the actor may see.
func (s *Service) Store(ctx context.Context, actor models.Actor, id int64) (*models.Store, error) {
	if !actor.Sees(id) {
		return nil, models.ErrNotFound
	}
	var store models.Store
	return &store, database.TakeRow(s.db.Gorm().WithContext(ctx).Where("id = ?", id), &store)
}
