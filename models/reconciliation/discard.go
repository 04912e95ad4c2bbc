package reconciliation

import (
	"context"
	"fmt"
	"slices"

	"veinte/models"
	"veinte/models/audit"
	"veinte/models/cancellations"
	"veinte/models/database"
	"veinte/models/evidence"
)

// Standing is a sale in which a report still has an effect: its doubt ended by it, or the
// report contradicts it.
type Standing struct {
	ItemID    int64
	SaleID    int64
	OrderID   string
	Amount    models.Money
	Resolved  Resolves // what the report did
	StoreName string
	Own       bool // a contradiction of what the actor asked for or decided
	Raised    bool // it is in the inbox already, because the report is discarded
}

// Discarding is what discarding a report does.
type Discarding struct {
	Ended     []Standing // what ended by it and still stands so, stays and is looked into
	Conflicts []Standing // the contradictions that are only its own, and that nobody handled
	Open      int        // differences that wait, in all stores
	Own       bool       // it contradicts what the actor decided: somebody else discards it
}

// Checksum identifies what was shown, so that exactly that is done.
func (d *Discarding) Checksum() string {
	return fmt.Sprintf("%d.%d", len(d.Ended), len(d.Conflicts))
}

// conflictSQL is the effect of an item that contradicts a sale.
const conflictSQL = "'" + string(ResolvesConflict) + "'"

// standingSQL finds the sales in which report $1 still has an effect. $2 is the subject of
// who wants to discard it, and $3 their id.
const standingSQL = `SELECT i.id AS item_id, i.sale_id, s.order_id, s.amount, i.settled AS resolved, o.name AS store_name,
		i.settled = ` + conflictSQL + ` AND (c.origin = '` + string(models.FromPerson) + `' AND coalesce(c.requested_by = $3, false)
			OR EXISTS (` + cancellations.DecidedSQL + `(i.sale_id, $2))) AS own,
		c.conflict = '` + string(models.ConflictReportDiscarded) + `' AND c.reviewed_at IS NULL AS raised
	FROM report_items i JOIN sales s ON s.id = i.sale_id JOIN stores o ON o.id = s.store_id
	CROSS JOIN LATERAL (SELECT * FROM cancellations WHERE sale_id = i.sale_id
		ORDER BY state = ` + models.ConfirmedSQL + ` DESC, id DESC LIMIT 1) c
	WHERE i.reconciliation_id = $1 AND (i.settled IN (` + models.ConfirmedSQL + `, ` + models.NotCanceledSQL + `)
			AND c.state = i.settled
		OR i.settled = ` + conflictSQL + ` AND c.conflict = '` + string(models.ConflictReportCharged) + `' AND c.reviewed_at IS NULL)
	ORDER BY i.id`

// openOwnSQL counts the open items of report $1, and says whether one is about a sale that
// $2 decided.
const openOwnSQL = `SELECT count(*) AS open, coalesce(bool_or(EXISTS (` + cancellations.DecidedSQL + `(i.sale_id, $2))), false) AS own
	FROM report_items i WHERE i.reconciliation_id = $1 AND ` + OpenSQL

// MayDiscard reports whether the actor may discard the report: whoever compares reports, of
// all the stores that it was compared for; and once it resolved something, whoever may
// resolve.
func (r *Reconciliation) MayDiscard(actor models.Actor) bool {
	if !actor.May(models.ReconcileSales) || r.AppliedAt != nil && !mayApply(actor) {
		return false
	}
	elsewhere := func(id int64) bool { return !actor.Sees(id) }
	return actor.AllStores || r.Stores != nil && !slices.ContainsFunc(r.Stores, elsewhere)
}

// Discarding returns what discarding a report would do.
//
// Errors: ErrForbidden.
func (s *Service) Discarding(ctx context.Context, actor models.Actor, id int64) (*Discarding, error) {
	if !actor.May(models.ReconcileSales) {
		return nil, models.ErrForbidden
	}
	var d *Discarding
	err := s.db.InTx(ctx, func(t database.Tx) (err error) {
		d, err = discarding(ctx, t, actor, id)
		return err
	})
	return d, err
}

func discarding(ctx context.Context, t database.Tx, actor models.Actor, id int64) (*Discarding, error) {
	all, err := database.TxRows[Standing](ctx, t, standingSQL, id, actor.Subject(), actor.UserID)
	if err != nil {
		return nil, fmt.Errorf("list what report %d did: %w", id, err)
	}
	d := &Discarding{}
	if err := t.SQL.QueryRowContext(ctx, openOwnSQL, id, actor.Subject()).Scan(&d.Open, &d.Own); err != nil {
		return nil, fmt.Errorf("look for own decisions in report %d: %w", id, err)
	}
	for _, x := range all {
		d.Own = d.Own || x.Own
		if x.Resolved == ResolvesConflict {
			d.Conflicts = append(d.Conflicts, x)
		} else {
			d.Ended = append(d.Ended, x)
		}
	}
	return d, nil
}

