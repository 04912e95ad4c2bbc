package models

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"veinte/models/cards"
	"veinte/models/crashpoint"
)

// CancelRequest is a person's wish to cancel the whole of a sale.
type CancelRequest struct {
	SaleID      int64
	OmitReceipt bool // true: the terminal prints no receipt
	Reason      string
	Note        string
	Click       string // drawn with the sheet; the same click is the same case
	// Seen is the amount that the person saw; nil: it is not compared.
	Seen *Money
	// Together ties what was asked for at once; nil: it is the only one.
	Together *Together
}

// Request opens a case for a sale, if the person may, the window is open and no
// other case is. It returns once the wish is committed; a job sends it. The
// same click returns the same case again, whatever became of it.
//
// Errors are *Error: ErrNotFound also for a sale of another's store, ErrTooLate,
// ErrCaseOpen, ErrAmountChanged, or what is wrong with a field.
func (s *Cancellations) Request(ctx context.Context, actor Actor, r CancelRequest) (*Cancellation, error) {
	if !actor.May(CancelSales) {
		return nil, ErrForbidden
	}
	r.trim()
	if err := r.check(); err != nil {
		return nil, err
	}
	giveBack, err := s.turns.take(ctx, r.SaleID)
	if err != nil {
		return nil, fmt.Errorf("wait for sale %d: %w", r.SaleID, err)
	}
	defer giveBack()
	c, err := s.request(ctx, actor, r)
	var refused *Error
	if errors.As(err, &refused) {
		if auditErr := s.refuse(ctx, actor, ActionCancelRefused, refusal{saleID: r.SaleID, why: refused, together: r.Together}); auditErr != nil {
			return nil, auditErr
		}
		err = Recorded(err)
	}
	if err != nil {
		return nil, fmt.Errorf("request cancellation of sale %d: %w", r.SaleID, err)
	}
	crashpoint.Here(crashpoint.AfterRequestCommit)
	return c, nil
}

func (r *CancelRequest) trim() { r.Note = strings.TrimSpace(r.Note) }

// check looks at what can be judged without the database.
func (r CancelRequest) check() error {
	switch {
	case r.Reason == "":
		return Invalid("reason", "reason.required")
	case r.Reason == ReasonOther && r.Note == "":
		return Invalid("note", "note.required")
	case utf8.RuneCountInString(r.Note) > 500:
		return Invalid("note", "field.tooLong")
	case !storable(r.Note):
		return Invalid("note", "field.invalidText")
	case !storable(r.Reason):
		return Invalid("reason", "reason.unknown")
	case cards.Holds(r.Note):
		return Invalid("note", "field.cardNumber")
	case r.Click == "" || len(r.Click) > 64 || !storable(r.Click):
		return Invalid("click", "error.badRequest")
	}
	return nil
}

func (s *Cancellations) request(ctx context.Context, actor Actor, r CancelRequest) (*Cancellation, error) {
	var c *Cancellation
	err := s.db.transaction(ctx, func(t tx) error {
		l, err := s.Hold(t, r.SaleID)
		if err != nil {
			return err
		}
		if !actor.Sees(l.sale.StoreID) {
			return ErrNotFound
		}
		again, err := l.clicked(actor, r)
		if err != nil || again != nil {
			c = again
			return err
		}
		now := s.clock.Now()
		terms, err := s.terms(l.tx, now)
		if err != nil {
			return err
		}
		if err := l.requestable(actor, r, now, terms); err != nil {
			return err
		}
		c, err = s.open(ctx, l, actor, r, now, terms.window)
		return err
	})
	return c, err
}

// clicked finds the case that this very click has already opened.
func (l *Held) clicked(actor Actor, r CancelRequest) (*Cancellation, error) {
	var c Cancellation
	err := take(l.Where("requested_by = ? AND click = ?", actor.UserID, r.Click), &c)
	switch {
	case err == ErrNotFound:
		return nil, nil
	case err != nil:
		return nil, err
	case c.SaleID != r.SaleID:
		return nil, Invalid("click", "error.badRequest")
	}
	return &c, nil
}

// Requestable says why the actor cannot have the sale canceled now; nil when
// they can. The page asks before it shows the sheet, the request asks again in
// its own transaction.
func (s *Cancellations) Requestable(ctx context.Context, actor Actor, sale *Sale, terminal *Terminal) error {
	if err := requestableAt(actor, sale, terminal, s.Window(), s.clock.Now()); err != nil {
		return err
	}
	if s.Notices(ctx).Pause != nil {
		return ErrPaused
	}
	several, err := tx{DB: s.db.gorm.WithContext(ctx)}.otherUnderWay(sale)
	if err == nil && several {
		err = errSeveralSales
	}
	return err
}

// errSeveralSales refuses to cancel one charge twice: its order is listed under
// another merchant id too, and that sale is canceled or about to be.
var errSeveralSales = &Error{Kind: KindConflict, Code: "error.severalSales"}

func requestableAt(actor Actor, sale *Sale, terminal *Terminal, w Window, now time.Time) error {
	switch {
	case sale.State.Open():
		return ErrCaseOpen
	case sale.State == SaleConfirmed:
		return &Error{Kind: KindConflict, Code: "error.saleState"}
	case !w.Open(sale, now):
		return ErrTooLate
	case !sale.State.Requestable():
		return &Error{Kind: KindConflict, Code: "error.saleState"}
	case sale.State == SaleNotCanceled && !actor.May(OverrideNegatives):
		return &Error{Kind: KindForbidden, Code: "error.needsSupervisor"}
	case terminal.RetiredAt != nil:
		return &Error{Kind: KindConflict, Code: "terminal.retired"}
	}
	return nil
}

