// Package notices owns what a store can give to the customer of a sale: its status, and
// never more than is known. It must not know how a cancellation moves.
package notices

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"veinte/models"
	"veinte/models/audit"
	"veinte/models/cancellations"
	"veinte/models/database"
)

// Status is the status of the cancellation on a customer notice: no more than
// is known at the instant when it is drawn.
type Status string

// The statuses. Only the first four state that the sale is canceled, each by the
// evidence for it.
const (
	Canceled     Status = "canceled"     // confirmed by the terminal
	Seen         Status = "seen"         // a person saw the terminal's ticket
	Reported     Status = "reported"     // the provider's report lists it as canceled
	Acknowledged Status = "acknowledged" // acknowledged by the service; the merchant's setting counts that
	Disputed     Status = "disputed"     // canceled by one piece of evidence, and another contradicts it
	Doubt        Status = "doubt"        // sent, unknown outcome
	Sent         Status = "sent"         // sent, no result of the terminal yet
	Waiting      Status = "waiting"      // requested, nothing sent so far
	Rejected     Status = "rejected"     // refused
	Charged      Status = "charged"      // verified: still charged
	NotSent      Status = "notSent"      // requested, but never sent
	Withdrawn    Status = "takenBack"    // withdrawn before it was sent
	TooLate      Status = "tooLate"      // requested after the window had closed, and refused
	NotRequested Status = "notAsked"     // not requested
)

// Statuses lists the statuses.
var Statuses = []Status{
	Canceled, Seen, Reported, Acknowledged, Disputed, Doubt, Sent,
	Waiting, Rejected, Charged, NotSent, Withdrawn, TooLate, NotRequested,
}

// Notice is what the store can give to the customer of a sale.
type Notice struct {
	Sale        models.Sale
	Store       models.Store
	Terminal    models.Terminal
	Status      Status
	RequestedAt *time.Time // when the store requested it; nil when nobody did here
	Since       *time.Time // since when the status applies; nil where nothing happened
	Closed      bool       // the window has closed: it cannot be requested again
}

// Sales reads everything known about a sale that the actor may see.
type Sales interface {
	SaleDetail(ctx context.Context, actor models.Actor, saleID int64) (*cancellations.SaleDetail, error)
}

// Service makes notices.
type Service struct {
	db     *database.DB
	clock  models.Clock
	window func() models.Window
	sales  Sales
}

// New makes the service.
func New(db *database.DB, clock models.Clock, window func() models.Window, sales Sales) *Service {
	return &Service{db: db, clock: clock, window: window, sales: sales}
}

// Issue returns the notice of a sale as of now, and records it in the trail: the
// printed document leaves the merchant.
//
// Errors: ErrNotFound, also for a sale of a store outside the actor's scope.
func (s *Service) Issue(ctx context.Context, actor models.Actor, saleID int64) (*Notice, error) {
	known, err := s.sales.SaleDetail(ctx, actor, saleID)
	if err != nil {
		return nil, err
	}
	notice := Notice{Sale: known.Sale, Store: known.Store, Terminal: known.Terminal}
	c := deciding(known)
	notice.Status = statusOf(&notice.Sale, c)
	id := int64(0)
	if c != nil {
		id = c.ID
		notice.Since = &c.ChangedAt
		if c.Origin == models.FromPerson {
			notice.RequestedAt = &c.RequestedAt
		}
	}
	notice.Closed = !s.window().Open(&notice.Sale, s.clock.Now())
	if notice.Status == NotRequested && notice.Closed {
		if err := s.askedTooLate(ctx, &notice); err != nil {
			return nil, err
		}
	}
	err = s.db.InTx(ctx, func(t database.Tx) error {
		return audit.Record(t, actor, s.clock.Now(), models.ActionNoticeShown, models.OutcomeSuccess, audit.About{
			Store: &notice.Store, Sale: &notice.Sale, CancellationID: id, After: map[string]any{"told": notice.Status},
		})
	})
	if err != nil {
		return nil, fmt.Errorf("record notice of sale %d: %w", saleID, err)
	}
	return &notice, nil
}

// askedTooLate finds when a request was first refused because the window had closed.
// No cancellation is created for it, so it is read from the trail.
func (s *Service) askedTooLate(ctx context.Context, notice *Notice) error {
	var at *time.Time
	err := s.db.QueryRow(ctx, `SELECT min(at) FROM audit_entries
		WHERE sale_id = $1 AND action = 'cancellation.refused' AND reason = 'error.tooLate' AND at >= $2`,
		notice.Sale.ID, notice.Sale.SoldAt).Scan(&at)
	if err != nil {
		return fmt.Errorf("look for requests that came too late, of sale %d: %w", notice.Sale.ID, err)
	}
	if at != nil {
		notice.Status, notice.RequestedAt, notice.Since = TooLate, at, at
	}
	return nil
}

// deciding returns the cancellation that determines the state of a sale; nil when
// there is none. A late confirmation of an old request takes precedence over the
// requests after it.
func deciding(known *cancellations.SaleDetail) *models.Cancellation {
	for _, c := range slices.Backward(known.Cancellations) {
		if known.Sale.State != models.SaleConfirmed || c.State == models.Confirmed {
			return &c.Cancellation
		}
	}
	return nil
}

// statusOf returns the status for a cancellation. Anything that is not known to
// be evidence is a doubt.
func statusOf(sale *models.Sale, c *models.Cancellation) Status {
	switch {
	case c == nil && sale.State == models.SaleCancelable:
		return NotRequested
	case c == nil:
		return Doubt
	case c.State != models.Confirmed && c.Conflict == models.ConflictSentLate && c.ReviewedAt == nil:
		return Doubt // its terminal may still act
	case c.State == models.Confirmed && disputed(c.Conflict):
		return Disputed
	case c.State == models.Confirmed:
		return cmp.Or(confirmedStatuses[c.Detail], Disputed)
	case c.State == models.Withdrawn && c.Detail == models.DetailWithdrawn:
		return Withdrawn
	}
	return cmp.Or(statusOfState[c.State], Doubt)
}

// disputed reports whether something contradicts a confirmed cancellation. Confirmed
// late, sent late, or canceled on the terminal, is no contradiction.
func disputed(c models.Conflict) bool {
	return c != "" && c != models.ConflictLatePositive && c != models.ConflictWithoutCancellation && c != models.ConflictSentLate
}

var (
	statusOfState = map[models.State]Status{
		models.Requested: Waiting, models.Sending: Sent, models.Accepted: Sent, models.Rejected: Rejected,
		models.NotCanceled: Charged, models.Expired: NotSent, models.Withdrawn: NotSent,
	}
	confirmedStatuses = map[models.Detail]Status{ // by the evidence for it
		models.DetailTerminalConfirmed: Canceled, models.DetailCanceledOnTerminal: Canceled,
		models.DetailInquiryCanceled:  Canceled,
		models.DetailResolvedCanceled: Seen, models.DetailReconciledCanceled: Reported,
		models.DetailAckMeansCanceled: Acknowledged,
	}
)
