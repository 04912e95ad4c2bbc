package models

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
)

// recordTerminals puts into the trail where each new terminal came, as if a
// person had registered it: whoever looks for a terminal finds how it began.
func (r *terminalsRun) recordTerminals(froms []time.Time) error {
	entries := make([]AuditEntry, 0, len(r.fresh))
	for i, in := range r.fresh {
		known := r.stores[in.code]
		store := &Store{ID: known.id, Name: known.name}
		place := Assignment{MerchantID: in.merchant, ValidFrom: froms[i]}
		e, err := newEntry(r.actor, r.now, ActionTerminalCreated, OutcomeSuccess, about{
			store: store, terminal: in.serial, after: place.ofImport(store, in.serial, in.label, r.imp.ID),
		})
		if err != nil {
			return err
		}
		entries = append(entries, e)
	}
	return r.recordAll(entries)
}

// ofImport says of a terminal that an import brought what it is and where it
// stands.
func (a *Assignment) ofImport(store *Store, serial SerialNumber, label string, importID int64) map[string]any {
	m := a.told(store)
	m["serialNumber"], m["label"], m["importId"] = serial, label, importID
	return m
}

// recordStores puts the new stores into the trail.
func (r *terminalsRun) recordStores(codes []string) error {
	entries := make([]AuditEntry, 0, len(codes))
	for _, code := range codes {
		s := r.stores[code]
		store := &Store{ID: s.id, Code: code, Name: s.name, TimeZone: s.zone}
		e, err := newEntry(r.actor, r.now, ActionStoreCreated, OutcomeSuccess, about{store: store, after: store.ofImport(r.imp.ID)})
		if err != nil {
			return err
		}
		entries = append(entries, e)
	}
	return r.recordAll(entries)
}

// ofImport says of a store that an import opened what it is.
func (s *Store) ofImport(importID int64) map[string]any {
	m := s.told()
	m["importId"] = importID
	return m
}

// undoTerminals takes back the terminals of an import, and the stores that it
// opened, in the transaction of whoever undoes it.
//
// Errors: import.terminalsInUse when something depends on one of them, or
// somebody has changed it since.
func undoTerminals(ctx context.Context, p *importPass) (int64, error) {
	entries, err := p.removals(ctx)
	if err != nil {
		return 0, fmt.Errorf("look at terminals of import %d: %w", p.imp.ID, err)
	}
	var n int64
	err = p.sql.QueryRowContext(ctx, `SELECT undo_terminals($1)`, p.imp.ID).Scan(&n)
	var refused *pgconn.PgError
	if errors.As(err, &refused) && refused.Code == foreignKeyViolation {
		return 0, &Error{Kind: KindConflict, Code: "import.terminalsInUse"}
	}
	if err != nil {
		return 0, fmt.Errorf("undo terminals of import %d: %w", p.imp.ID, err)
	}
	return n, p.recordAll(entries)
}

// removals are the entries of what is about to be taken back. Nothing of it has
// changed since it was written: else it is not taken back.
func (t *importPass) removals(ctx context.Context) (entries []AuditEntry, err error) {
	add := func(action Action, a about) error {
		e, err := newEntry(t.actor, t.now, action, OutcomeSuccess, a)
		entries = append(entries, e)
		return err
	}
	err = t.each(ctx, `SELECT t.serial_number, t.label, a.merchant_id, a.valid_from, s.id, s.name
		FROM terminals t JOIN assignments a ON a.terminal_id = t.id JOIN stores s ON s.id = a.store_id
		WHERE t.import_id = $1 ORDER BY t.id, a.id`, func(rows *sql.Rows) error {
		var serial SerialNumber
		var label string
		var place Assignment
		var store Store
		if err := rows.Scan(&serial, &label, &place.MerchantID, &place.ValidFrom, &store.ID, &store.Name); err != nil {
			return err
		}
		return add(ActionTerminalRemoved, about{store: &store, terminal: serial, before: place.ofImport(&store, serial, label, t.imp.ID)})
	}, t.imp.ID)
	if err != nil {
		return nil, err
	}
	err = t.each(ctx, `SELECT id, code, name, time_zone FROM stores WHERE import_id = $1 ORDER BY id`, func(rows *sql.Rows) error {
		var store Store
		if err := rows.Scan(&store.ID, &store.Code, &store.Name, &store.TimeZone); err != nil {
			return err
		}
		return add(ActionStoreRemoved, about{store: &store, before: store.ofImport(t.imp.ID)})
	}, t.imp.ID)
	return entries, err
}
