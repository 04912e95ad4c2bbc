package cancellations

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"veinte/models"
	"veinte/models/audit"
	"veinte/models/cards"
	"veinte/models/crashpoint"
	"veinte/models/database"
	"veinte/models/traceability"
	"veinte/models/webhooks"
)

// CancelRequest is a person's request to cancel the whole of a sale.
type CancelRequest struct {
	SaleID      int64
	OmitReceipt bool // true: the terminal prints no receipt
	Reason      string
	Note        string
	Click       string // drawn with the form; the same click is the same cancellation
	// Traceability is the merchant's own object for the service, as JSON; "" is
	// none. It goes over the template of the sale's store.
	Traceability string
	// Seen is the amount that the person or the program saw; nil: none was stated.
	Seen *models.Money
	// TicketDate is the date on the ticket, as the person or the program read it; "" when
	// none was stated.
	TicketDate models.Day
	// FromPage is true for a page's form. A form without an amount was drawn before
	// forms had one: it is refused where the sale ever had another amount.
	FromPage bool
	// Together links the requests of one bulk request; nil: it is a single one.
	Together *audit.BulkPart
}

// Request opens a cancellation of a sale if the actor may, the window is open and no
// other cancellation is. It returns once this is committed; a job sends it. The same
// click returns the same cancellation again, in whatever state it is.
//
// Errors are *Error: ErrNotFound also for a sale of another store, ErrTooLate,
// ErrCancellationOpen, ErrAmountChanged (an *AmountChanged with both amounts), an
// *OneCharge with the other sale of the charge, ErrDayNotProven when the date on the
// ticket has to be stated, an *OtherDay, or what is wrong with a field.
func (s *Service) Request(ctx context.Context, actor models.Actor, r CancelRequest) (*models.Cancellation, error) {
	if !actor.May(models.CancelSales) {
		return nil, models.ErrForbidden
	}
	r.trim()
	err := r.check()
	if err == nil {
		r.Traceability, err = traceability.Parse(r.Traceability)
	}
	if err != nil {
		return nil, err
	}
	giveBack, err := s.saleLocks.Lock(ctx, r.SaleID)
	if err != nil {
		return nil, fmt.Errorf("wait for sale %d: %w", r.SaleID, err)
	}
	defer giveBack()
	c, err := s.request(ctx, actor, r)
	var refused *models.Error
	if errors.As(err, &refused) && !errors.As(err, new(*OtherDay)) { // that is recorded with the date
		if auditErr := s.RecordRefused(ctx, actor, r, err, refused); auditErr != nil {
			return nil, auditErr
		}
		err = models.Recorded(err)
	}
	if err != nil {
		return nil, fmt.Errorf("request cancellation of sale %d: %w", r.SaleID, err)
	}
	crashpoint.Here(crashpoint.AfterRequestCommit)
	return c, nil
}

// CheckRequest validates what is common to several requests, so that a problem is reported
// once and before anything is requested.
//
// Errors: *Error of a field.
func (s *Service) CheckRequest(ctx context.Context, r CancelRequest) error {
	r.trim()
	if err := r.check(); err != nil {
		return err
	}
	return inUse(s.config.DB.Gorm().WithContext(ctx), r.Reason)
}

// permission is what the request needs.
func (r CancelRequest) permission() models.Permission {
	if r.Together != nil {
		return models.CancelInBulk
	}
	return models.CancelSales
}

func (r *CancelRequest) trim() { r.Note = strings.TrimSpace(r.Note) }

// check validates what can be validated without the database.
func (r CancelRequest) check() error {
	switch {
	case r.Reason == "":
		return models.Invalid("reason", "reason.required")
	case r.Reason == models.ReasonOther && r.Note == "":
		return models.Invalid("note", "note.required")
	case utf8.RuneCountInString(r.Note) > 500:
		return models.Invalid("note", "field.tooLong")
	case !models.Readable(r.Note):
		return models.Invalid("note", "field.invalidText")
	case !models.Storable(r.Reason):
		return models.Invalid("reason", "reason.unknown")
	case cards.Holds(r.Note):
		return models.Invalid("note", "field.cardNumber")
	case !r.TicketDate.Valid():
		return models.Invalid("ticketDate", "date.invalid")
	case r.Click == "" || len(r.Click) > 64 || !models.Storable(r.Click):
		return models.Invalid("click", "error.badRequest")
	}
	return nil
}

