package reconciliation

import (
	"context"
	"errors"
	"fmt"
	"time"

	"veinte/models"
	"veinte/models/audit"
	"veinte/models/cancellations"
	"veinte/models/database"
	"veinte/models/evidence"
)

// MaxResolved limits the items that one confirmation resolves: the rest is reported
// and needs another confirmation.
const MaxResolved = 1000

// Applied is the result of a confirmation.
type Applied struct {
	Confirmed   int // cancellations that ended canceled
	NotCanceled int // doubts that ended as still charged
	Conflicts   int // contradictions for the inbox
	Already     int // resolved by something else meanwhile
	Changed     int // no longer what was shown: left unchanged
	Left        int // still to be confirmed
}

// ApplyReconciliation resolves by a report what a person has seen and confirms: the
// checksum is that of the items that were shown. Each cancellation has its own
// transaction, in which everything is judged again under the sale's lock, so that
// two confirmations at once resolve it only once. What changed meanwhile is left
// unchanged, and so is everything once a later report supersedes this one.
//
// Errors: ErrForbidden, ErrProofNeeded, ErrNotFound, report.discarded, report.superseded, report.changed when the
// items to resolve are not exactly those that were shown.
func (s *Service) ApplyReconciliation(ctx context.Context, actor models.Actor, id int64, seal string) (*Applied, error) {
	if !mayApply(actor) {
		return nil, models.ErrForbidden
	}
	if err := actor.Fresh(); err != nil {
		return nil, err
	}
	rec, err := s.Reconciliation(ctx, actor, id)
	if err != nil {
		return nil, err
	}
	switch {
	case rec.DiscardedAt != nil:
		return nil, errDiscarded
	case rec.SupersededBy != 0:
		return nil, &models.Error{Kind: models.KindConflict, Code: "report.superseded"}
	}
	to, err := s.ResolutionPreview(ctx, actor, id)
	if err != nil {
		return nil, err
	}
	if to.Checksum != seal || len(to.items) == 0 {
		return nil, &models.Error{Kind: models.KindConflict, Code: "report.changed"}
	}
	done := &Applied{Left: max(len(to.items)-MaxResolved, 0)}
	// The confirmation holds even when the user closes the page.
	ctx = context.WithoutCancel(ctx)
	for _, item := range to.items[:len(to.items)-done.Left] {
		if err := s.applyItem(ctx, actor, rec, item, done); err != nil {
			return nil, fmt.Errorf("settle item %d of report %d: %w", item, id, err)
		}
	}
	return done, s.applied(ctx, actor, rec, done)
}

func mayApply(actor models.Actor) bool {
	return actor.May(models.ReconcileSales) && actor.Role.May(models.ResolveCancellations)
}

// applied records that somebody resolved by the report, and the result.
func (s *Service) applied(ctx context.Context, actor models.Actor, rec *Reconciliation, done *Applied) error {
	now := s.clock.Now()
	return s.db.InTx(ctx, func(t database.Tx) error {
		err := t.Exec(`UPDATE reconciliations SET applied_at = ?, applied_by = ? WHERE id = ?`, now, actor.Name, rec.ID).Error
		if err != nil {
			return err
		}
		return audit.Record(t, actor, now, models.ActionReconciled, models.OutcomeSuccess, audit.About{After: map[string]any{
			"reconciliationId": rec.ID, "profile": rec.ProfileName, "day": rec.BusinessDay, "file": rec.FileName, "hash": rec.FileHash,
			"confirmed": done.Confirmed, "notCanceled": done.NotCanceled, "conflicts": done.Conflicts,
			"already": done.Already, "changed": done.Changed, "left": done.Left,
		}})
	})
}

// applyItem resolves one item, or finds that it no longer can be.
func (s *Service) applyItem(ctx context.Context, actor models.Actor, rec *Reconciliation, id int64, done *Applied) error {
	var outcome string
	err := s.db.InTx(ctx, func(t database.Tx) error {
		var err error
		outcome, err = s.resolveItem(ctx, t, actor, rec, id)
		return err
	})
	if errors.Is(err, models.ErrNotFound) {
		// The sale was removed with its import.
		outcome, err = "", nil
	}
	if err != nil {
		return err
	}
	switch outcome {
	case string(ResolvesConfirmed):
		done.Confirmed++
	case string(ResolvesNotCanceled):
		done.NotCanceled++
	case string(ResolvesConflict):
		done.Conflicts++
	case ResolvesAlready:
		done.Already++
	default:
		done.Changed++
	}
	return nil
}