// requestable decides, under the sale's lock, whether a case may begin.
func (l *Held) requestable(actor Actor, r CancelRequest, now time.Time, terms terms) error {
	var terminal Terminal
	if err := take(l.Where("id = ?", l.sale.TerminalID), &terminal); err != nil {
		return err
	}
	if err := requestableAt(actor, &l.sale, &terminal, terms.window, now); err != nil {
		return err
	}
	if terms.pause != nil {
		return ErrPaused
	}
	if r.Seen != nil && *r.Seen != l.sale.Amount {
		return ErrAmountChanged
	}
	if err := l.onlyOfItsOrder(); err != nil {
		return err
	}
	known, err := l.reasonInUse(r.Reason)
	if err == nil && !known {
		err = Invalid("reason", "reason.unknown")
	}
	return err
}

// reasonInUse reports whether a reason may be chosen.
func (t tx) reasonInUse(code string) (bool, error) {
	var reasons int64
	err := t.Model(&Reason{}).Where("code = ? AND retired_at IS NULL", code).Count(&reasons).Error
	if err != nil {
		return false, fmt.Errorf("look for reason %s: %w", code, err)
	}
	return reasons > 0, nil
}

// onlyOfItsOrder refuses while another sale of the same order is canceled or
// about to be. Where there is one at all, requests for the two wait for each
// other.
func (l *Held) onlyOfItsOrder() error {
	others := l.Model(&Sale{}).Where(otherOfOrder, l.sale.OrderID, l.sale.SerialNumber, l.sale.ID)
	var n int64
	if err := others.Count(&n).Error; err != nil || n == 0 {
		return err
	}
	if err := l.lock(lockCancel(l.sale.SerialNumber, l.sale.OrderID)); err != nil {
		return fmt.Errorf("wait for the other sale of order %s: %w", l.sale.OrderID, err)
	}
	several, err := l.otherUnderWay(&l.sale)
	if err == nil && several {
		err = errSeveralSales
	}
	return err
}

const otherOfOrder = "order_id = ? AND serial_number = ? AND id <> ?"

// otherUnderWay reports whether another sale of the same order is canceled or
// about to be.
func (t tx) otherUnderWay(sale *Sale) (bool, error) {
	var states []SaleState
	err := t.Model(&Sale{}).Where(otherOfOrder, sale.OrderID, sale.SerialNumber, sale.ID).Pluck("state", &states).Error
	if err != nil {
		return false, fmt.Errorf("look for other sales of order %s: %w", sale.OrderID, err)
	}
	return slices.ContainsFunc(states, func(s SaleState) bool { return s.Open() || s == SaleConfirmed }), nil
}

// open writes the case, its audit entry and its tasks.
func (s *Cancellations) open(ctx context.Context, l *Held, actor Actor, r CancelRequest, now time.Time, w Window) (*Cancellation, error) {
	l.c = Cancellation{
		SaleID: l.sale.ID, StoreID: l.sale.StoreID, TerminalID: l.sale.TerminalID,
		State: Requested, Version: 1, OmitReceipt: r.OmitReceipt, Reason: r.Reason, Note: r.Note,
		Origin: FromPerson, RequestedBy: &actor.UserID, Requester: actor.Name, RequesterRole: actor.Role, Click: r.Click,
		RequestedAt: now, CutoffAt: w.Cutoff(&l.sale), ChangedAt: now,
	}
	if err := l.Create(&l.c).Error; err != nil {
		// The sale is locked, so what is there twice is a click on two sales at once.
		return nil, fmt.Errorf("write case: %w", duplicated(err, "click", "error.badRequest"))
	}
	if l.sale.State == SaleNotCanceled {
		if err := l.approve(actor, now, approvedAgain); err != nil {
			return nil, err
		}
	}
	if err := l.showInSale(Requested); err != nil {
		return nil, err
	}
	after := map[string]any{"state": Requested, "printReceipt": !r.OmitReceipt, "reason": r.Reason, "source": l.sale.Source}
	r.Together.tell(after)
	err := l.record(actor, now, ActionCaseRequested, OutcomeSuccess, about{
		store: &l.store, sale: &l.sale, caseID: l.c.ID, reason: reasonText(r.Reason, r.Note), after: after,
	})
	if err != nil {
		return nil, err
	}
	if err := s.publish(l, EventRequested, now, ""); err != nil {
		return nil, err
	}
	if err := s.enqueue(ctx, l.tx, Task{Kind: TaskDispatch, CaseID: l.c.ID}); err != nil {
		return nil, err
	}
	closes := w.Closes(&l.sale).Sub(now)
	if err := s.enqueue(ctx, l.tx, Task{Kind: TaskExpire, CaseID: l.c.ID, After: closes}); err != nil {
		return nil, err
	}
	return &l.c, nil
}

// reasonText is how the trail writes a reason with its note.
func reasonText(reason, note string) string {
	if note == "" {
		return reason
	}
	return reason + ": " + note
}