func (s *Service) request(ctx context.Context, actor models.Actor, r CancelRequest) (*models.Cancellation, error) {
	var c *models.Cancellation
	var other *OtherDay
	var counted *audit.Counted
	err := s.config.DB.InTx(ctx, func(t database.Tx) error {
		l, err := s.Hold(t, r.SaleID)
		if err != nil {
			return err
		}
		if err := l.allows(&actor, r.permission()); err != nil {
			return err
		}
		again, err := l.clicked(actor, r)
		if err != nil || again != nil {
			c = again
			return err
		}
		terms, err := s.config.Rules.Terms(l.tx, l.now)
		if err != nil {
			return err
		}
		err = l.requestable(actor, r, terms)
		if errors.As(err, &other) {
			counted, err = l.refuseOtherDay(actor, r, other)
			return err // nil: commit
		}
		if err != nil {
			return err
		}
		c, err = l.open(ctx, actor, r, terms.Window)
		return err
	})
	if counted != nil {
		err = counted.Unless(err)
	}
	if err == nil && other != nil {
		err = models.Recorded(other)
	}
	return c, err
}

// clicked finds the cancellation that this click has already opened.
func (l *Held) clicked(actor models.Actor, r CancelRequest) (*models.Cancellation, error) {
	c, err := find(l.tx.Where("requested_by = ? AND click = ?", actor.UserID, r.Click))
	if err == nil && c != nil && c.SaleID != r.SaleID {
		return nil, models.Invalid("click", "error.badRequest")
	}
	return c, err
}

// open writes the cancellation, its audit entry and its tasks.
func (l *Held) open(ctx context.Context, actor models.Actor, r CancelRequest, w models.Window) (*models.Cancellation, error) {
	if err := l.Latest(); err != nil && err != models.ErrNotFound {
		return nil, err
	}
	at := l.At() // nor before the last move of the one before it
	l.c = models.Cancellation{
		SaleID: l.sale.ID, StoreID: l.sale.StoreID, TerminalID: l.sale.TerminalID,
		State: models.Requested, Version: 1, OmitReceipt: r.OmitReceipt, Reason: r.Reason, Note: r.Note,
		Origin: models.FromPerson, RequestedBy: &actor.UserID, Requester: actor.Name, RequesterRole: actor.Role, Click: r.Click,
		Traceability: r.Traceability,
		RequestedAt:  at, CutoffAt: w.Cutoff(&l.sale), ChangedAt: at,
	}
	if err := l.tx.Create(&l.c).Error; err != nil {
		// The sale is locked, so a duplicate is one click for two sales at once.
		return nil, fmt.Errorf("write cancellation: %w", database.Duplicated(err, "click", "error.badRequest"))
	}
	if l.sale.State == models.SaleNotCanceled {
		if err := l.approve(actor, approvedAgain); err != nil {
			return nil, err
		}
	}
	if err := l.showInSale(models.Requested); err != nil {
		return nil, err
	}
	after := map[string]any{
		"state": models.Requested, "printReceipt": !r.OmitReceipt, "reason": r.Reason, "source": l.sale.Source, "sequence": l.c.Version,
	}
	if r.Traceability != "" {
		after["traceability"] = r.Traceability
	}
	if l.sale.TicketDate != nil {
		after["ticketDate"] = l.sale.TicketDate
	}
	r.Together.AddAttributes(after)
	err := l.record(actor, models.ActionCancellationRequested, models.OutcomeSuccess, audit.About{
		Reason: reasonText(r.Reason, r.Note), After: after,
	})
	if err != nil {
		return nil, err
	}
	if err := l.publish(webhooks.EventRequested, ""); err != nil {
		return nil, err
	}
	if err := l.enqueue(ctx, models.Task{Kind: models.TaskDispatch}); err != nil {
		return nil, err
	}
	closes := w.Closes(&l.sale).Sub(l.now)
	if err := l.enqueue(ctx, models.Task{Kind: models.TaskExpire, After: closes}); err != nil {
		return nil, err
	}
	return &l.c, nil
}

// reasonText is a reason with its note, as the trail records it.
func reasonText(reason, note string) string {
	if note == "" {
		return reason
	}
	return reason + ": " + note
}

// Withdraw withdraws a cancellation that has not been sent.
//
// Errors: ErrNotFound, ErrForbidden, or error.alreadySent.
func (s *Service) Withdraw(ctx context.Context, actor models.Actor, id int64) (*models.Cancellation, error) {
	var c *models.Cancellation
	err := s.withLocked(ctx, id, func(l *Held) error {
		if err := l.allows(&actor, models.CancelSales); err != nil {
			return err
		}
		c = &l.c
		if l.c.State == models.Withdrawn {
			return nil // pressed twice
		}
		if l.c.State != models.Requested {
			return errAlreadySent
		}
		return l.move(ctx, actor, move{to: models.Withdrawn, detail: models.DetailWithdrawn})
	})
	if err == nil && c.State == models.Unknown {
		err = errAlreadySent // or may have been, from another database
	}
	return c, err
}

var errAlreadySent = &models.Error{Kind: models.KindConflict, Code: "error.alreadySent"}
