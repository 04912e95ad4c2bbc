package terminals

import (
	"context"
	"fmt"
	"strings"

	"veinte/models"
	"veinte/models/database"
)

// StoreFilter narrows the list of stores. Zero values do not filter.
type StoreFilter struct {
	Query  string // part of a name or code
	Cursor string // code of the last store of the previous page
}

// StorePage is a page of stores, by code.
type StorePage struct {
	Stores []StoreLine
	Next   string // cursor of the next page; "" at the end
	Count  int64  // of everything the filter matches
}

// StoreLine is a store with the number of its terminals in use.
type StoreLine struct {
	models.Store
	Terminals int64
}

// Stores returns a page of the stores that the actor may see.
//
// Errors: ErrForbidden or cursor.invalid.
func (s *Service) Stores(ctx context.Context, actor models.Actor, f StoreFilter) (*StorePage, error) {
	now := s.clock.Now()
	if !actor.May(models.ManageStores) {
		return nil, models.ErrForbidden
	}
	if !models.Storable(f.Cursor) {
		return nil, models.Invalid("cursor", "cursor.invalid")
	}
	text := strings.ToLower(strings.TrimSpace(f.Query))
	if !models.Storable(text) {
		return &StorePage{}, nil // text that cannot be stored matches nothing
	}
	const matching = ` FROM stores s
		WHERE (position($1 in lower(s.name)) > 0 OR position($1 in lower(s.code)) > 0) AND ($2 OR s.id = ANY($3))`
	page := &StorePage{}
	args := []any{text, actor.AllStores, actor.StoreIDs}
	if err := s.db.QueryRow(ctx, `SELECT count(*)`+matching, args...).Scan(&page.Count); err != nil {
		return nil, fmt.Errorf("count stores: %w", err)
	}
	var err error
	page.Stores, err = database.Rows[StoreLine](ctx, s.db, `
		SELECT s.id, s.code, s.name, s.time_zone, s.version, s.created_at, s.traceability, s.bare_traceability, (
			SELECT count(*) FROM assignments a JOIN terminals t ON t.id = a.terminal_id AND t.retired_at IS NULL
			WHERE a.store_id = s.id AND a.valid_from <= $5 AND (a.valid_to IS NULL OR a.valid_to > $5)) AS terminals`+
		matching+` AND s.code > $4 ORDER BY s.code LIMIT `+fmt.Sprint(models.PageSize+1), append(args, f.Cursor, now)...)
	if err != nil {
		return nil, fmt.Errorf("list stores: %w", err)
	}
	if len(page.Stores) > models.PageSize {
		page.Stores = page.Stores[:models.PageSize]
		page.Next = page.Stores[models.PageSize-1].Code
	}
	return page, nil
}
