package models

import (
	"context"
	"fmt"
	"net/url"
	"slices"
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"veinte/models/cards"
)

// ViewList is a list whose filters can be kept.
type ViewList string

// The lists, as the trail and the database name them.
const (
	ViewsOfAudit ViewList = "audit"
	ViewsOfSales ViewList = "sales"
)

// may is the permission to read the list, and so to keep its filters.
func (l ViewList) may() Permission {
	if l == ViewsOfSales {
		return ViewSales
	}
	return ReadAudit
}

// ViewFilter is a filter that can be kept: an *AuditFilter or a *SaleFilter.
type ViewFilter interface {
	Encode() string // the query of an address
	told() map[string]any
	list() ViewList
	holdsCard() bool
}

func (f *AuditFilter) list() ViewList  { return ViewsOfAudit }
func (f *AuditFilter) holdsCard() bool { return cards.Holds(f.Query) || cards.Holds(f.Reason) }
func (f *SaleFilter) list() ViewList   { return ViewsOfSales }
func (f *SaleFilter) holdsCard() bool  { return cards.Holds(f.Query) }

// SavedView is a filter of a list that somebody keeps under a name.
type SavedView struct {
	ID        int64
	List      ViewList
	OwnerID   int64
	OwnerName string
	Name      string
	Filter    string // the query of an address
	Shared    bool   // with everybody who reads the list
	Version   int
	CreatedAt time.Time
}

// TableName is where gorm finds them.
func (SavedView) TableName() string { return "saved_views" }

// SavedViewInput is what a person gives of a view.
type SavedViewInput struct {
	Name   string
	Shared bool
}

// mostViews is how many a person may keep of a list: more than can be chosen from.
const mostViews = 100

var errTooManyViews = &Error{Kind: KindConflict, Code: "auditView.tooMany"}

// read returns the view's filter; nil when it cannot be read.
func (v *SavedView) read() ViewFilter {
	values, err := url.ParseQuery(v.Filter)
	if err != nil {
		return nil
	}
	if v.List == ViewsOfSales {
		f, _ := ParseSaleFilter(values.Get)
		return &f
	}
	f, _ := ParseAuditFilter(values.Get)
	return &f
}

func (v *SavedView) told() map[string]any {
	told := map[string]any{"list": string(v.List), "view": v.Name, "shared": v.Shared}
	if f := v.read(); f != nil {
		told["filter"] = f.told()
	}
	return told
}

// shownTo reports whether the actor may know of the view: what a shared one says of
// sales names no store that they do not see.
func (v *SavedView) shownTo(actor Actor) bool {
	if v.OwnerID == actor.UserID {
		return true
	}
	f, ok := v.read().(*SaleFilter)
	return !ok || f.StoreID == 0 || actor.Sees(f.StoreID)
}

// SavedViews lists the actor's own views of a list, and then those that others
// share, each by name.
//
// Errors: ErrForbidden.
func (db *DB) SavedViews(ctx context.Context, actor Actor, list ViewList) ([]SavedView, error) {
	if !actor.May(list.may()) {
		return nil, ErrForbidden
	}
	var views []SavedView
	err := db.gorm.WithContext(ctx).Where("list = ? AND (owner_id = ? OR shared)", list, actor.UserID).
		Order(clause.OrderBy{Expression: gorm.Expr("owner_id <> ?, lower(name), id", actor.UserID)}).Limit(500).Find(&views).Error
	if err != nil {
		return nil, fmt.Errorf("list views of %s: %w", list, err)
	}
	return slices.DeleteFunc(views, func(v SavedView) bool { return !v.shownTo(actor) }), nil
}

// SavedView returns a view of the actor's, or a shared one.
//
// Errors: ErrForbidden; ErrNotFound, also for another person's own.
func (db *DB) SavedView(ctx context.Context, actor Actor, list ViewList, id int64) (*SavedView, error) {
	if !actor.May(list.may()) {
		return nil, ErrForbidden
	}
	var v SavedView
	if err := take(db.gorm.WithContext(ctx).Where("id = ? AND list = ? AND (owner_id = ? OR shared)", id, list, actor.UserID), &v); err != nil {
		return nil, err
	}
	if !v.shownTo(actor) {
		return nil, ErrNotFound
	}
	return &v, nil
}

