package results

import (
	"context"
	"fmt"

	"veinte/models"
	"veinte/models/cancellations"
	"veinte/models/database"
	"veinte/models/evidence"
)

// match is the sale and, where it is known, the attempt that a result is about.
type match struct {
	*cancellations.Held
	attempt int // number of the attempt that identifies the result; 0 when none does
}

// readCancellation reads a cancellation's result, or an operation that the user left
// on the terminal, which is a negative result.
func (rd *reading) readCancellation(ctx context.Context) (conclusion, error) {
	m := rd.of.match
	if m == nil {
		if rd.r.Kind == models.ResultAbandoned {
			// A sale that was abandoned on the terminal: not one of ours.
			return conclusion{status: models.ResultIgnored, note: "abandonedElsewhere"}, nil
		}
		return conclusion{status: models.ResultUnmatched, note: rd.of.why}, nil
	}
	ruling, err := m.Apply(ctx, evidence.TerminalSaid(rd.actor, rd.r, m.attempt))
	return concluded(m, ruling), err
}

// concluded returns a result's conclusion from the effect of its evidence.
func concluded(m *match, r evidence.Ruling) conclusion {
	c := conclusion{saleID: m.Sale().ID, cancellationID: m.Cancellation().ID, attempt: m.attempt}
	switch {
	case r.To != "":
		c.status, c.note = models.ResultApplied, string(r.To)
	case r.Conflict != "":
		c.status, c.note = models.ResultConflict, string(r.Conflict)
	case r.Ask != "":
		c.status, c.note = models.ResultIgnored, cancellations.NoteAsked
	case r.Why == evidence.WhyKnown:
		c.status, c.note = models.ResultDuplicate, string(models.Confirmed)
	case r.Why == evidence.WhyNoDoubt:
		c.status, c.note = models.ResultIgnored, "charged"
	default:
		c.status, c.note = models.ResultIgnored, string(r.Why)
	}
	return c
}

// match finds what the result is about, and locks its sale: by its attempt id, else by
// order and terminal. It returns nil and the reason when it finds nothing, or when the
// attempt id looks like ours and was never issued.
func (rd *reading) match() (*match, string, error) {
	if rd.r.KeyHash != "" {
		return rd.matchAttempt()
	}
	if rd.r.OrderID == "" {
		return nil, "nothingToMatch", nil
	}
	var sales []models.Sale
	err := rd.Where("serial_number = ? AND order_id = ?", rd.r.SerialNumber, rd.r.OrderID).Limit(2).Find(&sales).Error
	if err != nil {
		return nil, "", fmt.Errorf("match sale: %w", err)
	}
	switch len(sales) {
	case 0:
		return nil, "noSuchSale", nil
	case 2:
		return nil, "severalSales", nil
	}
	l, err := rd.s.cancellations.Hold(rd.Tx, sales[0].ID)
	if err != nil {
		return nil, "", err
	}
	if err := l.Latest(); err != nil && err != models.ErrNotFound {
		return nil, "", err
	}
	m := &match{Held: l}
	if rd.r.OwnAddress && rd.r.Kind == models.ResultCancellation && rd.r.Approved() {
		// The address says who speaks, and there is one thing it can speak of.
		m.attempt, err = l.OnlyAttempt(rd.r.ReceivedAt)
	}
	return m, "", err
}

func (rd *reading) matchAttempt() (*match, string, error) {
	var a models.Attempt
	err := database.TakeRow(rd.Where("key_hash = ?", rd.r.KeyHash), &a)
	if err == models.ErrNotFound {
		return nil, "unknownAttempt", nil
	}
	if err != nil {
		return nil, "", err
	}
	l, err := rd.s.cancellations.HoldCancellation(rd.Tx, a.CancellationID)
	if err != nil {
		return nil, "", err
	}
	return &match{Held: l, attempt: a.Number}, "", nil
}
