package models

import (
	"context"
	"fmt"
	"time"
)

// MoveTerminal puts a terminal into another store, or under another merchant
// id, from now on. Sales keep the assignment of their time.
//
// Errors: ErrForbidden, ErrNotFound, ErrStale, terminal.retired,
// terminal.sameStore, or a field.
func (db *DB) MoveTerminal(ctx context.Context, actor Actor, now time.Time, id int64, version int, storeID int64, merchantID string) error {
	merchant, err := ParseMerchantID(merchantID)
	if err != nil {
		return err
	}
	return db.changeTerminal(ctx, actor, id, version, map[string]any{}, func(t tx, terminal *Terminal) error {
		if terminal.RetiredAt != nil {
			return &Error{Kind: KindConflict, Code: "terminal.retired"}
		}
		store, err := t.storeFor(storeID)
		if err != nil {
			return err
		}
		before, from, err := t.endAssignment(terminal.ID, now, func(a *Assignment) error {
			if a.StoreID == storeID && a.MerchantID == merchant {
				return Invalid("store", "terminal.sameStore")
			}
			return nil
		})
		if err != nil {
			return err
		}
		place := &Assignment{TerminalID: terminal.ID, StoreID: store.ID, MerchantID: merchant, ValidFrom: from}
		if err := t.Create(place).Error; err != nil {
			return err
		}
		return t.record(actor, now, ActionTerminalMoved, OutcomeSuccess, about{
			store: store, terminal: terminal.SerialNumber, before: before, after: place.told(store),
		})
	})
}

// endAssignment closes the terminal's present assignment and returns it as the
// trail tells it, nil when it stands nowhere, and the instant at which the next
// one begins.
func (t tx) endAssignment(terminalID int64, now time.Time, check func(*Assignment) error) (map[string]any, time.Time, error) {
	end := now.Truncate(time.Microsecond) // as PostgreSQL keeps it
	var a Assignment
	err := take(t.Where("terminal_id = ? AND valid_to IS NULL", terminalID), &a)
	if err == ErrNotFound {
		return nil, end, nil
	}
	if err != nil {
		return nil, end, err
	}
	if err := check(&a); err != nil {
		return nil, end, err
	}
	var store Store
	if err := take(t.Where("id = ?", a.StoreID), &store); err != nil {
		return nil, end, err
	}
	// An assignment of no length is none: a move within the same microsecond, or
	// by a server whose clock is behind.
	if !end.After(a.ValidFrom) {
		end = a.ValidFrom.Add(time.Microsecond)
	}
	return a.told(&store), end, t.Model(&Assignment{}).Where("id = ?", a.ID).Update("valid_to", end).Error
}

// RelabelTerminal changes what people call a terminal.
//
// Errors: ErrForbidden, ErrNotFound, ErrStale, or a field.
func (db *DB) RelabelTerminal(ctx context.Context, actor Actor, now time.Time, id int64, version int, label string) error {
	label, err := text("label", label, 60)
	if err != nil {
		return err
	}
	return db.changeTerminal(ctx, actor, id, version, map[string]any{"label": label}, func(t tx, terminal *Terminal) error {
		return t.record(actor, now, ActionTerminalChanged, OutcomeSuccess, about{
			terminal: terminal.SerialNumber,
			before:   map[string]any{"label": terminal.Label}, after: map[string]any{"label": label},
		})
	})
}

// RetireTerminal takes a terminal out of use; RestoreTerminal brings it back.
// Its sales and its history stay. Done twice, it is done once.
//
// Errors: ErrForbidden, ErrNotFound or ErrStale.
func (db *DB) RetireTerminal(ctx context.Context, actor Actor, now time.Time, id int64, version int) error {
	return db.changeTerminal(ctx, actor, id, version, map[string]any{"retired_at": now}, func(t tx, terminal *Terminal) error {
		return t.record(actor, now, ActionTerminalRetired, OutcomeSuccess, about{terminal: terminal.SerialNumber})
	})
}

// RestoreTerminal brings a retired terminal back into use.
func (db *DB) RestoreTerminal(ctx context.Context, actor Actor, now time.Time, id int64, version int) error {
	return db.changeTerminal(ctx, actor, id, version, map[string]any{"retired_at": nil}, func(t tx, terminal *Terminal) error {
		return t.record(actor, now, ActionTerminalRestored, OutcomeSuccess, about{terminal: terminal.SerialNumber})
	})
}

// changeTerminal changes a terminal that is still as the person saw it. f sees
// it as it was before.
func (db *DB) changeTerminal(ctx context.Context, actor Actor, id int64, version int, columns map[string]any, f func(tx, *Terminal) error) error {
	if !actor.May(ManageTerminals) {
		return ErrForbidden
	}
	err := db.transaction(ctx, func(t tx) error {
		var terminal Terminal
		if err := take(t.Where("id = ?", id), &terminal); err != nil {
			return err
		}
		if err := t.replace(&Terminal{}, id, version, columns); err != nil {
			return err
		}
		return f(t, &terminal)
	})
	if err != nil {
		return fmt.Errorf("change terminal %d: %w", id, err)
	}
	db.forgetDirectory()
	return nil
}
