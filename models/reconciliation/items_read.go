package reconciliation

import (
	"context"
	"encoding/base64"
	"fmt"
	"strconv"
	"strings"
	"time"

	"gorm.io/gorm"

	"veinte/models"
	"veinte/models/audit"
	"veinte/models/cancellations"
	"veinte/models/database"
)

// itemColumns are the columns of a ReportItem.
const itemColumns = `id, reconciliation_id, kind, settles, verdict, why, basis, line_count, lines::text AS line_text, serial_number,
	merchant_id, order_id, folio, auth_code, last4, amount, at, coalesce(day::text, '') AS day, problem, problem_column, problem_value,
	coalesce(store_id, 0) AS store_id, coalesce(sale_id, 0) AS sale_id, ours, our_amount,
	settled_at, settled_by, settled, reviewed_at, reviewed_by, note`

// ItemPage is a page of a reconciliation's items, in the order of its kinds.
type ItemPage struct {
	Items []ReportItem
	Next  string
}

// ItemFilter narrows the items of a reconciliation. Zero values do not filter.
type ItemFilter struct {
	Kind       ItemKind // "": every difference
	Open       bool     // only items that wait for a person
	Resolvable bool     // only items that a confirmation would resolve
	Cursor     string
}

// ReportItems returns a page of a report's items in the actor's stores, with the
// present state of each sale.
//
// Errors: ErrForbidden, ErrNotFound, cursor.invalid.
func (s *Service) ReportItems(ctx context.Context, actor models.Actor, id int64, f ItemFilter) (*ItemPage, error) {
	if _, err := s.Reconciliation(ctx, actor, id); err != nil {
		return nil, err
	}
	var after int64
	if f.Cursor != "" {
		var err error
		if after, err = parseIDCursor(f.Cursor); err != nil {
			return nil, err
		}
	}
	items, err := s.itemsAfter(ctx, actor, id, f, after, models.PageSize+1)
	if err != nil {
		return nil, err
	}
	page := &ItemPage{Items: items}
	if len(items) > models.PageSize {
		page.Items = items[:models.PageSize]
		page.Next = base64.RawURLEncoding.EncodeToString(strconv.AppendInt(nil, page.Items[models.PageSize-1].ID, 10))
	}
	return page, nil
}

func (s *Service) itemsAfter(
	ctx context.Context, actor models.Actor, id int64, f ItemFilter, after int64, most int,
) ([]ReportItem, error) {
	var items []ReportItem
	err := s.itemQuery(ctx, actor, id, f).Where("id > ?", after).Order("id").Limit(most).Scan(&items).Error
	if err != nil {
		return nil, fmt.Errorf("list items of report %d: %w", id, err)
	}
	return items, s.statesNow(ctx, actor, items)
}

func (s *Service) itemQuery(ctx context.Context, actor models.Actor, id int64, f ItemFilter) *gorm.DB {
	q := s.db.Gorm().WithContext(ctx).Table("report_items").Select(itemColumns).Where("reconciliation_id = ?", id)
	if !actor.AllStores {
		q = q.Where("store_id IN ?", actor.StoreIDs)
	}
	if f.Kind != "" {
		q = q.Where("kind = ?", f.Kind)
	} else {
		q = q.Where("kind NOT IN " + itemsAgreedSQL)
	}
	if f.Open || f.Resolvable {
		q = q.Where(OpenSQL)
	}
	if f.Resolvable {
		q = q.Where("settles <> ''")
	}
	return q
}

// statesNow fills in the present states of the sales, and which of them the actor decided.
func (s *Service) statesNow(ctx context.Context, actor models.Actor, items []ReportItem) error {
	var ids []int64
	for i := range items {
		items[i].Lines = intsOf(items[i].LineText)
		if items[i].SaleID != 0 {
			ids = append(ids, items[i].SaleID)
		}
	}
	type saleNow struct {
		ID    int64
		State models.SaleState
		Own   bool
	}
	var sales []saleNow
	own := "id, state, EXISTS (" + cancellations.DecidedSQL + "(sales.id, ?)) AS own"
	err := s.db.Gorm().WithContext(ctx).Table("sales").Select(own, actor.Subject()).Where("id IN ?", ids).Find(&sales).Error
	if err != nil {
		return fmt.Errorf("read states of sales: %w", err)
	}
	of := make(map[int64]saleNow, len(sales))
	for _, sale := range sales {
		of[sale.ID] = sale
	}
	for i := range items {
		items[i].Now, items[i].Own = of[items[i].SaleID].State, of[items[i].SaleID].Own
	}
	return nil
}

// EachDifference calls f with every difference in the actor's stores, in batches: an
// export may be long.
//
// Errors: ErrForbidden, ErrNotFound.
func (s *Service) EachDifference(ctx context.Context, actor models.Actor, id int64, f func([]ReportItem) error) error {
	if _, err := s.Reconciliation(ctx, actor, id); err != nil {
		return err
	}
	for after := int64(0); ; {
		items, err := s.itemsAfter(ctx, actor, id, ItemFilter{}, after, rowsAtOnce)
		if err != nil || len(items) == 0 {
			return err
		}
		if err := f(items); err != nil {
			return err
		}
		after = items[len(items)-1].ID
	}
}

