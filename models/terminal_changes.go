package models

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"gorm.io/gorm/clause"
)

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
// Its sales and its history stay; a move that is planned is withdrawn, because it
// is going nowhere. What waits to be sent to it is withdrawn when its turn comes.
//
// Errors: ErrForbidden, ErrNotFound or ErrStale.
func (db *DB) RetireTerminal(ctx context.Context, actor Actor, now time.Time, id int64, version int) error {
	return db.changeTerminal(ctx, actor, id, version, map[string]any{"retired_at": now}, func(t tx, terminal *Terminal) error {
		if _, err := t.withdrawPlan(actor, now, terminal); err != nil {
			return err
		}
		return t.record(actor, now, ActionTerminalRetired, OutcomeSuccess, about{
			terminal: terminal.SerialNumber, before: map[string]any{"retired": false}, after: map[string]any{"retired": true},
		})
	})
}

// RestoreTerminal brings a retired terminal back into use.
func (db *DB) RestoreTerminal(ctx context.Context, actor Actor, now time.Time, id int64, version int) error {
	return db.changeTerminal(ctx, actor, id, version, map[string]any{"retired_at": nil}, func(t tx, terminal *Terminal) error {
		return t.record(actor, now, ActionTerminalRestored, OutcomeSuccess, about{
			terminal: terminal.SerialNumber, before: map[string]any{"retired": true}, after: map[string]any{"retired": false},
		})
	})
}

// changeTerminal changes a terminal that is still as the person saw it. f sees
// it as it was before.
func (db *DB) changeTerminal(ctx context.Context, actor Actor, id int64, version int, columns map[string]any, f func(tx, *Terminal) error) error {
	if !actor.May(ManageTerminals) {
		return ErrForbidden
	}
	err := db.transaction(ctx, func(t tx) error {
		terminal, err := t.lockTerminal(id)
		if err != nil {
			return err
		}
		if err := t.replace(&Terminal{}, id, version, columns); err != nil {
			return err
		}
		return f(t, terminal)
	})
	if err != nil {
		return fmt.Errorf("change terminal %d: %w", id, err)
	}
	db.forgetDirectory()
	return nil
}

// lockTerminal takes the terminal's row for the rest of the transaction, from
// sales too: whoever writes one holds its terminal by FOR KEY SHARE before
// looking where it stands, so that no move can be decided in between.
//
// The terminal's own posts queue behind whoever waits here, so nobody waits long:
// errTerminalBusy.
func (t tx) lockTerminal(id int64) (*Terminal, error) {
	if err := t.Exec(`SET LOCAL lock_timeout = '500ms'`).Error; err != nil {
		return nil, fmt.Errorf("lock terminal %d: %w", id, err)
	}
	var terminal Terminal
	err := take(t.Clauses(clause.Locking{Strength: "UPDATE"}).Where("id = ?", id), &terminal)
	var refused *pgconn.PgError
	switch {
	case errors.As(err, &refused) && refused.Code == lockNotAvailable:
		return nil, errTerminalBusy
	case err != nil:
		return nil, err
	}
	return &terminal, t.Exec(`SET LOCAL lock_timeout TO DEFAULT`).Error
}

// errTerminalBusy says that sales of the terminal are being written just now. It
// ends the transaction.
var errTerminalBusy = &Error{Kind: KindConflict, Code: "terminal.busy"}

// lockNotAvailable is PostgreSQL's code for a wait that was too long.
const lockNotAvailable = "55P03"
