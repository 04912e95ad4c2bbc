package terminals

import (
	"context"
	"fmt"
	"time"

	"veinte/models"
	"veinte/models/audit"
	"veinte/models/database"
)

// MoveInput is a terminal's new store, as entered in a form.
type MoveInput struct {
	StoreID    int64
	MerchantID string
	From       string // local date and time in the cut-off's zone; "": now
}

// MoveTerminal assigns a terminal to another store, or to another merchant id, from
// an instant on: now, later (the move is then planned), or earlier, if that changes
// the store of no sale. Sales keep the assignment of their time.
//
// Errors: ErrForbidden, ErrNotFound, ErrStale, terminal.retired,
// terminal.sameStore, a field, or a *MoveRefusal.
func (s *Service) MoveTerminal(ctx context.Context, actor models.Actor, id int64, version int, in MoveInput) error {
	now := s.clock.Now()
	merchant, err := models.ParseMerchantID(in.MerchantID)
	if err != nil {
		return err
	}
	from, err := models.ParseInstant("from", in.From, now, s.window().Calendar.Zone())
	if err != nil {
		return err
	}
	var moved models.Terminal
	err = s.changeTerminal(ctx, actor, id, version, map[string]any{}, func(t database.Tx, terminal *models.Terminal) error {
		store, err := storeFor(t, in.StoreID)
		if err != nil {
			return err
		}
		moved = *terminal
		return moveTerminal(t, actor, now, terminal, parsedMove{store, merchant, from})
	})
	if err != nil {
		return err
	}
	s.onPlaced(ctx, moved.SerialNumber)
	return nil
}

// parsedMove is a MoveInput after parsing.
type parsedMove struct {
	store    *models.Store
	merchant string    // "": unchanged
	from     time.Time // zero: now
}

// moveTerminal writes the move of a locked terminal, and its audit entry.
func moveTerminal(t database.Tx, actor models.Actor, now time.Time, terminal *models.Terminal, r parsedMove) error {
	if terminal.RetiredAt != nil {
		return &models.Error{Kind: models.KindConflict, Code: "terminal.retired"}
	}
	place, err := findAssignment(t, terminal.ID, now, r)
	if err != nil {
		return err
	}
	action := models.ActionTerminalMoved
	if place.next.PlannedAt != nil {
		action = models.ActionMovePlanned
	}
	var before any
	if place.before != nil {
		before = place.before.Attributes(place.beforeStore)
	}
	if err := closePrevious(t, place); err != nil {
		return fmt.Errorf("write assignment of terminal %s: %w", terminal.SerialNumber, err)
	}
	return audit.Record(t, actor, now, action, models.OutcomeSuccess, audit.About{
		Store: r.store, Terminal: terminal.SerialNumber, Before: before, After: place.next.Attributes(r.store),
	})
}

// newAssignment is a new assignment and its effect on the previous one.
type newAssignment struct {
	before      *models.Assignment // in force at the new one's beginning; nil when none is
	beforeStore *models.Store
	next        models.Assignment
}

// closePrevious ends the previous assignment and starts the next one. A previous
// assignment that would have no duration is overwritten instead.
func closePrevious(t database.Tx, p *newAssignment) error {
	if p.before != nil && p.before.ValidFrom.Equal(p.next.ValidFrom) {
		columns := map[string]any{"store_id": p.next.StoreID, "merchant_id": p.next.MerchantID}
		return t.Model(&models.Assignment{}).Where("id = ?", p.before.ID).Updates(columns).Error
	}
	if p.before != nil {
		err := t.Model(&models.Assignment{}).Where("id = ?", p.before.ID).Update("valid_to", p.next.ValidFrom).Error
		if err != nil {
			return err
		}
	}
	return t.Create(&p.next).Error
}

// WithdrawPlan withdraws a planned move.
//
// Errors: ErrForbidden, ErrNotFound, ErrStale, or move.noPlan.
func (s *Service) WithdrawPlan(ctx context.Context, actor models.Actor, id int64, version int) error {
	now := s.clock.Now()
	return s.changeTerminal(ctx, actor, id, version, map[string]any{}, func(t database.Tx, terminal *models.Terminal) error {
		withdrawn, err := withdrawPlan(t, actor, now, terminal)
		if err == nil && !withdrawn {
			return &models.Error{Kind: models.KindConflict, Code: "move.noPlan"}
		}
		return err
	})
}

// withdrawPlan removes the terminal's planned move, if it has one. The assignment
// before it continues.
func withdrawPlan(t database.Tx, actor models.Actor, now time.Time, terminal *models.Terminal) (withdrawn bool, err error) {
	var plan models.Assignment
	err = database.TakeRow(t.Where("terminal_id = ? AND planned_at IS NOT NULL AND valid_from > ?", terminal.ID, now), &plan)
	if err == models.ErrNotFound {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	var store models.Store
	if err := database.TakeRow(t.Where("id = ?", plan.StoreID), &store); err != nil {
		return false, err
	}
	if err := t.Exec("SELECT withdraw_plan(?, ?)", plan.ID, now).Error; err != nil {
		return false, fmt.Errorf("withdraw plan %d: %w", plan.ID, err)
	}
	err = t.Model(&models.Assignment{}).Where("terminal_id = ? AND valid_to = ?", terminal.ID, plan.ValidFrom).Update("valid_to", nil).Error
	if err != nil {
		return false, fmt.Errorf("reopen the assignment before plan %d: %w", plan.ID, err)
	}
	return true, audit.Record(t, actor, now, models.ActionMoveWithdrawn, models.OutcomeSuccess,
		audit.About{Store: &store, Terminal: terminal.SerialNumber, Before: plan.Attributes(&store)})
}
