package terminals

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"veinte/models"
	"veinte/models/audit"
	"veinte/models/database"
)

// Input is a new terminal as entered in a form.
type Input struct {
	SerialNumber, Label, MerchantID string
	StoreID                         int64
	Since                           models.Day // when it began to stand there; today unless given
}

// OnPlaced is called after a terminal was registered or assigned to a store, because
// a result may have been waiting for that.
type OnPlaced func(ctx context.Context, serial models.SerialNumber)

// CreateTerminal registers a terminal and assigns it to a store from the beginning
// of a day, so that this morning's sales belong to that store.
//
// Errors: ErrForbidden, a field, serial.taken or store.unknown.
func (s *Service) CreateTerminal(ctx context.Context, actor models.Actor, in Input) (*models.Terminal, error) {
	t, err := s.createTerminal(ctx, actor, in)
	if err != nil {
		return nil, fmt.Errorf("create terminal %q: %w", models.Truncate(in.SerialNumber, 20), err)
	}
	s.forgetDirectory()
	s.onPlaced(ctx, t.SerialNumber)
	return t, nil
}

func (s *Service) createTerminal(ctx context.Context, actor models.Actor, in Input) (*models.Terminal, error) {
	if !actor.May(models.ManageTerminals) {
		return nil, models.ErrForbidden
	}
	serial, err := models.ParseSerialNumber(strings.TrimSpace(in.SerialNumber))
	if err != nil {
		return nil, err
	}
	label, err := models.Text("label", in.Label, 60)
	if err != nil {
		return nil, err
	}
	merchant, err := models.ParseMerchantID(in.MerchantID)
	if err != nil {
		return nil, err
	}
	now, calendar := s.clock.Now(), s.window().Calendar
	since := cmp.Or(in.Since, calendar.Day(now))
	if since > calendar.Day(now) {
		return nil, models.Invalid("from", "date.invalid")
	}
	terminal := &models.Terminal{SerialNumber: serial, Label: label, Version: 1, CreatedAt: now}
	err = s.db.InTx(ctx, func(t database.Tx) error {
		store, err := storeFor(t, in.StoreID)
		if err != nil {
			return err
		}
		if err := audit.NameFree(t, "label", label); err != nil {
			return err
		}
		if err := t.Create(terminal).Error; err != nil {
			return database.Duplicated(err, "serialNumber", "serial.taken")
		}
		place := &models.Assignment{
			TerminalID: terminal.ID, StoreID: store.ID, MerchantID: merchant,
			ValidFrom: since.Time(calendar.Zone()),
		}
		if err := t.Create(place).Error; err != nil {
			return err
		}
		after := place.Attributes(store)
		after["serialNumber"], after["label"] = serial, label
		return audit.Record(t, actor, now, models.ActionTerminalCreated, models.OutcomeSuccess, audit.About{
			Store: store, Terminal: serial, After: after,
		})
	})
	return terminal, err
}

// storeFor reads the store that was chosen in a form.
func storeFor(t database.Tx, id int64) (*models.Store, error) {
	var store models.Store
	err := database.TakeRow(t.Where("id = ?", id), &store)
	switch {
	case id == 0:
		return nil, models.Invalid("store", "store.required")
	case err == models.ErrNotFound:
		return nil, models.Invalid("store", "store.unknown")
	}
	return &store, err
}
