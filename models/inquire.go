package models

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"gorm.io/gorm/clause"
)

// AskToVerify asks the terminal, by a job, to post the state of the sale again.
// It moves no money, but it is a push like any other: while the result of a
// cancellation is awaited it would take its place on the terminal's screen, so
// only a doubt can be verified. Pressed twice, it is asked once.
//
// Errors: ErrNotFound, ErrForbidden, error.notConfigured, error.notOpen when
// there is nothing in doubt, or error.alreadyAsked when somebody just has.
func (s *Cancellations) AskToVerify(ctx context.Context, actor Actor, caseID int64) error {
	return s.inCase(ctx, caseID, func(l *Held) error {
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
		now := s.clock.Now()
		if l.c.AskedAt != nil && now.Before(l.c.AskedAt.Add(inquiryHold)) {
			return &Error{Kind: KindConflict, Code: "error.alreadyAsked"}
		}
		if err := l.Model(&Cancellation{}).Where("id = ?", caseID).Update("asked_at", now).Error; err != nil {
			return fmt.Errorf("note the wish to verify case %d: %w", caseID, err)
		}
		err := l.record(actor, now, ActionInquirySent, OutcomeSuccess, about{store: &l.store, sale: &l.sale, caseID: caseID})
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
func (s *Cancellations) inquireNext(ctx context.Context, l *Held, try int) error {
	if s.inquiries == nil || try >= len(inquiryTimes) {
		return nil
	}
	after := inquiryTimes[try]
	if try > 0 {
		after -= inquiryTimes[try-1]
	}
	return s.enqueue(ctx, l.tx, Task{Kind: TaskInquire, CaseID: l.c.ID, Attempt: try + 1, After: after, Once: true})
}

// inquiryHold is how long an inquiry that is not answered occupies its terminal.
const inquiryHold = 30 * time.Second

// Inquire sends the inquiry of a case in doubt: the try-th by itself, or one
// that a person asked for, which is try 0. What the service answers is only an
// acknowledgement; the terminal posts the state to the results door, and what
// that proves is decided there. A positive wait means that the terminal is busy:
// call again after it.
func (s *Cancellations) Inquire(ctx context.Context, caseID int64, try int) (wait time.Duration, err error) {
	if s.inquiries == nil {
		return 0, nil
	}
	var order *Order
	err = s.inCase(ctx, caseID, func(l *Held) error {
		if l.c.State != Unknown {
			return nil
		}
		now := s.clock.Now()
		if wait, err = s.occupied(l, now); err != nil || wait > 0 {
			return err
		}
		order, err = s.inquiry(ctx, l, try, now)
		return err
	})
	if err != nil {
		return 0, fmt.Errorf("inquire about case %d: %w", caseID, err)
	}
	if order == nil {
		return wait, nil
	}
	sent, cancel := context.WithTimeout(ctx, s.Waits().Answer)
	defer cancel()
	reply := s.inquiries.Inquire(sent, *order)
	return 0, s.inquired(context.WithoutCancel(ctx), caseID, order.Key, reply)
}

// inquiry writes down what will be asked, before a byte of it leaves.
func (s *Cancellations) inquiry(ctx context.Context, l *Held, try int, now time.Time) (*Order, error) {
	order := &Order{
		SerialNumber: l.sale.SerialNumber, MerchantID: l.sale.MerchantID, OrderID: l.sale.OrderID,
		OmitReceipt: true, Key: NewAttemptKey(),
	}
	err := l.Exec(`INSERT INTO inquiries (cancellation_id, terminal_id, try, key_hash, sent_at) VALUES (?, ?, ?, ?, ?)`,
		l.c.ID, l.c.TerminalID, try, order.Key.Hash(), now).Error
	if err != nil {
		return nil, fmt.Errorf("write inquiry: %w", err)
	}
	if try == 0 {
		return order, nil // in the trail since the person asked
	}
	err = l.record(System("verify", l.c.Requester), now, ActionInquirySent, OutcomeSuccess,
		about{store: &l.store, sale: &l.sale, caseID: l.c.ID, after: map[string]any{"try": try}})
	if err != nil {
		return nil, err
	}
	return order, s.inquireNext(ctx, l, try)
}

// inquired keeps what the service said of an inquiry. One that did not reach the
// terminal no longer occupies it, and is in the trail: nothing will come of it.
func (s *Cancellations) inquired(ctx context.Context, caseID int64, key AttemptKey, reply Reply) error {
	return s.inCase(ctx, caseID, func(l *Held) error {
		now := s.clock.Now()
		columns := map[string]any{"meaning": reply.Meaning, "detail": reply.Detail}
		if reply.Meaning == MeaningNotSent || reply.Meaning == MeaningRefused {
			columns["answered_at"] = now
		}
		if err := l.Table("inquiries").Where("key_hash = ?", key.Hash()).Updates(columns).Error; err != nil {
			return fmt.Errorf("keep reply to inquiry: %w", err)
		}
		if err := l.noteAnswer(reply, now); err != nil || reply.Meaning == MeaningAccepted {
			return err
		}
		outcome := OutcomeFailure
		if reply.Meaning == MeaningUnknown {
			outcome = OutcomeUnknown
		}
		return l.record(System("verify", l.c.Requester), now, ActionInquirySent, outcome,
			about{store: &l.store, sale: &l.sale, caseID: caseID, after: map[string]any{"detail": reply.Detail}})
	})
}

// lockedTerminal takes the row of the sale's terminal for the rest of the
// transaction: one push at a time is decided on, and none while it is retired.
func (l *Held) lockedTerminal() (*Terminal, error) {
	var terminal Terminal
	return &terminal, take(l.Clauses(clause.Locking{Strength: "NO KEY UPDATE"}).Where("id = ?", l.sale.TerminalID), &terminal)
}

// occupied locks the terminal and says how long to wait while another case's
// push, or an inquiry, is on its screen.
func (s *Cancellations) occupied(l *Held, now time.Time) (time.Duration, error) {
	if _, err := l.lockedTerminal(); err != nil {
		return 0, err
	}
	var pushes, inquiries int64
	err := l.Model(&Cancellation{}).Where("terminal_id = ? AND id <> ? AND state IN ?", l.sale.TerminalID, l.c.ID, []State{Sending, Accepted}).Count(&pushes).Error
	if err != nil {
		return 0, fmt.Errorf("look at terminal %d: %w", l.sale.TerminalID, err)
	}
	err = l.Table("inquiries").Where("terminal_id = ? AND answered_at IS NULL AND sent_at > ?", l.sale.TerminalID, now.Add(-inquiryHold)).Count(&inquiries).Error
	if err != nil {
		return 0, fmt.Errorf("look at terminal %d: %w", l.sale.TerminalID, err)
	}
	if pushes+inquiries > 0 {
		return busyPause, nil
	}
	return 0, nil
}

// Answered notes that the terminal has posted how it stands with the sale, which
// frees it.
func (l *Held) Answered() error {
	err := l.Table("inquiries").Where("cancellation_id = ? AND answered_at IS NULL", l.c.ID).Update("answered_at", l.cases.clock.Now()).Error
	if err != nil {
		return fmt.Errorf("note answer to inquiry: %w", err)
	}
	return nil
}

// AskedAt returns when the last inquiry was sent that a result can be the answer
// to: by the id it carries, or, where terminals return none, by not being the same
// words that came before the question. Zero: there is none.
func (l *Held) AskedAt(r *Result, key string) (time.Time, error) {
	q := l.Table("inquiries").Select("max(sent_at)").Where("cancellation_id = ? AND sent_at <= ?", l.c.ID, r.ReceivedAt)
	if key != "" {
		q = q.Where("key_hash = ?", key)
	} else {
		q = q.Where(`NOT EXISTS (SELECT FROM results r WHERE r.body_hash = ? AND r.serial_number = ? AND r.order_id = ?
			AND r.id <> ? AND r.received_at < inquiries.sent_at)`, r.BodyHash, r.SerialNumber, r.OrderID, r.ID)
	}
	var at sql.NullTime
	if err := q.Row().Scan(&at); err != nil {
		return time.Time{}, fmt.Errorf("look for the inquiry: %w", err)
	}
	return at.Time, nil
}

// EnqueueInquiry asks about a case once more, by a job; nothing where terminals
// cannot be asked.
func (s *Cancellations) EnqueueInquiry(ctx context.Context, t tx, caseID int64) error {
	if s.inquiries == nil {
		return nil
	}
	return s.enqueue(ctx, t, Task{Kind: TaskInquire, CaseID: caseID, Once: true})
}
