package models

import (
	"context"
	"fmt"
	"time"
)

// readInquiry reads the answer to an inquiry: what the terminal's service knows
// of the sale now.
func (rd *reading) readInquiry(ctx context.Context) (conclusion, error) {
	key := rd.r.KeyHash
	rd.r.KeyHash = "" // an inquiry's id says nothing about an attempt
	m, why, err := rd.match()
	if err != nil {
		return conclusion{}, err
	}
	if m == nil {
		return conclusion{status: ResultUnmatched, note: why}, nil
	}
	sale, store := m.Sale(), m.Store()
	c := conclusion{saleID: sale.ID, caseID: m.Cancellation().ID}
	if differs := InquiryAnswered(rd.actor, rd.r, time.Time{}).Differs(sale); differs != "" {
		c.status, c.note = ResultConflict, string(differs)
		return c, nil
	}
	err = rd.record(rd.actor, rd.now, ActionInquiryAnswered, OutcomeSuccess, about{
		store: &store, sale: &sale, caseID: c.caseID, after: map[string]any{"standing": rd.r.Standing},
	})
	if err != nil {
		return c, err
	}
	if err := m.Answered(); err != nil {
		return c, err
	}
	switch rd.r.Standing {
	case StandingCanceled, StandingCharged:
		askedAt, err := m.AskedAt(rd.r, key)
		if err != nil {
			return c, err
		}
		ruling, err := m.Apply(ctx, InquiryAnswered(rd.actor, rd.r, askedAt))
		return concluded(m, ruling), err
	case StandingReversalPending:
		// Clears with the terminal's next transaction: ask again after it.
		c.status, c.note = ResultIgnored, noteReversalPending
	case StandingReversed, StandingDeclined:
		// Not charged, but not by a cancellation: a supervisor reads it.
		c.status, c.note = ResultConflict, "standing"+string(rd.r.Standing)
	default:
		c.status, c.note = ResultUnmatched, "unknownStanding"
	}
	return c, nil
}

// noteReversalPending marks the result of an inquiry that said so.
const noteReversalPending = "reversalPending"

// inquireAgain asks about doubts whose reversal was pending: it clears with the
// terminal's next transaction, which has just come. It is the last that a reading
// does, and goes by the cases' numbers: two readings that wait for the same task
// hold their sales by then, and none waits in a circle.
func (rd *reading) inquireAgain(ctx context.Context) error {
	switch rd.r.Kind {
	case ResultCancellation, ResultAbandoned, ResultSale:
	default:
		return nil
	}
	if !rd.CanInquire() {
		return nil
	}
	var pending []Cancellation
	err := rd.Model(&Cancellation{}).Where(`serial_of.serial_number = ? AND cancellations.state = ?
		AND EXISTS (SELECT FROM results r WHERE r.cancellation_id = cancellations.id AND r.note = ?)`, rd.r.SerialNumber, Unknown, noteReversalPending).
		Joins("JOIN terminals serial_of ON serial_of.id = cancellations.terminal_id").Select("cancellations.id").Order("cancellations.id").Find(&pending).Error
	if err != nil {
		return fmt.Errorf("look for pending reversals: %w", err)
	}
	for _, c := range pending {
		if err := rd.EnqueueInquiry(ctx, rd.tx, c.ID); err != nil {
			return err
		}
	}
	return nil
}
