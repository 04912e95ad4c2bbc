package models

import (
	"context"
	"fmt"
	"time"
)

// MoveInput is where a terminal is to go, as a form gives it.
type MoveInput struct {
	StoreID    int64
	MerchantID string
	From       string // local date and time in the cut-off's zone; "": now
}

// MoveTerminal puts a terminal into another store, or under another merchant id,
// from an instant on: now, later (it is then planned), or earlier, if that leaves
// every sale where it was made. Sales keep the assignment of their time.
//
// Errors: ErrForbidden, ErrNotFound, ErrStale, terminal.retired,
// terminal.sameStore, a field, or a *MoveRefusal.
func (s *Cancellations) MoveTerminal(ctx context.Context, actor Actor, id int64, version int, in MoveInput) error {
	now := s.clock.Now()
	merchant, err := ParseMerchantID(in.MerchantID)
	if err != nil {
		return err
	}
	from, err := ParseInstant("from", in.From, now, s.Window().Calendar.Zone())
	if err != nil {
		return err
	}
	var moved Terminal
	err = s.db.changeTerminal(ctx, actor, id, version, map[string]any{}, func(t tx, terminal *Terminal) error {
		store, err := t.storeFor(in.StoreID)
		if err != nil {
			return err
		}
		moved = *terminal
		return t.moveTerminal(actor, now, terminal, relocation{store, merchant, from})
	})
	if err != nil {
		return err
	}
	s.onPlaced(ctx, moved.SerialNumber)
	return nil
}

// relocation is a move that has been read.
type relocation struct {
	store    *Store
	merchant string    // "": the one that it has
	from     time.Time // zero: now
}

// moveTerminal writes the move of a terminal that is locked, and its entry.
func (t tx) moveTerminal(actor Actor, now time.Time, terminal *Terminal, r relocation) error {
	if terminal.RetiredAt != nil {
		return &Error{Kind: KindConflict, Code: "terminal.retired"}
	}
	place, err := t.findPlace(terminal.ID, now, r)
	if err != nil {
		return err
	}
	action := ActionTerminalMoved
	if place.next.PlannedAt != nil {
		action = ActionMovePlanned
	}
	var before any
	if place.before != nil {
		before = place.before.told(place.beforeStore)
	}
	if err := t.settle(place); err != nil {
		return fmt.Errorf("write assignment of terminal %s: %w", terminal.SerialNumber, err)
	}
	return t.record(actor, now, action, OutcomeSuccess, about{
		store: r.store, terminal: terminal.SerialNumber, before: before, after: place.next.told(r.store),
	})
}

// placing is a new assignment and what it does to the one before.
type placing struct {
	before      *Assignment // in force at the new one's beginning; nil when none is
	beforeStore *Store
	next        Assignment
}

// settle ends the assignment before and begins the next. One that would have
// lasted for no time is corrected instead.
func (t tx) settle(p *placing) error {
	if p.before != nil && p.before.ValidFrom.Equal(p.next.ValidFrom) {
		columns := map[string]any{"store_id": p.next.StoreID, "merchant_id": p.next.MerchantID}
		return t.Model(&Assignment{}).Where("id = ?", p.before.ID).Updates(columns).Error
	}
	if p.before != nil {
		err := t.Model(&Assignment{}).Where("id = ?", p.before.ID).Update("valid_to", p.next.ValidFrom).Error
		if err != nil {
			return err
		}
	}
	return t.Create(&p.next).Error
}

// WithdrawPlan takes back a move that is planned and has not happened.
//
// Errors: ErrForbidden, ErrNotFound, ErrStale, or move.noPlan.
func (db *DB) WithdrawPlan(ctx context.Context, actor Actor, now time.Time, id int64, version int) error {
	return db.changeTerminal(ctx, actor, id, version, map[string]any{}, func(t tx, terminal *Terminal) error {
		withdrawn, err := t.withdrawPlan(actor, now, terminal)
		if err == nil && !withdrawn {
			return &Error{Kind: KindConflict, Code: "move.noPlan"}
		}
		return err
	})
}

// withdrawPlan removes the terminal's plan, if it has one: the assignment before
// lasts on.
func (t tx) withdrawPlan(actor Actor, now time.Time, terminal *Terminal) (withdrawn bool, err error) {
	var plan Assignment
	err = take(t.Where("terminal_id = ? AND planned_at IS NOT NULL AND valid_from > ?", terminal.ID, now), &plan)
	if err == ErrNotFound {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	var store Store
	if err := take(t.Where("id = ?", plan.StoreID), &store); err != nil {
		return false, err
	}
	if err := t.Exec("SELECT withdraw_plan(?, ?)", plan.ID, now).Error; err != nil {
		return false, fmt.Errorf("withdraw plan %d: %w", plan.ID, err)
	}
	err = t.Model(&Assignment{}).Where("terminal_id = ? AND valid_to = ?", terminal.ID, plan.ValidFrom).Update("valid_to", nil).Error
	if err != nil {
		return false, fmt.Errorf("reopen the assignment before plan %d: %w", plan.ID, err)
	}
	return true, t.record(actor, now, ActionMoveWithdrawn, OutcomeSuccess,
		about{store: &store, terminal: terminal.SerialNumber, before: plan.told(&store)})
}
