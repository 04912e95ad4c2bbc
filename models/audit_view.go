package models

import (
	"context"
	"fmt"
	"net/url"
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"
)

// AuditView is a filter of the trail that somebody keeps under a name.
type AuditView struct {
	ID        int64
	OwnerID   int64
	OwnerName string
	Name      string
	Filter    string // the query of an address
	Shared    bool   // with everybody who reads the trail
	Version   int
	CreatedAt time.Time
}

// TableName is where gorm finds them.
func (AuditView) TableName() string { return "audit_views" }

// AuditViewInput is what a person gives of a view.
type AuditViewInput struct {
	Name   string
	Shared bool
}

// mostAuditViews is how many a person may keep: more than a list can be chosen
// from.
const mostAuditViews = 100

var errTooManyViews = &Error{Kind: KindConflict, Code: "auditView.tooMany"}

func (v *AuditView) told() map[string]any {
	told := map[string]any{"view": v.Name, "shared": v.Shared}
	values, err := url.ParseQuery(v.Filter)
	if err == nil {
		f, _ := ParseAuditFilter(values.Get)
		told["filter"] = f.told()
	}
	return told
}

// AuditViews lists the actor's own views, and then those that others share, each
// by name.
//
// Errors: ErrForbidden.
func (db *DB) AuditViews(ctx context.Context, actor Actor) ([]AuditView, error) {
	if !actor.May(ReadAudit) {
		return nil, ErrForbidden
	}
	var views []AuditView
	err := db.gorm.WithContext(ctx).Where("owner_id = ? OR shared", actor.UserID).
		Order(clause.OrderBy{Expression: gorm.Expr("owner_id <> ?, lower(name), id", actor.UserID)}).Limit(500).Find(&views).Error
	if err != nil {
		return nil, fmt.Errorf("list views of the trail: %w", err)
	}
	return views, nil
}

// AuditView returns a view of the actor's, or a shared one.
//
// Errors: ErrForbidden; ErrNotFound, also for another person's own.
func (db *DB) AuditView(ctx context.Context, actor Actor, id int64) (*AuditView, error) {
	if !actor.May(ReadAudit) {
		return nil, ErrForbidden
	}
	var v AuditView
	if err := take(db.gorm.WithContext(ctx).Where("id = ? AND (owner_id = ? OR shared)", id, actor.UserID), &v); err != nil {
		return nil, err
	}
	return &v, nil
}

// SaveAuditView keeps a filter under a name.
//
// Errors: ErrForbidden, also for sharing without the permission; a field,
// auditView.taken, auditView.tooMany, auditView.empty for a filter of nothing.
func (db *DB) SaveAuditView(ctx context.Context, actor Actor, now time.Time, in AuditViewInput, f AuditFilter) (*AuditView, error) {
	in, err := in.check(actor)
	if err != nil {
		return nil, err
	}
	v := &AuditView{OwnerID: actor.UserID, OwnerName: actor.Name, Name: in.Name, Filter: f.Encode(), Shared: in.Shared, Version: 1, CreatedAt: now}
	if v.Filter == "" {
		return nil, Invalid("", "auditView.empty")
	}
	if HasCardNumber(f.Query) || HasCardNumber(f.Reason) {
		return nil, Invalid("", "field.cardNumber")
	}
	err = db.transaction(ctx, func(t tx) error {
		if err := t.ownViews(actor); err != nil {
			return err
		}
		if err := t.Create(v).Error; err != nil {
			return duplicated(err, "name", "auditView.taken")
		}
		return t.record(actor, now, ActionViewCreated, OutcomeSuccess, about{after: v.told()})
	})
	if err != nil {
		return nil, fmt.Errorf("save view of the trail: %w", err)
	}
	return v, nil
}

// ownViews has the actor's views change one at a time, and refuses one too many.
func (t tx) ownViews(actor Actor) error {
	if err := t.Exec("SELECT id FROM users WHERE id = ? FOR UPDATE", actor.UserID).Error; err != nil {
		return fmt.Errorf("lock owner of views: %w", err)
	}
	var n int64
	if err := t.Model(&AuditView{}).Where("owner_id = ?", actor.UserID).Count(&n).Error; err != nil {
		return fmt.Errorf("count views: %w", err)
	}
	if n >= mostAuditViews {
		return errTooManyViews
	}
	return nil
}

// ChangeAuditView renames a view of the actor's that is still at version, and
// says whether it is shared.
//
// Errors: as SaveAuditView; ErrNotFound for a view that is not the actor's,
// ErrStale.
func (db *DB) ChangeAuditView(ctx context.Context, actor Actor, now time.Time, id int64, version int, in AuditViewInput) error {
	return db.ownAuditView(ctx, actor, id, version, func(t tx, v AuditView) error {
		in, err := in.check(actor)
		if err != nil {
			return err
		}
		before := v.told()
		v.Name, v.Shared = in.Name, in.Shared
		err = t.Model(&AuditView{}).Where("id = ?", id).Updates(map[string]any{"name": v.Name, "shared": v.Shared, "version": version + 1}).Error
		if err != nil {
			return duplicated(err, "name", "auditView.taken")
		}
		return t.record(actor, now, ActionViewChanged, OutcomeSuccess, about{before: before, after: v.told()})
	})
}

// RemoveAuditView removes a view of the actor's that is still at version.
//
// Errors: ErrForbidden, ErrNotFound, ErrStale.
func (db *DB) RemoveAuditView(ctx context.Context, actor Actor, now time.Time, id int64, version int) error {
	return db.ownAuditView(ctx, actor, id, version, func(t tx, v AuditView) error {
		if err := t.Delete(&AuditView{}, id).Error; err != nil {
			return fmt.Errorf("remove view: %w", err)
		}
		return t.record(actor, now, ActionViewRemoved, OutcomeSuccess, about{before: v.told()})
	})
}

func (db *DB) ownAuditView(ctx context.Context, actor Actor, id int64, version int, f func(tx, AuditView) error) error {
	if !actor.May(ReadAudit) {
		return ErrForbidden
	}
	err := db.transaction(ctx, func(t tx) error {
		var v AuditView
		if err := take(t.Clauses(clause.Locking{Strength: "UPDATE"}).Where("id = ? AND owner_id = ?", id, actor.UserID), &v); err != nil {
			return err
		}
		if v.Version != version {
			return ErrStale
		}
		return f(t, v)
	})
	if err != nil {
		return fmt.Errorf("change view %d of the trail: %w", id, err)
	}
	return nil
}

// check judges what was given of a view.
func (in AuditViewInput) check(actor Actor) (AuditViewInput, error) {
	if !actor.May(ReadAudit) || in.Shared && !actor.May(ShareViews) {
		return in, ErrForbidden
	}
	var err error
	in.Name, err = text("name", in.Name, 80)
	return in, err
}
