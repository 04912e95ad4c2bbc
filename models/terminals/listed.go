package terminals

import (
	"context"
	"fmt"
	"time"

	"veinte/models"
	"veinte/models/database"
)

// Listed is a terminal with where it stands, as programs list them.
type Listed struct {
	ID           int64
	SerialNumber models.SerialNumber
	Label        string
	Version      int
	StoreID      int64  // 0 when it stands in no store
	MerchantID   string // of that store
	Since        *time.Time
	RetiredAt    *time.Time
	LastResultAt *time.Time
}

// ListFilter narrows Listed. Zero values do not filter.
type ListFilter struct {
	StoreID int64
	State   StatusFilter // Active or Retired
	Cursor  string
	Size    int
}

// listedSQL is every terminal with where it stands at $1.
const listedSQL = `SELECT t.id, t.serial_number, t.label, t.version, coalesce(a.store_id, 0) AS store_id,
		coalesce(a.merchant_id, '') AS merchant_id, a.valid_from AS since, t.retired_at, t.last_result_at
	FROM terminals t
	LEFT JOIN assignments a ON a.terminal_id = t.id AND a.valid_from <= $1 AND (a.valid_to IS NULL OR a.valid_to > $1)`

// listed is one terminal.
func (s *Service) listed(ctx context.Context, serial models.SerialNumber) (*Listed, error) {
	found, err := database.Rows[Listed](ctx, s.db, listedSQL+` WHERE t.serial_number = $2`, s.clock.Now(), serial)
	if err == nil && len(found) == 0 {
		err = models.ErrNotFound
	}
	if err != nil {
		return nil, err
	}
	return &found[0], nil
}

// List returns a page of the terminals that stand in the actor's stores, by serial number,
// in one statement, and the cursor of the next page; "" at the end. Those that stand in no
// store are for who sees all stores.
//
// Errors: ErrForbidden, ErrNotFound for a store outside the actor's scope, cursor.invalid.
func (s *Service) List(ctx context.Context, actor models.Actor, f ListFilter) (page []Listed, next string, err error) {
	if !actor.May(models.ViewStores) {
		return nil, "", models.ErrForbidden
	}
	var behind string
	if f.Cursor != "" {
		if err := database.DecodeCursor(f.Cursor, &behind); err != nil {
			return nil, "", err
		}
		if _, err := models.ParseSerialNumber(behind); err != nil {
			return nil, "", models.Invalid("cursor", "cursor.invalid")
		}
	}
	all, stores := actor.AllStores, actor.StoreIDs
	if f.StoreID != 0 {
		if !actor.Sees(f.StoreID) {
			return nil, "", models.ErrNotFound
		}
		all, stores = false, []int64{f.StoreID}
	}
	page, err = database.Rows[Listed](ctx, s.db, listedSQL+`
		WHERE t.serial_number > $2 AND ($3 OR a.store_id = ANY($4))
			AND ($5 = '' OR (t.retired_at IS NOT NULL) = ($5 = $6))
		ORDER BY t.serial_number LIMIT $7`,
		s.clock.Now(), behind, all, stores, string(f.State), string(Retired), f.Size+1)
	if err != nil {
		return nil, "", fmt.Errorf("list terminals: %w", err)
	}
	if len(page) > f.Size {
		page = page[:f.Size]
		next = database.EncodeCursor(page[f.Size-1].SerialNumber)
	}
	return page, next, nil
}