// SaveView keeps a filter under a name.
//
// Errors: ErrForbidden, also for sharing without the permission; a field,
// auditView.taken, auditView.tooMany, auditView.empty for a filter of nothing.
func (db *DB) SaveView(ctx context.Context, actor Actor, now time.Time, in SavedViewInput, f ViewFilter) (*SavedView, error) {
	in, err := in.check(actor, f.list())
	if err != nil {
		return nil, err
	}
	v := &SavedView{List: f.list(), OwnerID: actor.UserID, OwnerName: actor.Name, Name: in.Name, Filter: f.Encode(), Shared: in.Shared, Version: 1, CreatedAt: now}
	if v.Filter == "" {
		return nil, Invalid("", "auditView.empty")
	}
	if f.holdsCard() {
		return nil, Invalid("", "field.cardNumber")
	}
	err = db.transaction(ctx, func(t tx) error {
		if err := t.ownViews(actor, v.List); err != nil {
			return err
		}
		if err := t.Create(v).Error; err != nil {
			return duplicated(err, "name", "auditView.taken")
		}
		return t.record(actor, now, ActionViewCreated, OutcomeSuccess, about{after: v.told()})
	})
	if err != nil {
		return nil, fmt.Errorf("save view of %s: %w", v.List, err)
	}
	return v, nil
}

// ownViews has the actor's views change one at a time, and refuses one too many.
func (t tx) ownViews(actor Actor, list ViewList) error {
	if err := t.Exec("SELECT id FROM users WHERE id = ? FOR UPDATE", actor.UserID).Error; err != nil {
		return fmt.Errorf("lock owner of views: %w", err)
	}
	var n int64
	if err := t.Model(&SavedView{}).Where("owner_id = ? AND list = ?", actor.UserID, list).Count(&n).Error; err != nil {
		return fmt.Errorf("count views: %w", err)
	}
	if n >= mostViews {
		return errTooManyViews
	}
	return nil
}

// ChangeView renames a view of the actor's that is still at version, and says
// whether it is shared.
//
// Errors: as SaveView; ErrNotFound for a view that is not the actor's, ErrStale.
func (db *DB) ChangeView(ctx context.Context, actor Actor, now time.Time, list ViewList, id int64, version int, in SavedViewInput) error {
	return db.ownView(ctx, actor, list, id, version, func(t tx, v SavedView) error {
		in, err := in.check(actor, list)
		if err != nil {
			return err
		}
		before := v.told()
		v.Name, v.Shared = in.Name, in.Shared
		err = t.Model(&SavedView{}).Where("id = ?", id).Updates(map[string]any{"name": v.Name, "shared": v.Shared, "version": version + 1}).Error
		if err != nil {
			return duplicated(err, "name", "auditView.taken")
		}
		return t.record(actor, now, ActionViewChanged, OutcomeSuccess, about{before: before, after: v.told()})
	})
}

// RemoveView removes a view of the actor's that is still at version.
//
// Errors: ErrForbidden, ErrNotFound, ErrStale.
func (db *DB) RemoveView(ctx context.Context, actor Actor, now time.Time, list ViewList, id int64, version int) error {
	return db.ownView(ctx, actor, list, id, version, func(t tx, v SavedView) error {
		if err := t.Delete(&SavedView{}, id).Error; err != nil {
			return fmt.Errorf("remove view: %w", err)
		}
		return t.record(actor, now, ActionViewRemoved, OutcomeSuccess, about{before: v.told()})
	})
}

func (db *DB) ownView(ctx context.Context, actor Actor, list ViewList, id int64, version int, f func(tx, SavedView) error) error {
	if !actor.May(list.may()) {
		return ErrForbidden
	}
	err := db.transaction(ctx, func(t tx) error {
		var v SavedView
		if err := take(t.Clauses(clause.Locking{Strength: "UPDATE"}).Where("id = ? AND list = ? AND owner_id = ?", id, list, actor.UserID), &v); err != nil {
			return err
		}
		if v.Version != version {
			return ErrStale
		}
		return f(t, v)
	})
	if err != nil {
		return fmt.Errorf("change view %d of %s: %w", id, list, err)
	}
	return nil
}

// check judges what was given of a view.
func (in SavedViewInput) check(actor Actor, list ViewList) (SavedViewInput, error) {
	if !actor.May(list.may()) || in.Shared && !actor.May(ShareViews) {
		return in, ErrForbidden
	}
	var err error
	in.Name, err = text("name", in.Name, 80)
	return in, err
}
