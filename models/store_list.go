package models

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
)

// StoreFilter narrows the list of stores. Zero values do not filter.
type StoreFilter struct {
	Query  string // part of a name or code
	Cursor string // code of the last store of the page before
}

// StorePage is a page of stores, by code.
type StorePage struct {
	Stores []StoreLine
	Next   string // cursor of the next page; "" at the end
	Count  int64  // of everything the filter matches
}

// StoreLine is a store with how many terminals in use stand there now.
type StoreLine struct {
	Store
	Terminals int64
}

// Stores returns a page of the stores that the actor may see.
//
// Errors: ErrForbidden or cursor.invalid.
func (db *DB) Stores(ctx context.Context, actor Actor, now time.Time, f StoreFilter) (*StorePage, error) {
	if !actor.May(ManageStores) {
		return nil, ErrForbidden
	}
	if !storable(f.Cursor) {
		return nil, Invalid("cursor", "cursor.invalid")
	}
	text := strings.ToLower(strings.TrimSpace(f.Query))
	if !storable(text) {
		return &StorePage{}, nil // what cannot be stored is nowhere
	}
	const matching = ` FROM stores s WHERE (position($1 in lower(s.name)) > 0 OR position($1 in lower(s.code)) > 0) AND ($2 OR s.id = ANY($3))`
	page := &StorePage{}
	args := []any{text, actor.AllStores, actor.StoreIDs}
	if err := db.pool.QueryRow(ctx, `SELECT count(*)`+matching, args...).Scan(&page.Count); err != nil {
		return nil, fmt.Errorf("count stores: %w", err)
	}
	rows, err := db.pool.Query(ctx, `
		SELECT s.id, s.code, s.name, s.time_zone, s.version, s.created_at, (
			SELECT count(*) FROM assignments a JOIN terminals t ON t.id = a.terminal_id AND t.retired_at IS NULL
			WHERE a.store_id = s.id AND a.valid_from <= $5 AND (a.valid_to IS NULL OR a.valid_to > $5))`+
		matching+` AND s.code > $4 ORDER BY s.code LIMIT `+fmt.Sprint(PageSize+1), append(args, f.Cursor, now)...)
	if err != nil {
		return nil, fmt.Errorf("list stores: %w", err)
	}
	page.Stores, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (l StoreLine, err error) {
		err = row.Scan(&l.ID, &l.Code, &l.Name, &l.TimeZone, &l.Version, &l.CreatedAt, &l.Terminals)
		return l, err
	})
	if err != nil {
		return nil, fmt.Errorf("list stores: %w", err)
	}
	if len(page.Stores) > PageSize {
		page.Stores = page.Stores[:PageSize]
		page.Next = page.Stores[PageSize-1].Code
	}
	return page, nil
}
