package cancellations

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"veinte/models"
	"veinte/models/audit"
)

// AmountChanged refuses a request for an amount that the sale no longer has: nothing
// is sent for an amount that nobody saw. It is an ErrAmountChanged.
type AmountChanged struct {
	Seen models.Money // 0: the form named none
	Now  models.Money
}

func (e *AmountChanged) Error() string {
	return fmt.Sprintf("%v: seen as %v, now %v", models.ErrAmountChanged, e.Seen, e.Now)
}

// Unwrap lets errors.As find the *models.Error.
func (e *AmountChanged) Unwrap() error { return models.ErrAmountChanged }

// asSeen refuses, under the sale's lock, when the sale's amount is not the one that
// was seen.
func (l *Held) asSeen(r CancelRequest) error {
	switch {
	case r.Seen != nil && *r.Seen != l.sale.Amount:
		return &AmountChanged{Seen: *r.Seen, Now: l.sale.Amount}
	case r.Seen != nil || !r.FromPage:
		return nil
	}
	var corrections int64
	of := l.tx.Model(&models.AuditEntry{}).Where("sale_id = ? AND action = ?", l.sale.ID, models.ActionSaleCorrected)
	if err := of.Count(&corrections).Error; err != nil {
		return fmt.Errorf("look for corrections of sale %d: %w", l.sale.ID, err)
	}
	if corrections > 0 {
		return &AmountChanged{Now: l.sale.Amount}
	}
	return nil
}

// recordRefused records in the trail that a request was refused.
func (s *Service) recordRefused(ctx context.Context, actor models.Actor, r CancelRequest, err error, why *models.Error) error {
	record := audit.RefusalRecord{SaleID: r.SaleID, Why: why, Together: r.Together}
	var changed *AmountChanged
	if errors.As(err, &changed) {
		record.Seen = r.Seen
	}
	return s.config.Audit.Refuse(ctx, actor, models.ActionCancelRefused, record)
}

// bulkAsSeen refuses a bulk request before any of it is requested, when the amount of
// a sale is not the one that was seen: the sum that was confirmed is then another. A
// request that has begun goes on; its sales are refused one by one.
func (s *Service) bulkAsSeen(ctx context.Context, actor models.Actor, r BulkRequest, part *audit.BulkPart) error {
	var ids []int64
	for _, sale := range r.Sales {
		ids = append(ids, sale.SaleID)
	}
	rows, err := s.Bulk(ctx, actor, r.Click, ids)
	if err != nil {
		return err
	}
	if slices.ContainsFunc(rows, func(row BulkRow) bool { return row.Cancellation != nil }) {
		return nil // begun
	}
	var refused error
	for i := range rows {
		sale, seen := rows[i].Sale, &r.Sales[i].Amount
		if sale == nil || !sale.State.Requestable() || sale.Amount == *seen {
			continue
		}
		refused = &AmountChanged{Seen: *seen, Now: sale.Amount}
		r := CancelRequest{SaleID: sale.ID, Seen: seen, Together: part}
		if err := s.recordRefused(ctx, actor, r, refused, models.ErrAmountChanged); err != nil {
			return err
		}
	}
	return models.Recorded(refused)
}
