package cancellations

import (
	"context"
	"errors"
	"fmt"

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

// RecordRefused records in the trail that a request was refused.
func (s *Service) RecordRefused(ctx context.Context, actor models.Actor, r CancelRequest, err error, why *models.Error) error {
	record := audit.RefusalRecord{SaleID: r.SaleID, Why: why, Together: r.Together}
	var changed *AmountChanged
	if errors.As(err, &changed) {
		record.Seen = r.Seen
	}
	return s.config.Audit.Refuse(ctx, actor, models.ActionCancelRefused, record)
}
