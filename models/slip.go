package models

import (
	"context"
	"fmt"
	"slices"
	"time"
)

// SlipTold is what a slip tells a customer of the cancellation of their sale: no
// more than is known at the instant at which it is drawn.
type SlipTold string

// What can be told. Only the first four say that the sale is canceled, each with
// the evidence there is for it.
const (
	SlipCanceled     SlipTold = "canceled"     // the terminal said so
	SlipSeen         SlipTold = "seen"         // a person saw the terminal's ticket
	SlipReported     SlipTold = "reported"     // the provider's report says so
	SlipAcknowledged SlipTold = "acknowledged" // the service took it; the merchant's setting counts that
	SlipDisputed     SlipTold = "disputed"     // canceled by one thing, and another contradicts it
	SlipDoubt        SlipTold = "doubt"        // sent, and nobody knows
	SlipSent         SlipTold = "sent"         // sent, the terminal has yet to answer
	SlipWaiting      SlipTold = "waiting"      // asked for, nothing sent so far
	SlipRejected     SlipTold = "rejected"     // refused
	SlipCharged      SlipTold = "charged"      // checked: still charged
	SlipNotSent      SlipTold = "notSent"      // asked for, and it never left
	SlipTakenBack    SlipTold = "takenBack"    // asked for, and taken back before it left
	SlipTooLate      SlipTold = "tooLate"      // asked for when the window had closed, and so not taken
	SlipNotAsked     SlipTold = "notAsked"     // nobody has asked for it
)

// SlipTolds lists what can be told.
var SlipTolds = []SlipTold{
	SlipCanceled, SlipSeen, SlipReported, SlipAcknowledged, SlipDisputed, SlipDoubt, SlipSent,
	SlipWaiting, SlipRejected, SlipCharged, SlipNotSent, SlipTakenBack, SlipTooLate, SlipNotAsked,
}

// Slip is what the store can hand to the customer of a sale.
type Slip struct {
	Sale     Sale
	Store    Store
	Terminal Terminal
	Told     SlipTold
	AskedAt  *time.Time // when the store asked for it; nil when nobody did here
	Since    *time.Time // since when that is so; nil where nothing happened
	Closed   bool       // the window has closed: it cannot be asked for again
}

// Slip returns what a customer may be told now, and records that it was told:
// like any other paper it leaves the house.
//
// Errors: ErrNotFound, also for a sale of a store outside the actor's scope.
func (s *Cancellations) Slip(ctx context.Context, actor Actor, saleID int64) (*Slip, error) {
	g := s.db.gorm.WithContext(ctx)
	var slip Slip
	if err := take(g.Where("id = ?", saleID), &slip.Sale); err != nil {
		return nil, err
	}
	if !actor.Sees(slip.Sale.StoreID) {
		return nil, ErrNotFound
	}
	if err := take(g.Where("id = ?", slip.Sale.StoreID), &slip.Store); err != nil {
		return nil, err
	}
	if err := take(g.Where("id = ?", slip.Sale.TerminalID), &slip.Terminal); err != nil {
		return nil, err
	}
	var cases []Cancellation
	if err := g.Where("sale_id = ?", saleID).Order("id").Find(&cases).Error; err != nil {
		return nil, fmt.Errorf("list cases of sale %d: %w", saleID, err)
	}
	c := decides(&slip.Sale, cases)
	slip.Told = told(&slip.Sale, c)
	caseID := int64(0)
	if c != nil {
		caseID = c.ID
		slip.Since = &c.ChangedAt
		if c.Origin == FromPerson {
			slip.AskedAt = &c.RequestedAt
		}
	}
	slip.Closed = !s.Window().Open(&slip.Sale, s.clock.Now())
	if slip.Told == SlipNotAsked && slip.Closed {
		if err := s.askedTooLate(ctx, &slip); err != nil {
			return nil, err
		}
	}
	err := s.db.transaction(ctx, func(t tx) error {
		return t.record(actor, s.clock.Now(), ActionSlipShown, OutcomeSuccess, about{
			store: &slip.Store, sale: &slip.Sale, caseID: caseID, after: map[string]any{"told": slip.Told},
		})
	})
	if err != nil {
		return nil, fmt.Errorf("record slip of sale %d: %w", saleID, err)
	}
	return &slip, nil
}

// askedTooLate says when somebody first asked and was refused because the window
// had closed. No case is made of that; the trail knows.
func (s *Cancellations) askedTooLate(ctx context.Context, slip *Slip) error {
	var at *time.Time
	err := s.db.pool.QueryRow(ctx, `SELECT min(at) FROM audit_entries
		WHERE sale_id = $1 AND action = 'cancellation.refused' AND reason = 'error.tooLate' AND at >= $2`, slip.Sale.ID, slip.Sale.SoldAt).Scan(&at)
	if err != nil {
		return fmt.Errorf("look for requests that came too late, of sale %d: %w", slip.Sale.ID, err)
	}
	if at != nil {
		slip.Told, slip.AskedAt, slip.Since = SlipTooLate, at, at
	}
	return nil
}

// decides is the case that says how it stands with a sale; nil when there is
// none. A late yes to an old request outlives the requests after it.
func decides(sale *Sale, cases []Cancellation) *Cancellation {
	for _, c := range slices.Backward(cases) {
		if sale.State != SaleConfirmed || c.State == Confirmed {
			return &c
		}
	}
	return nil
}

// told puts a case into the words that can be kept. What is not known to be
// evidence is a doubt.
func told(sale *Sale, c *Cancellation) SlipTold {
	if c == nil {
		if sale.State == SaleCancelable {
			return SlipNotAsked
		}
		return SlipDoubt
	}
	switch c.State {
	case Confirmed:
		return toldConfirmed(c)
	case Requested:
		return SlipWaiting
	case Sending, Accepted:
		return SlipSent
	case Rejected:
		return SlipRejected
	case NotCanceled:
		return SlipCharged
	case Expired:
		return SlipNotSent
	case Withdrawn:
		if c.Detail == DetailTakenBack {
			return SlipTakenBack
		}
		return SlipNotSent
	}
	return SlipDoubt
}

func toldConfirmed(c *Cancellation) SlipTold {
	// Late, or begun on the terminal, is no contradiction: it is canceled.
	if c.Conflict != "" && c.Conflict != ConflictLatePositive && c.Conflict != ConflictWithoutCase {
		return SlipDisputed
	}
	switch c.Detail {
	case DetailTerminalConfirmed, DetailCanceledOnTerminal, DetailInquiryCanceled:
		return SlipCanceled
	case DetailSettledCanceled:
		return SlipSeen
	case DetailReconciledCanceled:
		return SlipReported
	case DetailAckMeansCanceled:
		return SlipAcknowledged
	}
	return SlipDisputed
}
