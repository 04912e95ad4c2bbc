package models

import (
	"context"
	"fmt"
	"time"

	"gorm.io/gorm"
)

// Audit returns a page of the trail, newest first, as far as the actor's scope
// goes: entries of their stores, and their own. Reading is itself an entry.
//
// Errors: ErrForbidden, ErrNotFound for a store outside the scope, date.invalid
// for a period that ends before it begins, cursor.invalid.
func (s *Cancellations) Audit(ctx context.Context, actor Actor, f AuditFilter) (*AuditPage, error) {
	if !actor.May(ReadAudit) {
		return nil, ErrForbidden
	}
	q, err := s.auditQuery(ctx, actor, f)
	if err != nil {
		return nil, err
	}
	var page AuditPage
	if err := q.Order("at DESC, id DESC").Limit(PageSize + 1).Find(&page.Entries).Error; err != nil {
		return nil, fmt.Errorf("list trail: %w", err)
	}
	if len(page.Entries) > PageSize {
		page.Entries = page.Entries[:PageSize]
		last := page.Entries[PageSize-1]
		page.Next = cursorOf(last.At, last.ID)
	}
	err = s.db.transaction(ctx, func(t tx) error {
		return t.record(actor, s.clock.Now(), ActionAuditRead, OutcomeSuccess, about{after: f.told()})
	})
	if err != nil {
		return nil, fmt.Errorf("record reading of the trail: %w", err)
	}
	return &page, nil
}

// told is how the trail names the filter with which it was read.
func (f AuditFilter) told() map[string]any {
	told := map[string]any{}
	put := func(name string, value any, set bool) {
		if set {
			told[name] = value
		}
	}
	put("storeId", f.StoreID, f.StoreID != 0)
	put("actorId", f.ActorID, f.ActorID != 0)
	put("saleId", f.SaleID, f.SaleID != 0)
	put("action", f.Action, f.Action != "")
	put("outcome", f.Outcome, f.Outcome != "")
	put("from", f.From, f.From != "")
	put("to", f.To, f.To != "")
	put("query", legible(f.Query, 100), f.Query != "")
	return told
}

func (s *Cancellations) auditQuery(ctx context.Context, actor Actor, f AuditFilter) (*gorm.DB, error) {
	q := s.db.gorm.WithContext(ctx).Model(&AuditEntry{})
	if f.StoreID != 0 {
		if !actor.Sees(f.StoreID) {
			return nil, ErrNotFound
		}
		q = q.Where("store_id = ?", f.StoreID)
	} else if !actor.AllStores {
		q = q.Where("(store_id IN ? OR actor_id = ?)", actor.StoreIDs, actor.UserID)
	}
	if f.ActorID != 0 {
		q = q.Where("actor_id = ?", f.ActorID)
	}
	if f.Action != "" {
		q = q.Where("action = ?", f.Action)
	}
	if f.Outcome != "" {
		q = q.Where("outcome = ?", f.Outcome)
	}
	if f.SaleID != 0 {
		q = q.Where("sale_id = ?", f.SaleID)
	}
	if !storable(f.Query) {
		q = q.Where("false") // what cannot be stored is nowhere
	} else if f.Query != "" {
		q = q.Where("(order_id = ? OR serial_number = ?)", f.Query, f.Query)
	}
	return s.auditPeriod(q, f)
}

func (s *Cancellations) auditPeriod(q *gorm.DB, f AuditFilter) (*gorm.DB, error) {
	if f.From != "" && f.To != "" && f.To < f.From {
		return nil, Invalid("to", "date.invalid")
	}
	zone := s.Window().Calendar.Zone()
	if f.From != "" {
		q = q.Where("at >= ?", f.From.Time(zone))
	}
	if f.To != "" {
		y, m, d := f.To.Time(zone).Date()
		q = q.Where("at < ?", time.Date(y, m, d+1, 0, 0, 0, 0, zone))
	}
	if f.Cursor != "" {
		at, id, err := parseCursor(f.Cursor)
		if err != nil {
			return nil, err
		}
		q = q.Where("(at, id) < (?, ?)", at, id)
	}
	return q, nil
}

// Refused records that somebody was denied what they tried.
func (db *DB) Refused(ctx context.Context, actor Actor, now time.Time, what string) error {
	return db.transaction(ctx, func(t tx) error {
		return t.record(actor, now, ActionRefused, OutcomeDenied, about{reason: clip(what, 200)})
	})
}

// Results returns a page of what terminals posted, newest first: for people
// with a limited scope, what belongs to sales of their stores and, where there is
// no sale, to terminals that stood there.
func (db *DB) Results(ctx context.Context, actor Actor, f ResultFilter) (*ResultPage, error) {
	if !actor.May(ViewResults) {
		return nil, ErrForbidden
	}
	q := db.gorm.WithContext(ctx).Model(&Result{}).Scopes(ofStores(actor))
	if f.Status != "" {
		q = q.Where("status = ?", f.Status)
	}
	if !storable(f.SerialNumber) {
		q = q.Where("false") // what cannot be stored is nowhere
	} else if f.SerialNumber != "" {
		q = q.Where("serial_number = ?", f.SerialNumber)
	}
	if f.Cursor != "" {
		at, id, err := parseCursor(f.Cursor)
		if err != nil {
			return nil, err
		}
		q = q.Where("(received_at, id) < (?, ?)", at, id)
	}
	var page ResultPage
	if err := q.Order("received_at DESC, id DESC").Limit(PageSize + 1).Find(&page.Results).Error; err != nil {
		return nil, fmt.Errorf("list results: %w", err)
	}
	if len(page.Results) > PageSize {
		page.Results = page.Results[:PageSize]
		last := page.Results[PageSize-1]
		page.Next = cursorOf(last.ReceivedAt, last.ID)
	}
	return &page, nil
}
