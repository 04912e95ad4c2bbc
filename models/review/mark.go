package review

import (
	"context"
	"fmt"
	"strings"

	"veinte/models"
	"veinte/models/audit"
	"veinte/models/cancellations"
	"veinte/models/database"
)

// MarkReviewed removes a conflict or a result from the inbox, with what is folded into it:
// a supervisor has handled it, and writes a note about it. seen is the conflict that they
// saw; if another one was recorded since, it needs its own review. A result needs the note:
// nothing else says what became of money that no sale explains. A doubt cannot be
// marked, only resolved. Alerts, differences and findings are marked by their own packages.
// A contradiction needs the note.
//
// Errors: ErrForbidden, ErrNotFound, what is wrong with the note, ErrStale,
// error.alreadyReviewed, or review.own for a cancellation that the actor asked for or resolved.
func (s *Service) MarkReviewed(ctx context.Context, actor models.Actor, kind Kind, id int64, seen, note string) error {
	if !actor.May(models.ReviewCancellations) {
		return models.ErrForbidden
	}
	if note = strings.TrimSpace(note); note != "" || kind == ReviewResult {
		var err error
		if note, err = models.Text("note", note, 300); err != nil {
			return err
		}
	}
	return s.db.InTx(ctx, func(t database.Tx) error {
		switch kind {
		case ReviewConflict:
			return s.reviewCancellation(ctx, t, actor, id, seen, note)
		case ReviewResult:
			return s.reviewResult(ctx, t, actor, id, seen, note)
		}
		return models.ErrNotFound
	})
}

func (s *Service) reviewCancellation(ctx context.Context, t database.Tx, actor models.Actor, id int64, seen, note string) error {
	l, err := s.cancellations.HoldCancellation(t, id)
	if err != nil {
		return err
	}
	if actor, err = current(l, actor); err != nil {
		return err
	}
	sale, store, c := l.Sale(), l.Store(), l.Cancellation()
	own, err := cancellations.DecidedBy(ctx, t, actor, sale.ID)
	if err != nil {
		return err
	}
	own = own || c.Origin == models.FromPerson && c.RequestedBy != nil && *c.RequestedBy == actor.UserID
	switch {
	case !actor.Sees(sale.StoreID) || c.Conflict == "":
		return models.ErrNotFound
	case c.ReviewedAt != nil:
		return models.ErrAlreadyReviewed
	case own:
		return models.ErrOwn
	case string(c.Conflict) != seen:
		return models.ErrStale
	case note == "":
		return models.Invalid("note", "review.needsNote")
	}
	now := l.At()
	if err := t.Model(&models.Cancellation{}).Where("id = ?", id).Update("reviewed_at", now).Error; err != nil {
		return fmt.Errorf("mark cancellation %d: %w", id, err)
	}
	err = t.Model(&models.Result{}).
		Where("cancellation_id = ? AND status = ? AND note = ? AND reviewed_at IS NULL", id, models.ResultConflict, seen).
		Update("reviewed_at", now).Error
	if err != nil {
		return fmt.Errorf("mark results of cancellation %d: %w", id, err)
	}
	err = audit.Record(t, actor, now, models.ActionReviewed, models.OutcomeSuccess, audit.About{
		Store: &store, Sale: &sale, CancellationID: id, Reason: note, Before: map[string]models.Conflict{"conflict": c.Conflict},
	})
	if err != nil || c.State == models.Unknown { // the doubt keeps them
		return err
	}
	if err := s.differences.ReviewOfSale(ctx, t, actor, sale.ID, note); err != nil {
		return err
	}
	return s.alerts.AttendOfSale(ctx, t, actor, sale.ID, note)
}

// current returns the actor as they are now, if they may still review.
func current(l *cancellations.Held, actor models.Actor) (models.Actor, error) {
	actor, err := l.Current(actor)
	if err == nil && !actor.May(models.ReviewCancellations) {
		err = models.ErrForbidden
	}
	return actor, err
}

func (s *Service) reviewResult(ctx context.Context, t database.Tx, actor models.Actor, id int64, seen, note string) error {
	q := t.Where("id = ? AND status IN "+models.ResultsReviewSQL, id).Scopes(database.OfStores(actor))
	var r models.Result
	if err := database.TakeRow(q, &r); err != nil {
		return err
	}
	if r.Note != seen && r.ReviewedAt == nil {
		return models.ErrStale
	}
	a := audit.About{
		Terminal: models.SerialNumber(models.Truncate(r.SerialNumber, 40)), Reason: note,
		Before: map[string]any{"resultId": id, "kind": r.Kind, "note": r.Note},
	}
	if r.SaleID != nil { // locked first, as everywhere
		l, err := s.cancellations.Hold(t, *r.SaleID)
		if err != nil {
			return err
		}
		if actor, err = current(l, actor); err != nil {
			return err
		}
		sale, store := l.Sale(), l.Store()
		a.Sale, a.Store = &sale, &store
	}
	now := s.clock.Now()
	done := t.Model(&models.Result{}).Where("id = ? AND reviewed_at IS NULL", id).Update("reviewed_at", now)
	switch {
	case done.Error != nil:
		return fmt.Errorf("mark result %d: %w", id, done.Error)
	case done.RowsAffected == 0:
		return models.ErrAlreadyReviewed
	}
	if err := audit.Record(t, actor, now, models.ActionReviewed, models.OutcomeSuccess, a); err != nil || a.Sale == nil {
		return err
	}
	return s.withAlerts(ctx, t, actor, a.Sale.ID, note)
}

// disputed reports whether a sale has a doubt or a contradiction, which keeps what is folded into it.
func disputed(ctx context.Context, t database.Tx, saleID int64) (yes bool, err error) {
	if err := t.SQL.QueryRowContext(ctx, `SELECT EXISTS (`+disputedSQL+`$1)`, saleID).Scan(&yes); err != nil {
		return false, fmt.Errorf("look for doubts about sale %d: %w", saleID, err)
	}
	return yes, nil
}

// withAlerts handles the alerts of a sale with its result or its difference.
func (s *Service) withAlerts(ctx context.Context, t database.Tx, actor models.Actor, saleID int64, note string) error {
	if open, err := disputed(ctx, t, saleID); err != nil || open {
		return err
	}
	return s.alerts.AttendOfSale(ctx, t, actor, saleID, note)
}