// DiscardReport takes a report that was wrong out of what counts, and says why. Its
// differences wait no longer, and a report that it superseded stands again. What ended by it
// stays as it ended, because nothing says otherwise, and is a contradiction for somebody
// else; a contradiction that it alone raised is over. Nobody discards what contradicts
// their own decision. seen is the checksum of what was shown.
//
// Errors: ErrForbidden, ErrProofNeeded, ErrNotFound, what is wrong with the note,
// report.discarded, report.changed, report.own, report.others.
func (s *Service) DiscardReport(ctx context.Context, actor models.Actor, id int64, seen, note string) error {
	rec, err := s.Reconciliation(ctx, actor, id)
	if err != nil {
		return err
	}
	if err := actor.Fresh(); err != nil {
		return err
	}
	if note, err = models.Text("note", note, 300); err != nil {
		return err
	}
	switch {
	case rec.DiscardedAt != nil:
		return errDiscarded
	case !rec.MayDiscard(actor):
		return errOthersDiscard
	}
	d, err := s.Discarding(ctx, actor, id)
	switch {
	case err != nil:
		return err
	case d.Own:
		return &models.Error{Kind: models.KindConflict, Code: "report.own"}
	case d.Checksum() != seen:
		return &models.Error{Kind: models.KindConflict, Code: "report.changed"}
	}
	// Each sale has its own transaction, as everywhere, and the report is discarded after
	// the last: what is cut off in the middle is done again.
	ctx = context.WithoutCancel(ctx)
	for _, x := range slices.Concat(d.Ended, d.Conflicts) {
		if err := s.takeBack(ctx, actor, rec, x, note); err != nil {
			return fmt.Errorf("take back what report %d did to sale %d: %w", id, x.SaleID, err)
		}
	}
	return s.discard(ctx, actor, rec, d, note)
}

// The refusals of a report that is discarded, and of who may not discard it.
var (
	errDiscarded     = &models.Error{Kind: models.KindConflict, Code: "report.discarded"}
	errOthersDiscard = &models.Error{Kind: models.KindConflict, Code: "report.others"}
)

// takeBack raises what ended by the report, or ends the contradiction that it raised.
func (s *Service) takeBack(ctx context.Context, actor models.Actor, rec *Reconciliation, x Standing, note string) error {
	return s.db.InTx(ctx, func(t database.Tx) error {
		l, err := s.cancellations.Hold(t, x.SaleID) // first of all, as everywhere
		if err == models.ErrNotFound {
			return nil // removed with its import
		}
		if err != nil {
			return err
		}
		if actor, err = l.Current(actor); err != nil {
			return err
		}
		if !rec.MayDiscard(actor) {
			return errOthersDiscard
		}
		if err := l.Decisive(); err != nil {
			return err
		}
		var i ReportItem
		if err := database.TakeRow(t.Table("report_items").Select(itemColumns).Where("id = ?", x.ItemID), &i); err != nil {
			return err
		}
		i.Lines = intsOf(i.LineText)
		c := l.Cancellation()
		waits := c.Conflict != "" && c.ReviewedAt == nil
		switch {
		case x.Resolved != ResolvesConflict:
			if string(c.State) != i.Resolved || waits && c.Conflict == models.ConflictReportDiscarded {
				return nil
			}
			_, err = l.Apply(ctx, evidence.ReportTaken(actor, rec.evidence(&i)+" · note "+note))
			return err
		case waits && c.Conflict == models.ConflictReportCharged:
			return endConflict(t, actor, l, note)
		}
		return nil
	})
}

// endConflict marks the contradiction of a discarded report as handled.
func endConflict(t database.Tx, actor models.Actor, l *cancellations.Held, note string) error {
	sale, store, c := l.Sale(), l.Store(), l.Cancellation()
	if err := t.Model(&models.Cancellation{}).Where("id = ?", c.ID).Update("reviewed_at", l.At()).Error; err != nil {
		return fmt.Errorf("mark cancellation %d: %w", c.ID, err)
	}
	return audit.Record(t, actor, l.At(), models.ActionReviewed, models.OutcomeSuccess, audit.About{
		Store: &store, Sale: &sale, CancellationID: c.ID, Reason: note, Before: map[string]models.Conflict{"conflict": c.Conflict},
	})
}

// discard marks the report, unless somebody has resolved more by it meanwhile.
func (s *Service) discard(ctx context.Context, actor models.Actor, rec *Reconciliation, d *Discarding, note string) error {
	now := s.clock.Now()
	return s.db.InTx(ctx, func(t database.Tx) error {
		if err := t.Exec(`SELECT FROM reconciliations WHERE id = ? FOR UPDATE`, rec.ID).Error; err != nil {
			return err
		}
		left, err := discarding(ctx, t, actor, rec.ID)
		if err != nil {
			return err
		}
		raised := func(x Standing) bool { return x.Raised }
		switch left.Ended = slices.DeleteFunc(left.Ended, raised); {
		case left.Own:
			return &models.Error{Kind: models.KindConflict, Code: "report.own"}
		case len(left.Ended)+len(left.Conflicts) > 0:
			return &models.Error{Kind: models.KindConflict, Code: "report.changed"}
		}
		done := t.Exec(`UPDATE reconciliations SET discarded_at = ?, discarded_by = ?, discarded_note = ?
			WHERE id = ? AND discarded_at IS NULL`, now, actor.Name, note, rec.ID)
		if done.Error != nil {
			return fmt.Errorf("discard report %d: %w", rec.ID, done.Error)
		}
		if done.RowsAffected == 0 {
			return errDiscarded
		}
		return audit.Record(t, actor, now, models.ActionReportDiscarded, models.OutcomeSuccess, audit.About{
			Reason: note,
			Before: map[string]any{"differences": left.Open},
			After: map[string]any{
				"reconciliationId": rec.ID, "profile": rec.ProfileName, "day": rec.BusinessDay, "file": rec.FileName, "hash": rec.FileHash,
				"raised": len(d.Ended), "conflictsOver": len(d.Conflicts),
			},
		})
	})
}
