package cancellations

import (
	"cmp"
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
	Sale        models.Sale
	Store       models.Store
	Terminal    models.Terminal
	Status      NoticeStatus
	RequestedAt *time.Time // when the store requested it; nil when nobody did here
	Since       *time.Time // since when the status applies; nil where nothing happened
	Closed      bool       // the window has closed: it cannot be requested again
}

// CustomerNotice returns the notice of a sale as of now, and records it in the
// trail: the printed document leaves the merchant.
//
// Errors: ErrNotFound, also for a sale of a store outside the actor's scope.
func (s *Service) CustomerNotice(ctx context.Context, actor models.Actor, saleID int64) (*CustomerNotice, error) {
	var notice CustomerNotice
	all, err := s.readSale(ctx, actor, saleID, &notice.Sale, &notice.Store, &notice.Terminal)
	if err != nil {
		return nil, err
	}
	c := isFinal(&notice.Sale, all)
	notice.Status = noticeStatus(&notice.Sale, c)
	id := int64(0)
	if c != nil {
		id = c.ID
		notice.Since = &c.ChangedAt
		if c.Origin == models.FromPerson {
			notice.RequestedAt = &c.RequestedAt
		}
	}
	notice.Closed = !s.config.Rules.Window().Open(&notice.Sale, s.config.Clock.Now())
	if notice.Status == NoticeNotRequested && notice.Closed {
		if err := s.askedTooLate(ctx, &notice); err != nil {
			return nil, err
		}
	}
	err = s.config.DB.InTx(ctx, func(t database.Tx) error {
		return audit.Record(t, actor, s.config.Clock.Now(), models.ActionNoticeShown, models.OutcomeSuccess, audit.About{
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
func (s *Service) askedTooLate(ctx context.Context, notice *CustomerNotice) error {
	var at *time.Time
	err := s.config.DB.Pool().QueryRow(ctx, `SELECT min(at) FROM audit_entries
		WHERE sale_id = $1 AND action = 'cancellation.refused' AND reason = 'error.tooLate' AND at >= $2`,
		notice.Sale.ID, notice.Sale.SoldAt).Scan(&at)
	if err != nil {
		return fmt.Errorf("look for requests that came too late, of sale %d: %w", notice.Sale.ID, err)
	}
	if at != nil {
		notice.Status, notice.RequestedAt, notice.Since = NoticeTooLate, at, at
	}
	return nil
}

// isFinal returns the cancellation that determines the state of a sale; nil when
// there is none. A late confirmation of an old request takes precedence over the
// requests after it.
func isFinal(sale *models.Sale, all []models.Cancellation) *models.Cancellation {
	for _, c := range slices.Backward(all) {
		if sale.State != models.SaleConfirmed || c.State == models.Confirmed {
			return &c
		}
	}
	return nil
}

// noticeStatus returns the status for a cancellation. Anything that is not known to
// be evidence is a doubt.
func noticeStatus(sale *models.Sale, c *models.Cancellation) NoticeStatus {
	switch {
	case c == nil && sale.State == models.SaleCancelable:
		return NoticeNotRequested
	case c == nil:
		return NoticeDoubt
	case c.State == models.Confirmed && disputed(c.Conflict):
		return NoticeDisputed
	case c.State == models.Confirmed:
		return cmp.Or(confirmedStatuses[c.Detail], NoticeDisputed)
	case c.State == models.Withdrawn && c.Detail == models.DetailWithdrawn:
		return NoticeWithdrawn
	}
	return cmp.Or(statusOfState[c.State], NoticeDoubt)
}

// disputed reports whether something contradicts a confirmed cancellation. Confirmed
// late, or canceled on the terminal, is no contradiction.
func disputed(c models.Conflict) bool {
	return c != "" && c != models.ConflictLatePositive && c != models.ConflictWithoutCancellation
}

var (
	statusOfState = map[models.State]NoticeStatus{
		models.Requested: NoticeWaiting, models.Sending: NoticeSent, models.Accepted: NoticeSent, models.Rejected: NoticeRejected,
		models.NotCanceled: NoticeCharged, models.Expired: NoticeNotSent, models.Withdrawn: NoticeNotSent,
	}
	confirmedStatuses = map[models.Detail]NoticeStatus{ // by the evidence for it
		models.DetailTerminalConfirmed: NoticeCanceled, models.DetailCanceledOnTerminal: NoticeCanceled,
		models.DetailInquiryCanceled:  NoticeCanceled,
		models.DetailResolvedCanceled: NoticeSeen, models.DetailReconciledCanceled: NoticeReported,
		models.DetailAckMeansCanceled: NoticeAcknowledged,
	}
)
