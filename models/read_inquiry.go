package models

import (
	"context"
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
	c := conclusion{saleID: m.sale.ID, caseID: m.c.ID}
	if differs := rd.differs(m); differs != "" {
		c.status, c.note = ResultConflict, string(differs)
		return c, nil
	}
	err = rd.record(rd.actor, rd.now, ActionInquiryAnswered, OutcomeSuccess, about{
		store: &m.store, sale: &m.sale, caseID: m.c.ID, after: map[string]any{"standing": rd.r.Standing},
	})
	if err != nil {
		return c, err
	}
	if err := rd.answered(m.c.ID); err != nil {
		return c, err
	}
	switch rd.r.Standing {
	case StandingCanceled:
		return rd.positive(ctx, m, c, DetailInquiryCanceled)
	case StandingCharged:
		return rd.charged(ctx, m, c, key)
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

// charged: the sale is not canceled now. That settles a doubt only once the
// terminal can no longer act on the push, and only as the answer to a question
// put after that.
func (rd *reading) charged(ctx context.Context, m *match, c conclusion, key string) (conclusion, error) {
	switch {
	case m.c.State == Confirmed:
		c.status, c.note = ResultConflict, string(ConflictStillCharged)
		return c, rd.raise(m.Held, rd.actor, rd.now, ConflictStillCharged, 0)
	case m.c.State != Unknown:
		c.status, c.note = ResultIgnored, "charged"
		return c, nil
	case quietLeft(&m.c, rd.Waits(), rd.r.ReceivedAt) > 0:
		c.status, c.note = ResultIgnored, "tooEarly"
		return c, nil
	}
	var quietEnd time.Time
	if m.c.LastPushAt != nil {
		quietEnd = m.c.quietEnd(rd.Waits().Quiet)
	}
	asked, err := rd.askedSince(m.c.ID, key, quietEnd)
	if err != nil || !asked {
		c.status, c.note = ResultIgnored, "notAsked"
		return c, err
	}
	c.status, c.note = ResultApplied, "notCanceled"
	return c, rd.Cancellations.move(ctx, m.Held, rd.actor, rd.now, move{to: NotCanceled, detail: DetailInquiryCharged})
}
