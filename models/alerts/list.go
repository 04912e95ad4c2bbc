package alerts

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"gorm.io/gorm"

	"veinte/models"
	"veinte/models/audit"
	"veinte/models/database"
)

// Filter narrows the raised alerts. Zero values do not filter.
type Filter struct {
	Unseen bool   // only those that nobody has reviewed
	Cursor string // where the page begins, as returned with the previous page
}

// Page is a page of raised alerts, newest first.
type Page struct {
	Alerts []Alert
	Unseen int64 // that nobody has reviewed, of those that the user sees
	Next   string
}

// List returns a page of the raised alerts of the actor's stores; those that belong
// to no store are for users who see all of them, but for those of rights, which are for
// everybody.
//
// Errors: ErrForbidden, cursor.invalid.
func (a *Service) List(ctx context.Context, actor models.Actor, f Filter) (*Page, error) {
	if !actor.May(models.Oversee) {
		return nil, models.ErrForbidden
	}
	page := &Page{}
	var err error
	if page.Unseen, err = a.Unseen(ctx, actor); err != nil {
		return nil, err
	}
	q := a.seenBy(ctx, actor)
	if f.Unseen {
		q = q.Where("seen_at IS NULL")
	}
	if f.Cursor != "" {
		at, id, err := database.ParseCursor(f.Cursor)
		if err != nil {
			return nil, err
		}
		q = q.Where("(raised_at, id) < (?, ?)", at, id)
	}
	if err := q.Order("raised_at DESC, id DESC").Limit(models.PageSize + 1).Find(&page.Alerts).Error; err != nil {
		return nil, fmt.Errorf("list alerts: %w", err)
	}
	if len(page.Alerts) > models.PageSize {
		page.Alerts = page.Alerts[:models.PageSize]
		last := page.Alerts[models.PageSize-1]
		page.Next = database.CursorOf(last.RaisedAt, last.ID)
	}
	err = a.db.InTx(ctx, func(t database.Tx) error {
		about := audit.About{After: map[string]any{"unseen": f.Unseen, "alerts": len(page.Alerts)}}
		return audit.Record(t, actor, a.clock.Now(), models.ActionAlertsRead, models.OutcomeSuccess, about)
	})
	if err != nil {
		return nil, fmt.Errorf("record reading of alerts: %w", err)
	}
	return page, nil
}

func (a *Service) seenBy(ctx context.Context, actor models.Actor) *gorm.DB {
	q := a.db.Gorm().WithContext(ctx).Model(&Alert{})
	if !actor.AllStores {
		q = q.Where("(store_id IN ? OR kind IN ?)", actor.StoreIDs, always)
	}
	return q
}

// Unseen counts the alerts that nobody has reviewed; 0 for users without oversight.
func (a *Service) Unseen(ctx context.Context, actor models.Actor) (n int64, err error) {
	if !actor.May(models.Oversee) {
		return 0, nil
	}
	few := a.seenBy(ctx, actor).Where("seen_at IS NULL").Select("id").Limit(1000)
	if err := a.db.Gorm().WithContext(ctx).Table("(?) few", few).Count(&n).Error; err != nil {
		return 0, fmt.Errorf("count alerts: %w", err)
	}
	return n, nil
}

// Attend marks an alert as reviewed, with a note that may be empty. The first mark
// stays.
//
// Errors: ErrForbidden, ErrNotFound, alert.attended, alert.own for what the actor
// did, or the note.
func (a *Service) Attend(ctx context.Context, actor models.Actor, id int64, note string) error {
	if !actor.May(models.ReviewCancellations) {
		return models.ErrForbidden
	}
	note = strings.TrimSpace(note)
	if note != "" {
		var err error
		if note, err = models.Text("note", note, 300); err != nil {
			return err
		}
	}
	now := a.clock.Now()
	err := a.db.InTx(ctx, func(t database.Tx) error {
		var x Alert
		if err := database.TakeRow(t.Where("id = ?", id), &x); err != nil {
			return err
		}
		if !actor.AllStores && !x.Kind.Always() && (x.StoreID == nil || !actor.Sees(*x.StoreID)) {
			return models.ErrNotFound
		}
		switch own, err := ownAlert(ctx, t, actor, &x); {
		case err != nil:
			return err
		case own:
			return &models.Error{Kind: models.KindConflict, Code: "alert.own"}
		}
		done := t.Exec(`UPDATE alerts SET seen_at = ?, seen_by = ?, note = ? WHERE id = ? AND seen_at IS NULL`, now, actor.Name, note, id)
		if done.Error != nil {
			return done.Error
		}
		if done.RowsAffected == 0 {
			return &models.Error{Kind: models.KindConflict, Code: "alert.attended"}
		}
		about := audit.About{After: map[string]any{"alert": x.ID, "rule": x.Kind}, Reason: note}
		if x.StoreID != nil {
			about.Store = &models.Store{ID: *x.StoreID, Name: x.StoreName}
		}
		return audit.Record(t, actor, now, models.ActionAlertAttended, models.OutcomeSuccess, about)
	})
	var known *models.Error
	if err != nil && !errors.As(err, &known) {
		return fmt.Errorf("attend to alert %d: %w", id, err)
	}
	return err
}

// ownAlert reports whether an alert is about the person's own actions: they made the
// entry that raised it, requested the cancellation of its sale, or are its subject: whoever
// got the rights of which it tells, too.
func ownAlert(ctx context.Context, t database.Tx, actor models.Actor, x *Alert) (own bool, err error) {
	err = t.SQL.QueryRowContext(ctx, `SELECT $1 = $2 OR starts_with($1, $2 || ' ')
		OR EXISTS (SELECT FROM audit_entries WHERE id = $3 AND actor_id = $4 AND actor_role <> $5)
		OR EXISTS (SELECT FROM users WHERE id = $4 AND $1 = 'rights ' || email)
		OR EXISTS (SELECT FROM cancellations WHERE sale_id = $6 AND requested_by = $4 AND requester_role <> $5)`,
		x.Subject, "person "+models.JsonNumber(actor.UserID), x.EntryID, actor.UserID, string(models.Integration), x.SaleID).Scan(&own)
	if err != nil {
		return false, fmt.Errorf("read whose alert %d is: %w", x.ID, err)
	}
	return own, nil
}
