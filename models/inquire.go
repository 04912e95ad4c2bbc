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

// inquiryTimes are when a doubt is inquired about by itself, counted from its
// beginning. After the last it waits for a person.
var inquiryTimes = []time.Duration{30 * time.Second, time.Minute, 2 * time.Minute, 4 * time.Minute, 8 * time.Minute}

// inquireNext enqueues the automatic inquiry after the given one; 0 is none yet.
func (s *Cancellations) inquireNext(ctx context.Context, l *locked, try int) error {
	if s.inquiries == nil || try >= len(inquiryTimes) {
		return nil
	}
	after := inquiryTimes[try]
	if try > 0 {
		after -= inquiryTimes[try-1]
	}
	return s.enqueue(ctx, l.tx, Task{Kind: TaskInquire, CaseID: l.c.ID, Attempt: try + 1, After: after, Once: true})
}

// Inquire sends the inquiry of a case in doubt: the try-th by itself, or one
// that a person asked for, which is try 0. What the service answers is only an
// acknowledgement; the terminal posts the state to the results door, and what
// that proves within the quiet time is decided there. A positive wait means that
// the terminal is busy: call again after it.
func (s *Cancellations) Inquire(ctx context.Context, caseID int64, try int) (wait time.Duration, err error) {
	if s.inquiries == nil {
		return 0, nil
	}
	var order *Order
	err = s.inCase(ctx, caseID, func(l *locked) error {
		if l.c.State != Unknown {
			return nil
		}
		if wait, err = s.pushing(l); err != nil || wait > 0 {
			return err
		}
		order = &Order{
			SerialNumber: l.sale.SerialNumber, MerchantID: l.sale.MerchantID, OrderID: l.sale.OrderID,
			OmitReceipt: true, Key: NewAttemptKey(),
		}
		if try == 0 {
			return nil // in the trail since the person asked
		}
		err := l.record(System("verify", l.c.Requester), s.clock.Now(), ActionInquirySent, OutcomeSuccess,
			about{store: &l.store, sale: &l.sale, caseID: caseID, after: map[string]any{"try": try}})
		if err != nil {
			return err
		}
		return s.inquireNext(ctx, l, try)
	})
	if err != nil {
		return 0, fmt.Errorf("inquire about case %d: %w", caseID, err)
	}
	if order == nil {
		return wait, nil
	}
	ctx, cancel := context.WithTimeout(ctx, s.waits.Answer)
	defer cancel()
	reply := s.inquiries.Inquire(ctx, *order)
	s.log.InfoContext(ctx, "inquiry", "case", caseID, "try", try, "meaning", reply.Meaning, "detail", reply.Detail)
	return 0, nil
}

// pushing says how long to wait while another case's push is on the terminal.
func (s *Cancellations) pushing(l *locked) (time.Duration, error) {
	var pushes int64
	err := l.Model(&Cancellation{}).Where("terminal_id = ? AND state IN ?", l.c.TerminalID, []State{Sending, Accepted}).Count(&pushes).Error
	if err != nil {
		return 0, fmt.Errorf("look at terminal %d: %w", l.c.TerminalID, err)
	}
	if pushes > 0 {
		return busyPause, nil
	}
	return 0, nil
}

// inquireAgain asks about doubts whose reversal was pending: it clears with the
// terminal's next transaction, which has just come.
func (rd *reading) inquireAgain(ctx context.Context) error {
	if rd.inquiries == nil {
		return nil
	}
	var pending []Cancellation
	err := rd.Model(&Cancellation{}).Where(`serial_of.serial_number = ? AND cancellations.state = ?
		AND EXISTS (SELECT FROM results r WHERE r.cancellation_id = cancellations.id AND r.note = ?)`, rd.r.SerialNumber, Unknown, noteReversalPending).
		Joins("JOIN terminals serial_of ON serial_of.id = cancellations.terminal_id").Select("cancellations.id").Find(&pending).Error
	if err != nil {
		return fmt.Errorf("look for pending reversals: %w", err)
	}
	for _, c := range pending {
		if err := rd.enqueue(ctx, rd.tx, Task{Kind: TaskInquire, CaseID: c.ID, Once: true}); err != nil {
			return err
		}
	}
	return nil
}

// noteReversalPending marks the result of an inquiry that said so.
const noteReversalPending = "reversalPending"