// resolveItem judges the item again with the sale locked, resolves it and records
// it, all in one transaction. "" means that nothing was done.
func (s *Service) resolveItem(ctx context.Context, t database.Tx, actor models.Actor, rec *Reconciliation, id int64) (string, error) {
	var i ReportItem
	if err := database.TakeRow(t.Table("report_items").Select("id, sale_id").Where("id = ?", id), &i); err != nil {
		return "", err
	}
	l, err := s.cancellations.Hold(t, i.SaleID) // first of all, as everywhere
	if err != nil {
		return "", err
	}
	if err := database.TakeRow(t.Table("report_items").Select(itemColumns).Where("id = ?", id), &i); err != nil {
		return "", err
	}
	if actor, err = l.Current(actor); err != nil {
		return "", err
	}
	switch {
	case !mayApply(actor):
		return "", models.ErrForbidden
	case !actor.Sees(l.Sale().StoreID):
		return "", models.ErrNotFound
	case i.ResolvedAt != nil || i.ReviewedAt != nil:
		return ResolvesAlready, nil
	}
	if later, err := outOfUse(t, rec.ID); err != nil || later {
		return "", err
	}
	if err := l.Decisive(); err != nil && err != models.ErrNotFound {
		return "", err
	}
	j := rec.span(s.waits().Quiet).judge(i.reported(l))
	if j.resolves != i.Resolves {
		if !resolvedAs(l, i.Resolves) {
			return "", nil
		}
		return ResolvesAlready, recordResolved(t, actor, l.At(), id, ResolvesAlready)
	}
	if err := resolveBy(ctx, l, actor, rec, &i); err != nil {
		return "", err
	}
	return string(i.Resolves), recordResolved(t, actor, l.At(), id, string(i.Resolves))
}

// resolvedAs reports whether the sale already has the state that the item would give
// it.
func resolvedAs(l *cancellations.Held, to Resolves) bool {
	switch to {
	case ResolvesConfirmed:
		return l.Sale().State == models.SaleConfirmed
	case ResolvesNotCanceled:
		return l.Sale().State == models.SaleNotCanceled
	}
	c := l.Cancellation()
	return c.Conflict == models.ConflictReportCharged && c.ReviewedAt == nil
}

// resolveBy adds the report's line as evidence.
func resolveBy(ctx context.Context, l *cancellations.Held, actor models.Actor, rec *Reconciliation, i *ReportItem) error {
	ruling, err := l.Apply(ctx, evidence.ReportSays(actor, i.Resolves == ResolvesConfirmed, rec.evidence(i)))
	if err == nil && ruling.Nothing() {
		c := l.Cancellation()
		return fmt.Errorf("item %d does not settle case %d, which is %s", i.ID, c.ID, c.State)
	}
	return err
}

// evidence names the line of the report in the trail.
func (r *Reconciliation) evidence(i *ReportItem) string {
	line := 0
	if len(i.Lines) > 0 {
		line = i.Lines[0]
	}
	return fmt.Sprintf("report %s · hash %.12s · row %d", r.FileName, r.FileHash, line)
}

func (r *Reconciliation) span(quiet time.Duration) span {
	return span{day: r.BusinessDay, completeUntil: r.CompleteUntil, quiet: quiet}
}

// reported is the item as it was matched, with what we know now. disputed stays
// empty: a disputed item resolves nothing, so it is never applied.
func (i *ReportItem) reported(l *cancellations.Held) reported {
	sale := l.Sale()
	r := reported{verdict: i.Verdict, why: i.Why, basis: i.Basis, amount: i.Amount, day: i.Day, terminal: true, sale: &sale}
	if sale.OrderID != i.OrderID || string(sale.SerialNumber) != i.SerialNumber {
		r.basis = BasisNone
	}
	if c := l.Cancellation(); c.ID != 0 {
		r.c = &c
	}
	return r
}

func recordResolved(t database.Tx, actor models.Actor, now time.Time, id int64, as string) error {
	err := t.Exec(`UPDATE report_items SET settled_at = ?, settled_by = ?, settled = ?
		WHERE id = ? AND settled_at IS NULL`, now, actor.Name, as, id).Error
	if err != nil {
		return fmt.Errorf("note item %d as settled: %w", id, err)
	}
	return nil
}
