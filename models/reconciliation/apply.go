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
)

// MaxResolved is how many items one confirmation settles: what is left is
// said, and confirmed by another.
const MaxResolved = 1000

// Applied is what became of the items that a person confirmed.
type Applied struct {
	Confirmed   int // cases that ended canceled
	NotCanceled int // doubts that ended as still charged
	Conflicts   int // contradictions for the inbox
	Already     int // settled by something else meanwhile
	Changed     int // no longer what was shown: left as they are
	Left        int // still to be confirmed
}

// ApplyReconciliation settles by a report what a person has seen and confirms:
// seal is that of the items that were shown to them. Each case is a transaction of its
// own, in which everything is judged again under the sale's lock, so that two
// people who confirm at once settle each case once. What changed meanwhile is
// left alone, and so is everything once a later report stands in this one's place.
//
// Errors: ErrForbidden, ErrNotFound, report.superseded, report.changed when the
// items to settle are not the very ones that were shown.
func (s *Service) ApplyReconciliation(ctx context.Context, actor models.Actor, id int64, seal string) (*Applied, error) {
	if !actor.May(models.ReconcileSales) || !actor.Role.May(models.ResolveCancellations) {
		return nil, models.ErrForbidden
	}
	rec, err := s.Reconciliation(ctx, actor, id)
	if err != nil {
		return nil, err
	}
	if rec.SupersededBy != 0 {
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
	// Whoever closes the page has confirmed all the same.
	ctx = context.WithoutCancel(ctx)
	for _, item := range to.items[:len(to.items)-done.Left] {
		if err := s.applyItem(ctx, actor, rec, item, done); err != nil {
			return nil, fmt.Errorf("settle item %d of report %d: %w", item, id, err)
		}
	}
	return done, s.applied(ctx, actor, rec, done)
}

// applied notes that somebody settled by the report, and what came of it.
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

// applyItem settles one item, or finds that it no longer can be.
func (s *Service) applyItem(ctx context.Context, actor models.Actor, rec *Reconciliation, id int64, done *Applied) error {
	var outcome string
	err := s.db.InTx(ctx, func(t database.Tx) error {
		var err error
		outcome, err = s.resolveItem(ctx, t, actor, rec, id)
		return err
	})
	if errors.Is(err, models.ErrNotFound) {
		// The sale went with the import that had brought it.
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

// resolveItem judges the item again with the sale locked, does what it settles
// and notes it, all in one transaction. "" means that nothing was done.
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
	switch {
	case !actor.Sees(l.Sale().StoreID):
		return "", models.ErrNotFound
	case i.SettledAt != nil || i.ReviewedAt != nil:
		return ResolvesAlready, nil
	}
	if later, err := superseded(t, rec.ID); err != nil || later {
		return "", err
	}
	if err := l.Decisive(); err != nil && err != models.ErrNotFound {
		return "", err
	}
	now := s.clock.Now()
	j := rec.span(s.waits().Quiet).judge(i.reported(l))
	if j.resolves != i.Settles {
		if !settledAs(l, i.Settles) {
			return "", nil
		}
		return ResolvesAlready, recordResolved(t, actor, now, id, ResolvesAlready)
	}
	if err := settleBy(ctx, l, actor, rec, &i); err != nil {
		return "", err
	}
	return string(i.Settles), recordResolved(t, actor, now, id, string(i.Settles))
}

// settledAs reports whether the sale already stands as the item would have it.
func settledAs(l *cancellations.Held, to Resolves) bool {
	switch to {
	case ResolvesConfirmed:
		return l.Sale().State == models.SaleConfirmed
	case ResolvesNotCanceled:
		return l.Sale().State == models.SaleNotCanceled
	}
	c := l.Cancellation()
	return c.Conflict == models.ConflictReportCharged && c.ReviewedAt == nil
}

// settleBy brings the report's line as evidence.
func settleBy(ctx context.Context, l *cancellations.Held, actor models.Actor, rec *Reconciliation, i *ReportItem) error {
	ruling, err := l.Apply(ctx, cancellations.ReportSays(actor, i.Settles == ResolvesConfirmed, rec.evidence(i)))
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

// reported is the item as it was matched, with what we know now. Whatever made a
// missing cancellation prove nothing made the item one that settles nothing.
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
	err := t.Exec(`UPDATE report_items SET settled_at = ?, settled_by = ?, settled = ? WHERE id = ? AND settled_at IS NULL`, now, actor.Name, as, id).Error
	if err != nil {
		return fmt.Errorf("note item %d as settled: %w", id, err)
	}
	return nil
}
