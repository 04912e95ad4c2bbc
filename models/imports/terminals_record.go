package imports

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"veinte/models"
	"veinte/models/audit"
	"veinte/models/database"
	"veinte/models/intake"
)

// recordTerminals records in the trail where each new terminal was placed, as if a
// person had registered it, so that the trail shows the beginning of each terminal.
func (r *terminalsRun) recordTerminals(froms []time.Time) error {
	entries := make([]models.AuditEntry, 0, len(r.fresh))
	for i, in := range r.fresh {
		known := r.stores[in.code]
		store := &models.Store{ID: known.id, Name: known.name}
		place := models.Assignment{MerchantID: in.merchant, ValidFrom: froms[i]}
		a := audit.About{Store: store, Terminal: in.serial, After: place.OfImport(store, in.serial, in.label, r.imp.ID)}
		e, err := audit.NewEntry(r.actor, r.now, models.ActionTerminalCreated, models.OutcomeSuccess, a)
		if err != nil {
			return err
		}
		entries = append(entries, e)
	}
	return audit.RecordAll(r.pass.Tx, entries)
}

// recordStores records the new stores in the trail.
func (r *terminalsRun) recordStores(codes []string) error {
	entries := make([]models.AuditEntry, 0, len(codes))
	for _, code := range codes {
		s := r.stores[code]
		store := &models.Store{ID: s.id, Code: code, Name: s.name, TimeZone: s.zone}
		a := audit.About{Store: store, After: store.OfImport(r.imp.ID)}
		e, err := audit.NewEntry(r.actor, r.now, models.ActionStoreCreated, models.OutcomeSuccess, a)
		if err != nil {
			return err
		}
		entries = append(entries, e)
	}
	return audit.RecordAll(r.pass.Tx, entries)
}

// undoTerminals removes the terminals of an import, and the stores that it opened,
// in the caller's transaction.
//
// Errors: import.terminalsInUse when something depends on one of them, or
// somebody has changed it since.
func undoTerminals(ctx context.Context, p *pass) (int64, error) {
	entries, err := p.removals(ctx)
	if err != nil {
		return 0, fmt.Errorf("read terminals of import %d: %w", p.imp.ID, err)
	}
	var n int64
	err = p.SQL.QueryRowContext(ctx, `SELECT undo_terminals($1)`, p.imp.ID).Scan(&n)
	var refused *pgconn.PgError
	if errors.As(err, &refused) && refused.Code == intake.ForeignKeyViolation {
		return 0, &models.Error{Kind: models.KindConflict, Code: "import.terminalsInUse"}
	}
	if err != nil {
		return 0, fmt.Errorf("undo terminals of import %d: %w", p.imp.ID, err)
	}
	return n, audit.RecordAll(p.Tx, entries)
}

// removals are the trail's entries of what is about to be removed. It is removed
// only if nothing of it has changed since it was written.
func (t *pass) removals(ctx context.Context) (entries []models.AuditEntry, err error) {
	add := func(action models.Action, a audit.About) error {
		e, err := audit.NewEntry(t.actor, t.now, action, models.OutcomeSuccess, a)
		entries = append(entries, e)
		return err
	}
	placed, err := database.TxRows[struct {
		SerialNumber     models.SerialNumber
		Label, StoreName string
		models.Assignment
	}](ctx, t.Tx, `SELECT t.serial_number, t.label, a.merchant_id, a.valid_from, a.store_id, s.name AS store_name
		FROM terminals t JOIN assignments a ON a.terminal_id = t.id JOIN stores s ON s.id = a.store_id
		WHERE t.import_id = $1 ORDER BY t.id, a.id`, t.imp.ID)
	if err != nil {
		return nil, err
	}
	for _, p := range placed {
		store := &models.Store{ID: p.StoreID, Name: p.StoreName}
		before := p.OfImport(store, p.SerialNumber, p.Label, t.imp.ID)
		if err := add(models.ActionTerminalRemoved, audit.About{Store: store, Terminal: p.SerialNumber, Before: before}); err != nil {
			return nil, err
		}
	}
	var stores []models.Store
	if err := t.Where("import_id = ?", t.imp.ID).Order("id").Find(&stores).Error; err != nil {
		return nil, err
	}
	for i := range stores {
		s := &stores[i]
		if err := add(models.ActionStoreRemoved, audit.About{Store: s, Before: s.OfImport(t.imp.ID)}); err != nil {
			return nil, err
		}
	}
	return entries, nil
}
