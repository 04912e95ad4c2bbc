package terminals

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"gorm.io/gorm/clause"

	"veinte/models"
	"veinte/models/audit"
	"veinte/models/database"
)

// RelabelTerminal changes the label of a terminal.
//
// Errors: ErrForbidden, ErrNotFound, ErrStale, or a field.
func (s *Service) RelabelTerminal(ctx context.Context, actor models.Actor, id int64, version int, label string) error {
	now := s.clock.Now()
	label, err := models.Text("label", label, 60)
	if err != nil {
		return err
	}
	return s.changeTerminal(ctx, actor, id, version, map[string]any{"label": label}, func(t database.Tx, terminal *models.Terminal) error {
		return recordLabel(t, actor, now, terminal, label)
	})
}

// recordLabel records a new label of a terminal.
func recordLabel(t database.Tx, actor models.Actor, now time.Time, terminal *models.Terminal, label string) error {
	if err := audit.NameFree(t, "label", label); err != nil {
		return err
	}
	return recordAt(t, actor, now, models.ActionTerminalChanged, terminal, audit.About{
		Before: map[string]any{"label": terminal.Label}, After: map[string]any{"label": label},
	})
}

// RetireTerminal takes a terminal out of use; RestoreTerminal brings it back. Its
// sales and its history stay. A planned move is withdrawn. Cancellations that wait
// to be sent to it are withdrawn when they are next in the queue.
//
// Errors: ErrForbidden, ErrNotFound or ErrStale.
func (s *Service) RetireTerminal(ctx context.Context, actor models.Actor, id int64, version int) error {
	now := s.clock.Now()
	return s.changeTerminal(ctx, actor, id, version, map[string]any{"retired_at": now}, func(t database.Tx, terminal *models.Terminal) error {
		if _, err := withdrawPlan(t, actor, now, terminal); err != nil {
			return err
		}
		return recordRetired(t, actor, now, terminal, true)
	})
}

// recordRetired records that a terminal was taken out of use, or back into it.
func recordRetired(t database.Tx, actor models.Actor, now time.Time, terminal *models.Terminal, retired bool) error {
	action := models.ActionTerminalRestored
	if retired {
		action = models.ActionTerminalRetired
	}
	return recordAt(t, actor, now, action, terminal, audit.About{
		Before: map[string]any{"retired": !retired}, After: map[string]any{"retired": retired},
	})
}

// RestoreTerminal brings a retired terminal back into use.
func (s *Service) RestoreTerminal(ctx context.Context, actor models.Actor, id int64, version int) error {
	now := s.clock.Now()
	return s.changeTerminal(ctx, actor, id, version, map[string]any{"retired_at": nil}, func(t database.Tx, terminal *models.Terminal) error {
		return recordRetired(t, actor, now, terminal, false)
	})
}

// recordAt records what was done to a terminal with the store where it stands then: once it
// has left, the trail of that store still has it.
func recordAt(
	t database.Tx, actor models.Actor, now time.Time, action models.Action, terminal *models.Terminal, a audit.About,
) error {
	var store models.Store
	stands := t.Where(`id = (SELECT store_id FROM assignments WHERE terminal_id = ? AND valid_from <= ?
		AND (valid_to IS NULL OR valid_to > ?) ORDER BY valid_from DESC LIMIT 1)`, terminal.ID, now, now)
	switch err := database.TakeRow(stands, &store); {
	case err == nil:
		a.Store = &store
	case err != models.ErrNotFound:
		return fmt.Errorf("look for the store of terminal %s: %w", terminal.SerialNumber, err)
	}
	a.Terminal = terminal.SerialNumber
	return audit.Record(t, actor, now, action, models.OutcomeSuccess, a)
}

// changeTerminal changes a terminal, provided that the version is still the one the
// user saw. f gets it as it was before.
func (s *Service) changeTerminal(
	ctx context.Context, actor models.Actor, id int64, version int, columns map[string]any,
	f func(database.Tx, *models.Terminal) error,
) error {
	if !actor.May(models.ManageTerminals) {
		return models.ErrForbidden
	}
	err := s.db.InTx(ctx, func(t database.Tx) error {
		terminal, err := lockTerminal(t, id)
		if err != nil {
			return err
		}
		if err := t.Replace(&models.Terminal{}, id, version, columns); err != nil {
			return err
		}
		return f(t, terminal)
	})
	if err != nil {
		return fmt.Errorf("change terminal %d: %w", id, err)
	}
	s.forgetDirectory()
	return nil
}

// lockTerminal locks the terminal's row until the end of the transaction. It also
// blocks sales: whoever writes one holds its terminal by FOR KEY SHARE before
// reading its store, so no move can be decided in between.
//
// The terminal's own posts queue behind a transaction that waits here, so the wait
// is short and ends with errTerminalBusy.
func lockTerminal(t database.Tx, id int64) (*models.Terminal, error) {
	if err := t.Exec(`SET LOCAL lock_timeout = '500ms'`).Error; err != nil {
		return nil, fmt.Errorf("lock terminal %d: %w", id, err)
	}
	var terminal models.Terminal
	err := database.TakeRow(t.Clauses(clause.Locking{Strength: "UPDATE"}).Where("id = ?", id), &terminal)
	var refused *pgconn.PgError
	switch {
	case errors.As(err, &refused) && refused.Code == lockNotAvailable:
		return nil, errTerminalBusy
	case err != nil:
		return nil, err
	}
	return &terminal, t.Exec(`SET LOCAL lock_timeout TO DEFAULT`).Error
}

// errTerminalBusy means that sales of the terminal are being written right now. It
// ends the transaction.
var errTerminalBusy = &models.Error{Kind: models.KindConflict, Code: "terminal.busy"}

// lockNotAvailable is PostgreSQL's error code for a lock timeout.
const lockNotAvailable = "55P03"
