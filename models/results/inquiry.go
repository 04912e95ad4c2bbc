package results

import (
	"context"
	"fmt"
	"time"

	"veinte/models"
	"veinte/models/audit"
	"veinte/models/evidence"
)

// readInquiry reads the answer to an inquiry: the current state of the sale.
func (rd *reading) readInquiry(ctx context.Context) (conclusion, error) {
	m := rd.of.match
	if m == nil {
		return conclusion{status: models.ResultUnmatched, note: rd.of.why}, nil
	}
	sale, store := m.Sale(), m.Store()
	c := conclusion{saleID: sale.ID, cancellationID: m.Cancellation().ID}
	if differs := evidence.InquiryAnswered(rd.actor, rd.r, time.Time{}).Differs(sale); differs != "" {
		c.status, c.note = models.ResultConflict, string(differs)
		return c, nil
	}
	askedAt, err := m.Answered(rd.r, rd.of.key)
	if err != nil {
		return c, err
	}
	if !askedAt.IsZero() {
		err = audit.Record(rd.Tx, rd.actor, rd.at(), models.ActionInquiryAnswered, models.OutcomeSuccess, audit.About{
			Store: &store, Sale: &sale, CancellationID: c.cancellationID, After: map[string]any{"standing": rd.r.Standing},
		})
		if err == nil {
			err = rd.decideClaims(m, askedAt)
		}
		if err != nil {
			return c, err
		}
	}
	switch rd.r.Standing {
	case models.StandingCanceled, models.StandingCharged:
		ruling, err := m.Apply(ctx, evidence.InquiryAnswered(rd.actor, rd.r, askedAt))
		return concluded(m, ruling), err
	case models.StandingReversalPending:
		// It clears with the terminal's next transaction: inquire again after it.
		c.status, c.note = models.ResultIgnored, noteReversalPending
	case models.StandingReversed, models.StandingDeclined:
		// Not charged, but not by a cancellation: a supervisor reviews it.
		c.status, c.note = models.ResultConflict, "standing"+string(rd.r.Standing)
	default:
		c.status, c.note = models.ResultUnmatched, "unknownStanding"
	}
	return c, nil
}

// decideClaims stores what the answer says of the posts that claimed, without proof,
// that the sale is canceled: all of them were right, or those before the question
// were not. A reversal that is pending decides nothing.
func (rd *reading) decideClaims(m *match, askedAt time.Time) error {
	switch rd.r.Standing {
	case models.StandingCanceled:
		return m.ConfirmClaims()
	case models.StandingCharged, models.StandingReversed, models.StandingDeclined:
		return m.RefuteClaims(askedAt)
	}
	return nil
}

// noteReversalPending marks an inquiry's result with a pending reversal.
const noteReversalPending = "reversalPending"

// inquireAgain inquires again about doubts whose reversal was pending: it clears
// with the terminal's next transaction, which has just arrived. It is the last step
// of a reading, and processes the cancellations in the order of their ids. Two
// readings that wait for the same task have locked their sales by then, so there is
// no deadlock.
func (rd *reading) inquireAgain(ctx context.Context) error {
	switch rd.r.Kind {
	case models.ResultCancellation, models.ResultAbandoned, models.ResultSale:
	default:
		return nil
	}
	if !rd.s.cancellations.CanInquire() || namesAnother(rd.r) {
		return nil
	}
	var pending []models.Cancellation
	err := rd.Table("cancellations c").Select("c.id").Joins("JOIN terminals t ON t.id = c.terminal_id").
		Where(`t.serial_number = ? AND c.state = ? AND EXISTS (SELECT FROM results r WHERE r.cancellation_id = c.id AND r.note = ?)`,
			rd.r.SerialNumber, models.Unknown, noteReversalPending).Order("c.id").Find(&pending).Error
	if err != nil {
		return fmt.Errorf("look for pending reversals: %w", err)
	}
	for _, c := range pending {
		if err := rd.s.cancellations.EnqueueInquiry(ctx, rd.Tx, c.ID); err != nil {
			return err
		}
	}
	return nil
}
