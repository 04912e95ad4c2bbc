package models

import (
	"context"
	"fmt"
	"strings"
)

// TerminalInput is a new terminal as a form gives it.
type TerminalInput struct {
	SerialNumber, Label, MerchantID string
	StoreID                         int64
}

func (a *Assignment) told(store *Store) map[string]any {
	return map[string]any{"store": store.Name, "merchantId": a.MerchantID, "from": a.ValidFrom}
}

// OnPlaced is called after a terminal was registered, or put into a store: a result
// may have waited for that.
type OnPlaced func(ctx context.Context, serial SerialNumber)

// CreateTerminal registers a terminal and puts it into a store from the
// beginning of the day, so that what it sold this morning is found there.
//
// Errors: ErrForbidden, a field, serial.taken or store.unknown.
func (s *Cancellations) CreateTerminal(ctx context.Context, actor Actor, in TerminalInput) (*Terminal, error) {
	t, err := s.createTerminal(ctx, actor, in)
	if err != nil {
		return nil, fmt.Errorf("create terminal %q: %w", clip(in.SerialNumber, 20), err)
	}
	s.db.forgetDirectory()
	s.onPlaced(ctx, t.SerialNumber)
	return t, nil
}

func (s *Cancellations) createTerminal(ctx context.Context, actor Actor, in TerminalInput) (*Terminal, error) {
	if !actor.May(ManageTerminals) {
		return nil, ErrForbidden
	}
	serial, err := ParseSerialNumber(strings.TrimSpace(in.SerialNumber))
	if err != nil {
		return nil, err
	}
	label, err := text("label", in.Label, 60)
	if err != nil {
		return nil, err
	}
	merchant, err := ParseMerchantID(in.MerchantID)
	if err != nil {
		return nil, err
	}
	now, calendar := s.clock.Now(), s.Window().Calendar
	terminal := &Terminal{SerialNumber: serial, Label: label, Version: 1, CreatedAt: now}
	err = s.db.transaction(ctx, func(t tx) error {
		store, err := t.storeFor(in.StoreID)
		if err != nil {
			return err
		}
		if err := t.Create(terminal).Error; err != nil {
			return duplicated(err, "serialNumber", "serial.taken")
		}
		place := &Assignment{
			TerminalID: terminal.ID, StoreID: store.ID, MerchantID: merchant,
			ValidFrom: calendar.Day(now).Time(calendar.Zone()),
		}
		if err := t.Create(place).Error; err != nil {
			return err
		}
		return t.record(actor, now, ActionTerminalCreated, OutcomeSuccess, about{
			store: store, terminal: serial,
			after: map[string]any{"serialNumber": serial, "label": label, "store": store.Name, "merchantId": merchant},
		})
	})
	return terminal, err
}

// storeFor reads the store that a form named.
func (t tx) storeFor(id int64) (*Store, error) {
	var store Store
	err := take(t.Where("id = ?", id), &store)
	switch {
	case id == 0:
		return nil, Invalid("store", "store.required")
	case err == ErrNotFound:
		return nil, Invalid("store", "store.unknown")
	}
	return &store, err
}
