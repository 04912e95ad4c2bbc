package terminals

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"veinte/models"
	"veinte/models/database"
)

// MovesInput is a bulk move of terminals to one store at one instant, each with its
// own merchant id.
type MovesInput struct {
	Terminals []ChosenTerminal
	StoreID   int64
	From      string // local date and time in the cut-off's zone; "": now
}

// ChosenTerminal is a terminal with the version that the user saw.
type ChosenTerminal struct {
	ID      int64
	Version int
}

// MoveOutcome is the outcome for one of the terminals.
type MoveOutcome struct {
	TerminalID int64
	Err        error // why it cannot be moved, an *Error or a *MoveRefusal; nil when it can
}

// MaxMoves is the maximum number of terminals in one bulk move.
const MaxMoves = 500

// MoveTerminals moves all of the terminals or none. When one cannot be moved, the
// outcomes contain the reasons.
//
// Errors: ErrForbidden, moves.none, moves.tooMany, moves.refused with outcomes,
// or a field.
func (s *Service) MoveTerminals(ctx context.Context, actor models.Actor, in MovesInput) ([]MoveOutcome, error) {
	if !actor.May(models.ManageTerminals) {
		return nil, models.ErrForbidden
	}
	now := s.clock.Now()
	chosen, err := in.chosen()
	if err != nil {
		return nil, err
	}
	from, err := models.ParseInstant("from", in.From, now, s.window().Calendar.Zone())
	if err != nil {
		return nil, err
	}
	var outcomes []MoveOutcome
	var moved []models.SerialNumber
	err = s.db.InTx(ctx, func(t database.Tx) error {
		store, err := storeFor(t, in.StoreID)
		if err != nil {
			return err
		}
		outcomes, moved, err = moveTerminals(t, actor, now, chosen, parsedMove{store: store, from: from})
		return err
	})
	if err != nil {
		return outcomes, fmt.Errorf("move %d terminals: %w", len(chosen), err)
	}
	s.forgetDirectory()
	for _, serial := range moved {
		s.onPlaced(ctx, serial)
	}
	return outcomes, nil
}

// chosen returns the terminals in the order in which they are locked, without
// duplicates.
func (in *MovesInput) chosen() ([]ChosenTerminal, error) {
	chosen := slices.Clone(in.Terminals)
	slices.SortStableFunc(chosen, func(a, b ChosenTerminal) int { return cmp.Compare(a.ID, b.ID) })
	chosen = slices.CompactFunc(chosen, func(a, b ChosenTerminal) bool { return a.ID == b.ID })
	switch {
	case len(chosen) == 0:
		return nil, models.Invalid("terminals", "moves.none")
	case len(chosen) > MaxMoves:
		return nil, models.Invalid("terminals", "moves.tooMany")
	}
	return chosen, nil
}

// moveTerminals moves each terminal that can be moved, and rolls back with
// moves.refused when one cannot.
func moveTerminals(
	t database.Tx, actor models.Actor, now time.Time, chosen []ChosenTerminal, r parsedMove,
) ([]MoveOutcome, []models.SerialNumber, error) {
	outcomes, moved := make([]MoveOutcome, len(chosen)), make([]models.SerialNumber, 0, len(chosen))
	for i, c := range chosen {
		outcomes[i].TerminalID = c.ID
		serial, err := moveChosen(t, actor, now, c, r)
		var refused *models.Error
		switch {
		case err == nil:
			moved = append(moved, serial)
		case errors.Is(err, errTerminalBusy):
			return nil, nil, err
		case errors.As(err, &refused):
			outcomes[i].Err = err
		default:
			return nil, nil, err
		}
	}
	if len(moved) < len(chosen) {
		return outcomes, nil, &models.Error{Kind: models.KindConflict, Code: "moves.refused"}
	}
	return outcomes, moved, nil
}

func moveChosen(t database.Tx, actor models.Actor, now time.Time, c ChosenTerminal, r parsedMove) (models.SerialNumber, error) {
	terminal, err := lockTerminal(t, c.ID)
	if err != nil {
		return "", err
	}
	if err := t.Replace(&models.Terminal{}, c.ID, c.Version, map[string]any{}); err != nil {
		return "", err
	}
	return terminal.SerialNumber, moveTerminal(t, actor, now, terminal, r)
}
