package models

import (
	"context"
	"fmt"
)

// AskToVerify asks the terminal, by a job, to post the state of the sale again.
// It moves no money. Pressed twice, it is asked once.
//
// Errors: ErrNotFound, ErrForbidden, error.notConfigured, or error.notOpen when
// there is nothing in doubt.
func (s *Cancellations) AskToVerify(ctx context.Context, actor Actor, caseID int64) error {
	return s.inCase(ctx, caseID, func(l *locked) error {
		switch {
		case !actor.Sees(l.sale.StoreID):
			return ErrNotFound
		case !actor.May(VerifyCases):
			return ErrForbidden
		}
		if s.inquiries == nil {
			return &Error{Kind: KindConflict, Code: "error.notConfigured"}
		}
		if l.c.State != Accepted && l.c.State != Unknown {
			return &Error{Kind: KindConflict, Code: "error.notOpen"}
		}
		err := l.record(actor, s.clock.Now(), ActionInquirySent, OutcomeSuccess, about{store: &l.store, sale: &l.sale, caseID: caseID})
		if err != nil {
			return err
		}
		return s.enqueue(ctx, l.tx, Task{Kind: TaskInquire, CaseID: caseID, By: actor.Name, Once: true})
	})
}

// Inquire sends the inquiry of an open case. What the service answers is only
// an acknowledgement; the terminal posts the state to the results door.
func (s *Cancellations) Inquire(ctx context.Context, caseID int64) error {
	if s.inquiries == nil {
		return nil
	}
	var c Cancellation
	if err := take(s.db.gorm.WithContext(ctx).Where("id = ?", caseID), &c); err != nil {
		return fmt.Errorf("read case %d: %w", caseID, err)
	}
	if c.State != Accepted && c.State != Unknown {
		return nil
	}
	var sale Sale
	if err := take(s.db.gorm.WithContext(ctx).Where("id = ?", c.SaleID), &sale); err != nil {
		return fmt.Errorf("read sale %d: %w", c.SaleID, err)
	}
	ctx, cancel := context.WithTimeout(ctx, s.waits.Answer)
	defer cancel()
	reply := s.inquiries.Inquire(ctx, Order{
		SerialNumber: sale.SerialNumber, MerchantID: sale.MerchantID, OrderID: sale.OrderID,
		OmitReceipt: true, Key: NewAttemptKey(),
	})
	s.log.InfoContext(ctx, "inquiry", "case", caseID, "meaning", reply.Meaning, "detail", reply.Detail)
	return nil
}
