package cancellations

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"gorm.io/gorm"

	"veinte/models"
	"veinte/models/audit"
	"veinte/models/cards"
	"veinte/models/crashpoint"
	"veinte/models/database"
	"veinte/models/rules"
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

// Requestable returns why the actor cannot have the sale canceled now; nil when they
// can. The page checks it before it shows the form, and Request checks again in its
// own transaction.
func (s *Service) Requestable(ctx context.Context, actor models.Actor, sale *models.Sale, terminal *models.Terminal) error {
	if err := requestableAt(actor, sale, terminal, s.config.Rules.Window(), s.config.Clock.Now()); err != nil {
		return err
	}
	if s.config.Paused(ctx) {
		return ErrPaused
	}
	return otherUnderWay(s.config.DB.Gorm().WithContext(ctx), sale)
}

// WhyNot returns for each sale why the actor cannot have it canceled now: what Request
// would refuse; nil where they can. terminals are by id.
func (s *Service) WhyNot(
	ctx context.Context, actor models.Actor, sales []*models.Sale, terminals map[int64]models.Terminal,
) ([]error, error) {
	window, now, paused := s.config.Rules.Window(), s.config.Clock.Now(), s.config.Paused(ctx)
	why, position := make([]error, len(sales)), map[int64]int{}
	var open []int64
	for i, sale := range sales {
		terminal := terminals[sale.TerminalID]
		if why[i] = requestableAt(actor, sale, &terminal, window, now); why[i] == nil && paused {
			why[i] = ErrPaused
		}
		if why[i] == nil {
			position[sale.ID], open = i, append(open, sale.ID)
		}
	}
	// Few sales share their order number with another.
	shared, err := database.Rows[struct{ ID int64 }](ctx, s.config.DB.Pool(), `SELECT s.id FROM sales s
		WHERE s.id = ANY($1) AND EXISTS (SELECT FROM sales o WHERE o.order_id = s.order_id AND o.id <> s.id)`, open)
	if err != nil {
		return nil, fmt.Errorf("look for other sales of %d orders: %w", len(open), err)
	}
	for _, row := range shared {
		i := position[row.ID]
		var refused *models.Error
		if why[i] = otherUnderWay(s.config.DB.Gorm().WithContext(ctx), sales[i]); why[i] != nil && !errors.As(why[i], &refused) {
			return nil, why[i]
		}
	}
	for _, i := range position {
		if why[i] == nil && sales[i].AsksTicketDate(actor) {
			why[i] = models.ErrDayNotProven
		}
	}
	return why, nil
}

func requestableAt(actor models.Actor, sale *models.Sale, terminal *models.Terminal, w models.Window, now time.Time) error {
	switch {
	case sale.State.Open():
		return models.ErrCancellationOpen
	case sale.State == models.SaleConfirmed:
		return &models.Error{Kind: models.KindConflict, Code: "error.saleState"}
	case sale.OfAnotherDay() && !actor.May(models.OverrideNegatives):
		return models.ErrOtherDay
	case !w.Open(asPosted(sale), now):
		return models.ErrTooLate
	case !sale.State.Requestable():
		return &models.Error{Kind: models.KindConflict, Code: "error.saleState"}
	case sale.State == models.SaleNotCanceled && !actor.May(models.OverrideNegatives):
		return &models.Error{Kind: models.KindForbidden, Code: "error.needsSupervisor"}
	case terminal.RetiredAt != nil:
		return &models.Error{Kind: models.KindConflict, Code: "terminal.retired"}
	}
	return nil
}

// requestable decides, under the sale's lock, whether a cancellation may begin.
func (l *Held) requestable(actor models.Actor, r CancelRequest, terms rules.Terms) error {
	var terminal models.Terminal
	if err := database.TakeRow(l.tx.Where("id = ?", l.sale.TerminalID), &terminal); err != nil {
		return err
	}
	if err := requestableAt(actor, &l.sale, &terminal, terms.Window, l.now); err != nil {
		return err
	}
	if terms.Pause != nil {
		return ErrPaused
	}
	if err := l.asSeen(r); err != nil {
		return err
	}
	if r.Traceability != "" && l.store.BareTraceability {
		return models.Invalid("traceability", "traceability.bare")
	}
	if err := l.onlyOfItsOrder(); err != nil {
		return err
	}
	if err := inUse(l.tx.DB, r.Reason); err != nil {
		return err
	}
	return l.confirmDay(actor, r)
}

// inUse refuses a reason that may not be chosen.
func inUse(g *gorm.DB, reason string) error {
	var reasons int64
	if err := g.Model(&models.Reason{}).Where("code = ? AND retired_at IS NULL", reason).Count(&reasons).Error; err != nil {
		return fmt.Errorf("look for reason %s: %w", reason, err)
	}
	if reasons == 0 {
		return models.Invalid("reason", "reason.unknown")
	}
	return nil
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
