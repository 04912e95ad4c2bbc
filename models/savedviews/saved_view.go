package savedviews

import (
	"context"
	"fmt"
	"net/url"
	"slices"
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"veinte/models"
	"veinte/models/audit"
	"veinte/models/database"
	"veinte/models/sales"
)

// View is a filter of a list that a person saved under a name.
type View struct {
	ID        int64
	List      models.ViewList
	OwnerID   int64
	OwnerName string
	Name      string
	Filter    string // the query of an address
	Shared    bool   // with everybody who may read the list
	Version   int
	CreatedAt time.Time
}

// TableName is where gorm finds them.
func (View) TableName() string { return "saved_views" }

// Input is a person's input for a view.
type Input struct {
	Name   string
	Shared bool
}

// maxViews is how many views of a list a person may have: more than anyone would
// choose from.
const maxViews = 100

var errTooManyViews = &models.Error{Kind: models.KindConflict, Code: "auditView.tooMany"}

// read returns the view's filter; nil when it cannot be parsed.
func (v *View) read() models.ViewFilter {
	values, err := url.ParseQuery(v.Filter)
	if err != nil {
		return nil
	}
	if v.List == models.ViewsOfSales {
		f, _ := sales.ParseFilter(values.Get, time.Time{})
		return &f
	}
	f, _ := audit.ParseFilter(values.Get, time.Time{})
	return &f
}

func (v *View) attributes() map[string]any {
	told := map[string]any{"list": string(v.List), "view": v.Name, "shared": v.Shared}
	if f := v.read(); f != nil {
		told["filter"] = f.Attributes()
	}
	return told
}

// shownTo reports whether the actor may see the view: the filter of a shared one
// must not name a store that they do not see.
func (v *View) shownTo(actor models.Actor) bool {
	if v.OwnerID == actor.UserID {
		return true
	}
	f, ok := v.read().(*sales.Filter)
	return !ok || f.StoreID == 0 || actor.Sees(f.StoreID)
}

// SavedViews lists the actor's own views of a list, then those that others share,
// each by name.
//
// Errors: ErrForbidden.
func (s *Service) SavedViews(ctx context.Context, actor models.Actor, list models.ViewList) ([]View, error) {
	if !actor.May(list.May()) {
		return nil, models.ErrForbidden
	}
	var views []View
	err := s.db.Gorm().WithContext(ctx).Where("list = ? AND (owner_id = ? OR shared)", list, actor.UserID).
		Order(clause.OrderBy{Expression: gorm.Expr("owner_id <> ?, lower(name), id", actor.UserID)}).Limit(500).Find(&views).Error
	if err != nil {
		return nil, fmt.Errorf("list views of %s: %w", list, err)
	}
	return slices.DeleteFunc(views, func(v View) bool { return !v.shownTo(actor) }), nil
}

// SavedView returns one of the actor's views, or a shared one.
//
// Errors: ErrForbidden; ErrNotFound, also for another person's own.
func (s *Service) SavedView(ctx context.Context, actor models.Actor, list models.ViewList, id int64) (*View, error) {
	if !actor.May(list.May()) {
		return nil, models.ErrForbidden
	}
	var v View
	visible := s.db.Gorm().WithContext(ctx).Where("id = ? AND list = ? AND (owner_id = ? OR shared)", id, list, actor.UserID)
	if err := database.TakeRow(visible, &v); err != nil {
		return nil, err
	}
	if !v.shownTo(actor) {
		return nil, models.ErrNotFound
	}
	return &v, nil
}

