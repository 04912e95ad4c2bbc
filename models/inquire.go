package models

import (
	"context"
	"fmt"
	"time"
)

// AskToVerify asks the terminal, by a job, to post the state of the sale again.
// It moves no money, but it is a push like any other: while the result of a
// cancellation is awaited it would take its place on the terminal's screen, so
// only a doubt can be verified. Pressed twice, it is asked once.
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
		if l.c.State != Unknown {
			return &Error{Kind: KindConflict, Code: "error.notOpen"}
		}
		err := l.record(actor, s.clock.Now(), ActionInquirySent, OutcomeSuccess, about{store: &l.store, sale: &l.sale, caseID: caseID})
		if err != nil {
			return err
		}
		return s.enqueue(ctx, l.tx, Task{Kind: TaskInquire, CaseID: caseID, By: actor.Name, Once: true})
	})
}

// Inquire sends the inquiry of a case in doubt. What the service answers is only
// an acknowledgement; the terminal posts the state to the results door. A
// positive wait means that the terminal is busy: call again after it.
func (s *Cancellations) Inquire(ctx context.Context, caseID int64) (wait time.Duration, err error) {
	if s.inquiries == nil {
		return 0, nil
	}
	g := s.db.gorm.WithContext(ctx)
	var c Cancellation
	if err := take(g.Where("id = ?", caseID), &c); err != nil {
		return 0, fmt.Errorf("read case %d: %w", caseID, err)
	}
	if c.State != Unknown {
		return 0, nil
	}
	var pushes int64
	err = g.Model(&Cancellation{}).Where("terminal_id = ? AND state IN ?", c.TerminalID, []State{Sending, Accepted}).Count(&pushes).Error
	if err != nil {
		return 0, fmt.Errorf("look at terminal %d: %w", c.TerminalID, err)
	}
	if pushes > 0 {
		return busyPause, nil
	}
	var sale Sale
	if err := take(g.Where("id = ?", c.SaleID), &sale); err != nil {
		return 0, fmt.Errorf("read sale %d: %w", c.SaleID, err)
	}
	ctx, cancel := context.WithTimeout(ctx, s.waits.Answer)
	defer cancel()
	reply := s.inquiries.Inquire(ctx, Order{
		SerialNumber: sale.SerialNumber, MerchantID: sale.MerchantID, OrderID: sale.OrderID,
		OmitReceipt: true, Key: NewAttemptKey(),
	})
	s.log.InfoContext(ctx, "inquiry", "case", caseID, "meaning", reply.Meaning, "detail", reply.Detail)
	return 0, nil
}
