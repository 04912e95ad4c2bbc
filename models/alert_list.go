package models

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"gorm.io/gorm"
)

// AlertFilter narrows the raised alerts. Zero values do not filter.
type AlertFilter struct {
	Unseen bool   // only those that nobody looked at
	Cursor string // where the page begins, as given by the page before
}

// AlertPage is a page of raised alerts, newest first.
type AlertPage struct {
	Alerts []Alert
	Unseen int64 // that nobody looked at, of those that the reader sees
	Next   string
}

// List returns a page of the raised alerts of the actor's stores; those that
// belong to no store are for whoever sees all of them.
//
// Errors: ErrForbidden, cursor.invalid.
func (a *Alerts) List(ctx context.Context, actor Actor, f AlertFilter) (*AlertPage, error) {
	if !actor.May(Oversee) {
		return nil, ErrForbidden
	}
	page := &AlertPage{}
	var err error
	if page.Unseen, err = a.Unseen(ctx, actor); err != nil {
		return nil, err
	}
	q := a.seenBy(ctx, actor)
	if f.Unseen {
		q = q.Where("seen_at IS NULL")
	}
	if f.Cursor != "" {
		at, id, err := parseCursor(f.Cursor)
		if err != nil {
			return nil, err
		}
		q = q.Where("(raised_at, id) < (?, ?)", at, id)
	}
	if err := q.Order("raised_at DESC, id DESC").Limit(PageSize + 1).Find(&page.Alerts).Error; err != nil {
		return nil, fmt.Errorf("list alerts: %w", err)
	}
	if len(page.Alerts) > PageSize {
		page.Alerts = page.Alerts[:PageSize]
		last := page.Alerts[PageSize-1]
		page.Next = cursorOf(last.RaisedAt, last.ID)
	}
	err = a.db.transaction(ctx, func(t tx) error {
		return t.record(actor, a.clock.Now(), ActionAlertsRead, OutcomeSuccess, about{after: map[string]any{"unseen": f.Unseen, "alerts": len(page.Alerts)}})
	})
	if err != nil {
		return nil, fmt.Errorf("record reading of alerts: %w", err)
	}
	return page, nil
}

func (a *Alerts) seenBy(ctx context.Context, actor Actor) *gorm.DB {
	q := a.db.gorm.WithContext(ctx).Model(&Alert{})
	if !actor.AllStores {
		q = q.Where("store_id IN ?", actor.StoreIDs)
	}
	return q
}

// Unseen counts the alerts that nobody looked at; 0 for those who do not oversee.
func (a *Alerts) Unseen(ctx context.Context, actor Actor) (n int64, err error) {
	if !actor.May(Oversee) {
		return 0, nil
	}
	few := a.seenBy(ctx, actor).Where("seen_at IS NULL").Select("id").Limit(1000)
	if err := a.db.gorm.WithContext(ctx).Table("(?) few", few).Count(&n).Error; err != nil {
		return 0, fmt.Errorf("count alerts: %w", err)
	}
	return n, nil
}

// Attend marks an alert as looked at, with a note that may be empty. Marked twice
// it stays with whoever was first.
//
// Errors: ErrForbidden, ErrNotFound, alert.attended, alert.own for what the actor
// did, or the note.
func (a *Alerts) Attend(ctx context.Context, actor Actor, id int64, note string) error {
	if !actor.May(ReviewCases) {
		return ErrForbidden
	}
	note = strings.TrimSpace(note)
	if note != "" {
		var err error
		if note, err = text("note", note, 300); err != nil {
			return err
		}
	}
	now := a.clock.Now()
	err := a.db.transaction(ctx, func(t tx) error {
		var x Alert
		if err := take(t.Where("id = ?", id), &x); err != nil {
			return err
		}
		if !actor.AllStores && (x.StoreID == nil || !actor.Sees(*x.StoreID)) {
			return ErrNotFound
		}
		switch own, err := t.ownAlert(ctx, actor, &x); {
		case err != nil:
			return err
		case own:
			return &Error{Kind: KindConflict, Code: "alert.own"}
		}
		done := t.Exec(`UPDATE alerts SET seen_at = ?, seen_by = ?, note = ? WHERE id = ? AND seen_at IS NULL`, now, actor.Name, note, id)
		if done.Error != nil {
			return done.Error
		}
		if done.RowsAffected == 0 {
			return &Error{Kind: KindConflict, Code: "alert.attended"}
		}
		about := about{after: map[string]any{"alert": x.ID, "rule": x.Kind}, reason: note}
		if x.StoreID != nil {
			about.store = &Store{ID: *x.StoreID, Name: x.StoreName}
		}
		return t.record(actor, now, ActionAlertAttended, OutcomeSuccess, about)
	})
	var known *Error
	if err != nil && !errors.As(err, &known) {
		return fmt.Errorf("attend to alert %d: %w", id, err)
	}
	return err
}

// ownAlert reports whether an alert is about what the person did themselves: the
// entry that raised it, the request to cancel its sale, or, where the alert is
// about a person, them.
func (t tx) ownAlert(ctx context.Context, actor Actor, x *Alert) (own bool, err error) {
	err = t.sql.QueryRowContext(ctx, `SELECT $1 = $2 OR starts_with($1, $2 || ' ')
		OR EXISTS (SELECT FROM audit_entries WHERE id = $3 AND actor_id = $4 AND actor_role <> $5)
		OR EXISTS (SELECT FROM cancellations WHERE sale_id = $6 AND requested_by = $4 AND requester_role <> $5)`,
		x.Subject, "person "+jsonNumber(actor.UserID), x.EntryID, actor.UserID, string(Integration), x.SaleID).Scan(&own)
	if err != nil {
		return false, fmt.Errorf("read whose alert %d is: %w", x.ID, err)
	}
	return own, nil
}
