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

// NoticeStatus is what a slip tells a customer of the cancellation of their sale: no
// more than is known at the instant at which it is drawn.
type NoticeStatus string

// What can be told. Only the first four say that the sale is canceled, each with
// the evidence there is for it.
const (
	NoticeCanceled     NoticeStatus = "canceled"     // the terminal said so
	NoticeSeen         NoticeStatus = "seen"         // a person saw the terminal's ticket
	NoticeReported     NoticeStatus = "reported"     // the provider's report says so
	NoticeAcknowledged NoticeStatus = "acknowledged" // the service took it; the merchant's setting counts that
	NoticeDisputed     NoticeStatus = "disputed"     // canceled by one thing, and another contradicts it
	NoticeDoubt        NoticeStatus = "doubt"        // sent, and nobody knows
	NoticeSent         NoticeStatus = "sent"         // sent, the terminal has yet to answer
	NoticeWaiting      NoticeStatus = "waiting"      // asked for, nothing sent so far
	NoticeRejected     NoticeStatus = "rejected"     // refused
	NoticeCharged      NoticeStatus = "charged"      // checked: still charged
	NoticeNotSent      NoticeStatus = "notSent"      // asked for, and it never left
	NoticeWithdrawn    NoticeStatus = "takenBack"    // asked for, and taken back before it left
	NoticeTooLate      NoticeStatus = "tooLate"      // asked for when the window had closed, and so not taken
	NoticeNotRequested NoticeStatus = "notAsked"     // nobody has asked for it
)

// NoticeStatuses lists what can be told.
var NoticeStatuses = []NoticeStatus{
	NoticeCanceled, NoticeSeen, NoticeReported, NoticeAcknowledged, NoticeDisputed, NoticeDoubt, NoticeSent,
	NoticeWaiting, NoticeRejected, NoticeCharged, NoticeNotSent, NoticeWithdrawn, NoticeTooLate, NoticeNotRequested,
}

// CustomerNotice is what the store can hand to the customer of a sale.
type CustomerNotice struct {
	Sale     models.Sale
	Store    models.Store
	Terminal models.Terminal
	Told     NoticeStatus
	AskedAt  *time.Time // when the store asked for it; nil when nobody did here
	Since    *time.Time // since when that is so; nil where nothing happened
	Closed   bool       // the window has closed: it cannot be asked for again
}

// CustomerNotice returns what a customer may be told now, and records that it was told:
// like any other paper it leaves the house.
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

// askedTooLate says when somebody first asked and was refused because the window
// had closed. No case is made of that; the trail knows.
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

// isFinal is the case that says how it stands with a sale; nil when there is
// none. A late yes to an old request outlives the requests after it.
func isFinal(sale *models.Sale, cases []models.Cancellation) *models.Cancellation {
	for _, c := range slices.Backward(cases) {
		if sale.State != models.SaleConfirmed || c.State == models.Confirmed {
			return &c
		}
	}
	return nil
}

// noticeStatus puts a case into the words that can be kept. What is not known to be
// evidence is a doubt.
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
	// Late, or begun on the terminal, is no contradiction: it is canceled.
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
