package models

import (
	"context"
	"fmt"
	"strings"
)

// match is the sale, and where it is known the attempt, that a result is about.
type match struct {
	*Held
	attempt int // number of the attempt that the result carries; 0 when it carries none
}

// readCancellation reads a cancellation's result, or an operation that the user
// left on the terminal: the same thing with a negative end.
func (rd *reading) readCancellation(ctx context.Context) (conclusion, error) {
	m, why, err := rd.match()
	if err != nil {
		return conclusion{}, err
	}
	if m == nil {
		if rd.r.Kind == ResultAbandoned {
			// A sale that somebody gave up: nothing of ours.
			return conclusion{status: ResultIgnored, note: "abandonedElsewhere"}, nil
		}
		return conclusion{status: ResultUnmatched, note: why}, nil
	}
	ruling, err := m.Apply(ctx, TerminalSaid(rd.actor, rd.r, m.attempt))
	return concluded(m, ruling), err
}

// concluded is what a result came to by what its evidence did.
func concluded(m *match, r Ruling) conclusion {
	c := conclusion{saleID: m.Sale().ID, caseID: m.Cancellation().ID, attempt: m.attempt}
	switch {
	case r.To != "":
		c.status, c.note = ResultApplied, string(r.To)
	case r.Conflict != "":
		c.status, c.note = ResultConflict, string(r.Conflict)
	case r.Why == WhyKnown:
		c.status, c.note = ResultDuplicate, string(Confirmed)
	case r.Why == WhyNoDoubt:
		c.status, c.note = ResultIgnored, "charged"
	default:
		c.status, c.note = ResultIgnored, string(r.Why)
	}
	return c
}

// match finds what the result is about: by the attempt id it carries, else by
// order and terminal, else by folio and terminal. It returns nil and why when
// there is nothing, or when an attempt id of ours is not one that we gave.
func (rd *reading) match() (*match, string, error) {
	if rd.r.KeyHash != "" {
		return rd.matchAttempt()
	}
	q := rd.Where("serial_number = ?", rd.r.SerialNumber)
	switch {
	case rd.r.OrderID != "":
		q = q.Where("order_id = ?", rd.r.OrderID)
	case rd.r.Folio != "" && !strings.Contains(rd.r.Folio, masked) && rd.r.Kind == ResultCancellation:
		q = q.Where("folio = ?", rd.r.Folio)
	default:
		return nil, "nothingToMatch", nil
	}
	var sales []Sale
	if err := q.Limit(2).Find(&sales).Error; err != nil {
		return nil, "", fmt.Errorf("match sale: %w", err)
	}
	switch len(sales) {
	case 0:
		return nil, "noSuchSale", nil
	case 2:
		return nil, "severalSales", nil
	}
	l, err := rd.Hold(rd.tx, sales[0].ID)
	if err != nil {
		return nil, "", err
	}
	if err := l.Latest(); err != nil && err != ErrNotFound {
		return nil, "", err
	}
	return &match{Held: l}, "", nil
}

// masked is how the results door writes what must not be kept. Two folios of
// which nothing else is left are not the same folio.
const masked = "***"

func (rd *reading) matchAttempt() (*match, string, error) {
	var a Attempt
	err := take(rd.Where("key_hash = ?", rd.r.KeyHash), &a)
	if err == ErrNotFound {
		return nil, "unknownAttempt", nil
	}
	if err != nil {
		return nil, "", err
	}
	l, err := rd.HoldCase(rd.tx, a.CancellationID)
	if err != nil {
		return nil, "", err
	}
	return &match{Held: l, attempt: a.Number}, "", nil
}
