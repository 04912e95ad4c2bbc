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

// TerminalFilter narrows the list of terminals. Zero values do not filter.
type TerminalFilter struct {
	StoreID int64
	Query   string // part of a serial number, label or merchant id
	State   string // "active", "retired" or ""
}

// Terminals lists terminals with where they stand.
func (db *DB) Terminals(ctx context.Context, actor Actor, f TerminalFilter) ([]TerminalPlace, error) {
	if !actor.May(ManageTerminals) {
		return nil, ErrForbidden
	}
	all, err := db.terminalPlaces(ctx)
	if err != nil {
		return nil, fmt.Errorf("list terminals: %w", err)
	}
	q := strings.ToLower(strings.TrimSpace(f.Query))
	var kept []TerminalPlace
	for _, p := range all {
		switch {
		case f.StoreID != 0 && p.StoreID != f.StoreID:
		case f.State == "active" && p.RetiredAt != nil, f.State == "retired" && p.RetiredAt == nil:
		case q != "" && !strings.Contains(string(p.SerialNumber), q) &&
			!strings.Contains(strings.ToLower(p.Label), q) && !strings.Contains(strings.ToLower(p.MerchantID), q):
		default:
			kept = append(kept, p)
		}
	}
	return kept, nil
}

// TerminalHistory returns a terminal and where it has stood, newest first.
func (db *DB) TerminalHistory(ctx context.Context, actor Actor, id int64) (*TerminalPlace, []PastAssignment, error) {
	if !actor.May(ManageTerminals) {
		return nil, nil, ErrForbidden
	}
	var place TerminalPlace
	if err := take(db.gorm.WithContext(ctx).Where("id = ?", id), &place.Terminal); err != nil {
		return nil, nil, err
	}
	var past []PastAssignment
	err := db.gorm.WithContext(ctx).Table("assignments a").Select("a.*, s.name AS store_name").
		Joins("JOIN stores s ON s.id = a.store_id").Where("a.terminal_id = ?", id).
		Order("a.valid_from DESC").Scan(&past).Error
	if err != nil {
		return nil, nil, fmt.Errorf("list assignments of terminal %d: %w", id, err)
	}
	if len(past) > 0 && past[0].ValidTo == nil {
		now := &past[0]
		place.StoreID, place.StoreName, place.MerchantID, place.Since = now.StoreID, now.StoreName, now.MerchantID, &now.ValidFrom
	}
	return &place, past, nil
}

func (a *Assignment) told(store *Store) map[string]any {
	return map[string]any{"store": store.Name, "merchantId": a.MerchantID, "from": a.ValidFrom}
}

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
	// It may have posted before anybody knew it.
	if err := s.rereadUnmatched(ctx, t.SerialNumber, ""); err != nil {
		s.log.ErrorContext(ctx, "results of a new terminal were not read again", "serial", t.SerialNumber, "error", err)
	}
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
