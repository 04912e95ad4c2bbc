package bulk

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"veinte/models"
	"veinte/models/cancellations"
)

// Row is one sale of a bulk request: before it, or with its outcome.
type Row struct {
	SaleID   int64
	Sale     *models.Sale // nil: no sale that the actor may see
	Store    models.Store
	Terminal models.Terminal
	// Cancellation is the one that the request opened, as it is now; nil when it
	// opened none.
	Cancellation *models.Cancellation
	// Place is how many pushes are before it in its terminal's queue.
	QueuePosition int
	// Refusal is the code of why no cancellation was opened. "" without a
	// cancellation: the sale was not reached.
	Refusal string
	// Seen is the amount that the person saw, when it is another now; otherwise nil.
	Seen *models.Money
	// Other is the other sale of the same charge, when that is why; otherwise nil.
	Other *models.Sale
}

// Chosen returns the sales for a bulk request by store and terminal, the oldest
// first, each with why it cannot be canceled. It changes nothing. Sales that the
// actor may not see are last.
func (s *Service) Chosen(ctx context.Context, actor models.Actor, ids []int64) ([]Row, error) {
	rows, err := s.sales(ctx, actor, ids)
	if err != nil {
		return nil, err
	}
	var seen []*models.Sale
	at := map[int64]models.Terminal{}
	for i := range rows {
		if rows[i].Sale != nil {
			seen, at[rows[i].Terminal.ID] = append(seen, rows[i].Sale), rows[i].Terminal
		}
	}
	why, err := s.cases.WhyNot(ctx, actor, seen, at)
	if err != nil {
		return nil, err
	}
	for i := range rows {
		n := slices.Index(seen, rows[i].Sale)
		var refused *models.Error
		if n >= 0 && errors.As(why[n], &refused) {
			rows[i].Refusal, rows[i].Other = refused.Code, cancellations.OtherSale(actor, why[n])
		}
	}
	slices.SortStableFunc(rows, func(a, b Row) int {
		switch {
		case a.Sale == nil && b.Sale == nil:
			return 0
		case a.Sale == nil:
			return 1
		case b.Sale == nil:
			return -1
		}
		return cmp.Or(cmp.Compare(a.Store.Name, b.Store.Name), cmp.Compare(a.Terminal.Label, b.Terminal.Label),
			cmp.Compare(a.Terminal.SerialNumber, b.Terminal.SerialNumber), a.Sale.SoldAt.Compare(b.Sale.SoldAt), cmp.Compare(a.SaleID, b.SaleID))
	})
	return rows, nil
}

// Outcomes returns the outcomes of the sales that the actor requested with a click, in
// the order given. It reads what was committed: a sale has a cancellation of this
// click, was refused, or was never reached, even if the request was interrupted.
func (s *Service) Outcomes(ctx context.Context, actor models.Actor, click string, ids []int64) ([]Row, error) {
	rows, err := s.sales(ctx, actor, ids)
	if err != nil {
		return nil, err
	}
	if err := s.addCancellations(ctx, actor, click, rows); err != nil {
		return nil, err
	}
	if err := s.addRefusals(ctx, actor, click, rows); err != nil {
		return nil, err
	}
	return rows, s.addOthers(ctx, actor, rows)
}

// sales reads sales with their stores and terminals, in the order given.
func (s *Service) sales(ctx context.Context, actor models.Actor, ids []int64) ([]Row, error) {
	var found []models.Sale
	if err := s.db.Gorm().WithContext(ctx).Where("id IN ?", ids).Find(&found).Error; err != nil {
		return nil, fmt.Errorf("read %d sales: %w", len(ids), err)
	}
	dir, err := s.terminals.Directory(ctx)
	if err != nil {
		return nil, err
	}
	at := make(map[int64]*models.Sale, len(found))
	for i := range found {
		at[found[i].ID] = &found[i]
	}
	rows := make([]Row, len(ids))
	for i, id := range ids {
		rows[i].SaleID = id
		sale := at[id]
		if sale == nil || !actor.Sees(sale.StoreID) {
			rows[i].Refusal = models.ErrNotFound.Code
			continue
		}
		rows[i].Sale, rows[i].Terminal = sale, dir.Terminals[sale.TerminalID]
		if store := dir.Stores[sale.StoreID]; store != nil {
			rows[i].Store = *store
		}
	}
	return rows, nil
}

// addCancellations adds the cancellations that the click opened, with their
// positions in the queue.
func (s *Service) addCancellations(ctx context.Context, actor models.Actor, click string, rows []Row) error {
	clicks := make([]string, len(rows))
	for i := range rows {
		clicks[i] = clickOf(click, rows[i].SaleID)
	}
	var opened []struct {
		models.Cancellation
		Place int
	}
	err := s.db.Gorm().WithContext(ctx).Table("cancellations c").Select("c.*, "+placeSQL).
		Where("requested_by = ? AND click IN ?", actor.UserID, clicks).Find(&opened).Error
	if err != nil {
		return fmt.Errorf("read cancellations of a click: %w", err)
	}
	for i := range rows {
		for j := range opened {
			if rows[i].Sale != nil && opened[j].SaleID == rows[i].SaleID {
				rows[i].Cancellation, rows[i].QueuePosition = &opened[j].Cancellation, opened[j].Place
			}
		}
	}
	return nil
}

// addRefusals adds why a sale has no cancellation, from the trail.
func (s *Service) addRefusals(ctx context.Context, actor models.Actor, click string, rows []Row) error {
	var ids []int64
	for i := range rows {
		if rows[i].Sale != nil && rows[i].Cancellation == nil {
			ids = append(ids, rows[i].SaleID)
		}
	}
	if len(ids) == 0 {
		return nil
	}
	var entries []struct {
		SaleID int64
		Reason string
		Seen   *models.Money
	}
	err := s.db.Gorm().WithContext(ctx).Model(&models.AuditEntry{}).
		Select("sale_id", "reason", "(after->>'seenAmount')::bigint AS seen").
		Where("sale_id IN ? AND actor_id = ? AND action = ? AND after->>'together' = ?", ids, actor.UserID, models.ActionCancelRefused, click).
		Order("id").Find(&entries).Error
	if err != nil {
		return fmt.Errorf("read refusals of a click: %w", err)
	}
	for i := range rows {
		for j := range entries {
			if rows[i].Cancellation == nil && entries[j].SaleID == rows[i].SaleID {
				rows[i].Refusal, rows[i].Seen = entries[j].Reason, entries[j].Seen
			}
		}
	}
	return nil
}

// addOthers adds to the rows that were refused for it the other sale of the charge.
func (s *Service) addOthers(ctx context.Context, actor models.Actor, rows []Row) (err error) {
	for i := range rows {
		if rows[i].Refusal != cancellations.ErrOneCharge.Code || rows[i].Sale == nil {
			continue
		}
		if rows[i].Other, err = s.cases.OtherOf(ctx, actor, rows[i].Sale); err != nil {
			return err
		}
	}
	return nil
}

// placeSQL is how many pushes are before cancellation c in its terminal's queue; 0 for
// one that does not wait.
const placeSQL = `CASE WHEN c.state = ` + models.RequestedSQL + ` THEN (SELECT count(*) FROM cancellations o
	WHERE o.terminal_id = c.terminal_id AND o.id <> c.id
		AND (o.state IN (` + models.SendingSQL + `, ` + models.AcceptedSQL + `)
			OR o.state = ` + models.RequestedSQL + ` AND o.id < c.id)) ELSE 0 END AS place`
