package cancellations

import (
	"context"
	"fmt"
	"slices"
	"time"

	"veinte/models"
	"veinte/models/audit"
	"veinte/models/database"
)

// NoticeStatus is the status of the cancellation on a customer notice: no more than
// is known at the instant when it is drawn.
type NoticeStatus string

// The statuses. Only the first four state that the sale is canceled, each by the
// evidence for it.
const (
	NoticeCanceled     NoticeStatus = "canceled"     // confirmed by the terminal
	NoticeSeen         NoticeStatus = "seen"         // a person saw the terminal's ticket
	NoticeReported     NoticeStatus = "reported"     // the provider's report lists it as canceled
	NoticeAcknowledged NoticeStatus = "acknowledged" // acknowledged by the service; the merchant's setting counts that
	NoticeDisputed     NoticeStatus = "disputed"     // canceled by one piece of evidence, and another contradicts it
	NoticeDoubt        NoticeStatus = "doubt"        // sent, unknown outcome
	NoticeSent         NoticeStatus = "sent"         // sent, no result of the terminal yet
	NoticeWaiting      NoticeStatus = "waiting"      // requested, nothing sent so far
	NoticeRejected     NoticeStatus = "rejected"     // refused
	NoticeCharged      NoticeStatus = "charged"      // verified: still charged
	NoticeNotSent      NoticeStatus = "notSent"      // requested, but never sent
	NoticeWithdrawn    NoticeStatus = "takenBack"    // withdrawn before it was sent
	NoticeTooLate      NoticeStatus = "tooLate"      // requested after the window had closed, and refused
	NoticeNotRequested NoticeStatus = "notAsked"     // not requested
)

// NoticeStatuses lists the statuses.
var NoticeStatuses = []NoticeStatus{
	NoticeCanceled, NoticeSeen, NoticeReported, NoticeAcknowledged, NoticeDisputed, NoticeDoubt, NoticeSent,
	NoticeWaiting, NoticeRejected, NoticeCharged, NoticeNotSent, NoticeWithdrawn, NoticeTooLate, NoticeNotRequested,
}

// CustomerNotice is what the store can give to the customer of a sale.
type CustomerNotice struct {
	Sale     models.Sale
	Store    models.Store
	Terminal models.Terminal
	Told     NoticeStatus
	AskedAt  *time.Time // when the store requested it; nil when nobody did here
	Since    *time.Time // since when the status applies; nil where nothing happened
	Closed   bool       // the window has closed: it cannot be requested again
}

// CustomerNotice returns the notice of a sale as of now, and records it in the
// trail: the printed document leaves the merchant.
//
// Errors: ErrNotFound, also for a sale of a store outside the actor's scope.
func (s *Service) CustomerNotice(ctx context.Context, actor models.Actor, saleID int64) (*CustomerNotice, error) {
	g := s.db.Gorm().WithContext(ctx)
	var slip CustomerNotice
	if err := database.TakeRow(g.Where("id = ?", saleID), &slip.Sale); err != nil {
		return nil, err
	}
	if !actor.Sees(slip.Sale.StoreID) {
		return nil, models.ErrNotFound
	}
	if err := database.TakeRow(g.Where("id = ?", slip.Sale.StoreID), &slip.Store); err != nil {
		return nil, err
	}
	if err := database.TakeRow(g.Where("id = ?", slip.Sale.TerminalID), &slip.Terminal); err != nil {
		return nil, err
	}
	var cases []models.Cancellation
	if err := g.Where("sale_id = ?", saleID).Order("id").Find(&cases).Error; err != nil {
		return nil, fmt.Errorf("list cases of sale %d: %w", saleID, err)
	}
	c := isFinal(&slip.Sale, cases)
	slip.Told = noticeStatus(&slip.Sale, c)
	caseID := int64(0)
	if c != nil {
		caseID = c.ID
		slip.Since = &c.ChangedAt
		if c.Origin == models.FromPerson {
			slip.AskedAt = &c.RequestedAt
		}
	}
	slip.Closed = !s.rules.Window().Open(&slip.Sale, s.clock.Now())
	if slip.Told == NoticeNotRequested && slip.Closed {
		if err := s.askedTooLate(ctx, &slip); err != nil {
			return nil, err
		}
	}
	err := s.db.InTx(ctx, func(t database.Tx) error {
		return audit.Record(t, actor, s.clock.Now(), models.ActionNoticeShown, models.OutcomeSuccess, audit.About{
			Store: &slip.Store, Sale: &slip.Sale, CancellationID: caseID, After: map[string]any{"told": slip.Told},
		})
	})
	if err != nil {
		return nil, fmt.Errorf("record slip of sale %d: %w", saleID, err)
	}
	return &slip, nil
}

// askedTooLate finds when a request was first refused because the window had closed.
// No cancellation is created for it, so it is read from the trail.
func (s *Service) askedTooLate(ctx context.Context, slip *CustomerNotice) error {
	var at *time.Time
	err := s.db.Pool().QueryRow(ctx, `SELECT min(at) FROM audit_entries
		WHERE sale_id = $1 AND action = 'cancellation.refused' AND reason = 'error.tooLate' AND at >= $2`, slip.Sale.ID, slip.Sale.SoldAt).Scan(&at)
	if err != nil {
		return fmt.Errorf("look for requests that came too late, of sale %d: %w", slip.Sale.ID, err)
	}
	if at != nil {
		slip.Told, slip.AskedAt, slip.Since = NoticeTooLate, at, at
	}
	return nil
}

// isFinal returns the cancellation that determines the state of a sale; nil when
// there is none. A late confirmation of an old request takes precedence over the
// requests after it.
func isFinal(sale *models.Sale, cases []models.Cancellation) *models.Cancellation {
	for _, c := range slices.Backward(cases) {
		if sale.State != models.SaleConfirmed || c.State == models.Confirmed {
			return &c
		}
	}
	return nil
}

// noticeStatus returns the status for a cancellation. Anything that is not known to
// be evidence is a doubt.
func noticeStatus(sale *models.Sale, c *models.Cancellation) NoticeStatus {
	if c == nil {
		if sale.State == models.SaleCancelable {
			return NoticeNotRequested
		}
		return NoticeDoubt
	}
	switch c.State {
	case models.Confirmed:
		return confirmedStatus(c)
	case models.Requested:
		return NoticeWaiting
	case models.Sending, models.Accepted:
		return NoticeSent
	case models.Rejected:
		return NoticeRejected
	case models.NotCanceled:
		return NoticeCharged
	case models.Expired:
		return NoticeNotSent
	case models.Withdrawn:
		if c.Detail == models.DetailWithdrawn {
			return NoticeWithdrawn
		}
		return NoticeNotSent
	}
	return NoticeDoubt
}

func confirmedStatus(c *models.Cancellation) NoticeStatus {
	// Confirmed late, or canceled on the terminal, is no contradiction: it is
	// canceled.
	if c.Conflict != "" && c.Conflict != models.ConflictLatePositive && c.Conflict != models.ConflictWithoutCancellation {
		return NoticeDisputed
	}
	switch c.Detail {
	case models.DetailTerminalConfirmed, models.DetailCanceledOnTerminal, models.DetailInquiryCanceled:
		return NoticeCanceled
	case models.DetailResolvedCanceled:
		return NoticeSeen
	case models.DetailReconciledCanceled:
		return NoticeReported
	case models.DetailAckMeansCanceled:
		return NoticeAcknowledged
	}
	return NoticeDisputed
}
