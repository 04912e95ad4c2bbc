package models

import (
	"context"
	"fmt"
	"strings"
)

// errAlreadyReviewed is for the second of two supervisors.
var errAlreadyReviewed = &Error{Kind: KindConflict, Code: "error.alreadyReviewed"}

// MarkReviewed takes a conflict or a result out of the inbox: a supervisor has
// looked at it, and says in a note what they found. seen is what they saw: what
// contradicts by now may be something else, which wants another look. Nothing else
// changes. A doubt cannot be marked: it is settled.
//
// Errors: ErrForbidden, ErrNotFound, what is wrong with the note, ErrStale, or
// error.alreadyReviewed.
func (s *Cancellations) MarkReviewed(ctx context.Context, actor Actor, kind ReviewKind, id int64, seen, note string) error {
	if !actor.May(ReviewCases) {
		return ErrForbidden
	}
	if note = strings.TrimSpace(note); note != "" {
		var err error
		if note, err = text("note", note, 300); err != nil {
			return err
		}
	}
	return s.db.transaction(ctx, func(t tx) error {
		switch kind {
		case ReviewConflict:
			return s.reviewCase(t, actor, id, seen, note)
		case ReviewResult:
			return s.reviewResult(t, actor, id, seen, note)
		}
		return ErrNotFound
	})
}

func (s *Cancellations) reviewCase(t tx, actor Actor, id int64, seen, note string) error {
	l, err := s.HoldCase(t, id)
	switch {
	case err != nil:
		return err
	case !actor.Sees(l.sale.StoreID) || l.c.Conflict == "":
		return ErrNotFound
	case l.c.ReviewedAt != nil:
		return errAlreadyReviewed
	case string(l.c.Conflict) != seen:
		return ErrStale
	}
	now := s.clock.Now()
	if err := t.Model(&Cancellation{}).Where("id = ?", id).Update("reviewed_at", now).Error; err != nil {
		return fmt.Errorf("mark case %d: %w", id, err)
	}
	err = t.Model(&Result{}).Where("cancellation_id = ? AND status = ? AND note = ? AND reviewed_at IS NULL", id, ResultConflict, seen).
		Update("reviewed_at", now).Error
	if err != nil {
		return fmt.Errorf("mark results of case %d: %w", id, err)
	}
	return t.record(actor, now, ActionReviewed, OutcomeSuccess, about{
		store: &l.store, sale: &l.sale, caseID: id, reason: note, before: map[string]Conflict{"conflict": l.c.Conflict},
	})
}

func (s *Cancellations) reviewResult(t tx, actor Actor, id int64, seen, note string) error {
	q := t.Where("id = ? AND status IN ?", id, []ResultStatus{ResultUnmatched, ResultConflict}).Scopes(ofStores(actor))
	var r Result
	if err := take(q, &r); err != nil {
		return err
	}
	if r.Note != seen && r.ReviewedAt == nil {
		return ErrStale
	}
	now := s.clock.Now()
	done := t.Model(&Result{}).Where("id = ? AND reviewed_at IS NULL", id).Update("reviewed_at", now)
	switch {
	case done.Error != nil:
		return fmt.Errorf("mark result %d: %w", id, done.Error)
	case done.RowsAffected == 0:
		return errAlreadyReviewed
	}
	a := about{
		terminal: SerialNumber(clip(r.SerialNumber, 40)), reason: note,
		before: map[string]any{"resultId": id, "kind": r.Kind, "note": r.Note},
	}
	if r.SaleID != nil {
		l, err := s.Hold(t, *r.SaleID)
		if err != nil {
			return err
		}
		a.sale, a.store = &l.sale, &l.store
	}
	return t.record(actor, now, ActionReviewed, OutcomeSuccess, a)
}