// ReviewDifference marks an item as handled, with a person's note. Nothing else changes
// but what OnReviewed handles with it.
//
// Errors: ErrForbidden, ErrNotFound, what is wrong with the note, error.alreadyReviewed, report.discarded, or
// review.own for a sale of which the actor ended the doubt.
func (s *Service) ReviewDifference(
	ctx context.Context, actor models.Actor, itemID int64, note string,
) (reconciliationID int64, err error) {
	if !actor.May(models.ReconcileSales) {
		return 0, models.ErrForbidden
	}
	if note = strings.TrimSpace(note); note != "" {
		if note, err = models.Text("note", note, 300); err != nil {
			return 0, err
		}
	}
	now := s.clock.Now()
	err = s.db.InTx(ctx, func(t database.Tx) error {
		var i ReportItem
		if err := database.TakeRow(t.Table("report_items").Select(itemColumns).Where("id = ?", itemID), &i); err != nil {
			return err
		}
		if !actor.AllStores && !actor.Sees(i.StoreID) {
			return models.ErrNotFound
		}
		reconciliationID = i.ReconciliationID
		if i.Kind == ItemSame || i.Kind == ItemIgnored {
			return models.ErrNotFound
		}
		var of reconciliationRow
		if err := database.TakeRow(t.Table("reconciliations").Select("id, discarded_at").Where("id = ?", i.ReconciliationID), &of); err != nil {
			return err
		}
		if of.DiscardedAt != nil {
			return errDiscarded
		}
		switch own, err := cancellations.DecidedBy(ctx, t, actor, i.SaleID); {
		case err != nil:
			return err
		case own:
			return models.ErrOwn
		}
		if err := markDifference(t, actor, now, &i, note); err != nil {
			return err
		}
		if i.SaleID == 0 || s.reviewed == nil {
			return nil
		}
		return s.reviewed(ctx, t, actor, i.SaleID, note)
	})
	return reconciliationID, err
}

// ReviewOfSale marks the items of a sale that wait, with the contradiction into which they
// are folded: see package review.
func (s *Service) ReviewOfSale(ctx context.Context, t database.Tx, actor models.Actor, saleID int64, note string) error {
	if !actor.May(models.ReconcileSales) {
		return nil
	}
	ids, err := database.TxRows[struct{ ID int64 }](ctx, t, `SELECT i.id FROM `+WaitingSQL+` AND i.sale_id = $1 ORDER BY i.id`, saleID)
	if err != nil {
		return fmt.Errorf("list differences of sale %d: %w", saleID, err)
	}
	for _, x := range ids {
		var i ReportItem
		if err := database.TakeRow(t.Table("report_items").Select(itemColumns).Where("id = ?", x.ID), &i); err != nil {
			return err
		}
		if err := markDifference(t, actor, s.clock.Now(), &i, note); err != nil {
			return err
		}
	}
	return nil
}

// markDifference marks an item, and records it.
func markDifference(t database.Tx, actor models.Actor, now time.Time, i *ReportItem, note string) error {
	done := t.Exec(`UPDATE report_items SET reviewed_at = ?, reviewed_by = ?, note = ?
		WHERE id = ? AND reviewed_at IS NULL AND settled_at IS NULL`,
		now, actor.Name, note, i.ID)
	if done.Error != nil {
		return fmt.Errorf("mark difference %d: %w", i.ID, done.Error)
	}
	if done.RowsAffected == 0 {
		return models.ErrAlreadyReviewed
	}
	return recordDifference(t, actor, now, i, note)
}

func recordDifference(t database.Tx, actor models.Actor, now time.Time, i *ReportItem, note string) error {
	a := audit.About{Terminal: models.SerialNumber(i.SerialNumber), Reason: note, Before: map[string]any{
		"reconciliationId": i.ReconciliationID, "difference": i.Kind, "rows": i.Lines, "orderId": i.OrderID,
	}}
	var sale models.Sale
	switch err := database.TakeRow(t.Where("id = ?", i.SaleID), &sale); {
	case err == nil:
		a.Sale = &sale
	case err != models.ErrNotFound:
		return err
	}
	var store models.Store
	switch err := database.TakeRow(t.Where("id = ?", i.StoreID), &store); {
	case err == nil:
		a.Store = &store
	case err != models.ErrNotFound:
		return err
	}
	return audit.Record(t, actor, now, models.ActionDifferenceSeen, models.OutcomeSuccess, a)
}

func parseIDCursor(cursor string) (int64, error) {
	raw, err := base64.RawURLEncoding.DecodeString(cursor)
	id, errID := strconv.ParseInt(string(raw), 10, 64)
	if err != nil || errID != nil || id < 0 {
		return 0, models.Invalid("cursor", "cursor.invalid")
	}
	return id, nil
}