// SaveView stores a filter under a name.
//
// Errors: ErrForbidden, also for sharing without the permission; a field,
// auditView.taken, auditView.tooMany, auditView.empty for an empty filter.
func (s *Service) SaveView(ctx context.Context, actor models.Actor, in Input, f models.ViewFilter) (*View, error) {
	now := s.clock.Now()
	in, err := in.check(actor, f.List())
	if err != nil {
		return nil, err
	}
	v := &View{
		List: f.List(), OwnerID: actor.UserID, OwnerName: actor.Name,
		Name: in.Name, Filter: f.Encode(), Shared: in.Shared, Version: 1, CreatedAt: now,
	}
	if v.Filter == "" {
		return nil, models.Invalid("", "auditView.empty")
	}
	if f.HoldsCard(now) {
		return nil, models.Invalid("", "field.cardNumber")
	}
	err = s.db.InTx(ctx, func(t database.Tx) error {
		if err := ownViews(t, actor, v.List); err != nil {
			return err
		}
		if err := audit.NameFree(t, "name", v.Name); err != nil {
			return err
		}
		if err := t.Create(v).Error; err != nil {
			return database.Duplicated(err, "name", "auditView.taken")
		}
		return audit.Record(t, actor, now, models.ActionViewCreated, models.OutcomeSuccess, audit.About{After: v.attributes()})
	})
	if err != nil {
		return nil, fmt.Errorf("save view of %s: %w", v.List, err)
	}
	return v, nil
}

// ownViews serializes changes to the actor's views, and refuses one too many.
func ownViews(t database.Tx, actor models.Actor, list models.ViewList) error {
	if err := t.Exec("SELECT id FROM users WHERE id = ? FOR UPDATE", actor.UserID).Error; err != nil {
		return fmt.Errorf("lock owner of views: %w", err)
	}
	var n int64
	if err := t.Model(&View{}).Where("owner_id = ? AND list = ?", actor.UserID, list).Count(&n).Error; err != nil {
		return fmt.Errorf("count views: %w", err)
	}
	if n >= maxViews {
		return errTooManyViews
	}
	return nil
}

// ChangeView renames one of the actor's views that is still at version, and sets
// whether it is shared.
//
// Errors: as SaveView; ErrNotFound for a view that is not the actor's, ErrStale.
func (s *Service) ChangeView(ctx context.Context, actor models.Actor, list models.ViewList, id int64, version int, in Input) error {
	now := s.clock.Now()
	return s.ownView(ctx, actor, list, id, version, func(t database.Tx, v View) error {
		in, err := in.check(actor, list)
		if err != nil {
			return err
		}
		if err := audit.NameFree(t, "name", in.Name); err != nil {
			return err
		}
		before := v.attributes()
		v.Name, v.Shared = in.Name, in.Shared
		err = t.Model(&View{}).Where("id = ?", id).Updates(map[string]any{"name": v.Name, "shared": v.Shared, "version": version + 1}).Error
		if err != nil {
			return database.Duplicated(err, "name", "auditView.taken")
		}
		return audit.Record(t, actor, now, models.ActionViewChanged, models.OutcomeSuccess, audit.About{Before: before, After: v.attributes()})
	})
}

// RemoveView removes one of the actor's views that is still at version.
//
// Errors: ErrForbidden, ErrNotFound, ErrStale.
func (s *Service) RemoveView(ctx context.Context, actor models.Actor, list models.ViewList, id int64, version int) error {
	now := s.clock.Now()
	return s.ownView(ctx, actor, list, id, version, func(t database.Tx, v View) error {
		if err := t.Where("id = ?", id).Delete(&View{}).Error; err != nil {
			return fmt.Errorf("remove view: %w", err)
		}
		return audit.Record(t, actor, now, models.ActionViewRemoved, models.OutcomeSuccess, audit.About{Before: v.attributes()})
	})
}

func (s *Service) ownView(
	ctx context.Context, actor models.Actor, list models.ViewList, id int64, version int, f func(database.Tx, View) error,
) error {
	if !actor.May(list.May()) {
		return models.ErrForbidden
	}
	err := s.db.InTx(ctx, func(t database.Tx) error {
		var v View
		own := t.Clauses(clause.Locking{Strength: "UPDATE"}).
			Where("id = ? AND list = ? AND owner_id = ?", id, list, actor.UserID)
		if err := database.TakeRow(own, &v); err != nil {
			return err
		}
		if v.Version != version {
			return models.ErrStale
		}
		return f(t, v)
	})
	if err != nil {
		return fmt.Errorf("change view %d of %s: %w", id, list, err)
	}
	return nil
}

// check validates the input for a view.
func (in Input) check(actor models.Actor, list models.ViewList) (Input, error) {
	if !actor.May(list.May()) || in.Shared && !actor.May(models.ShareViews) {
		return in, models.ErrForbidden
	}
	var err error
	in.Name, err = models.Text("name", in.Name, 80)
	return in, err
}
