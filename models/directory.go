package models

import (
	"context"
	"fmt"
	"sort"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
)

// Directory is every store and terminal, for labels. It is read-only.
type Directory struct {
	Stores    map[int64]*Store
	Terminals map[int64]Terminal
	sorted    []Store
}

// Visible returns the stores that the actor may see, by code.
func (d *Directory) Visible(actor Actor) []Store {
	if actor.AllStores {
		return d.sorted
	}
	var visible []Store
	for _, s := range d.sorted {
		if actor.Sees(s.ID) {
			visible = append(visible, s)
		}
	}
	return visible
}

// directoryAge is how old labels may be. Another process may have changed them;
// what somebody may see or do is never decided by them.
const directoryAge = 2 * time.Second

type directoryCache struct {
	mu    sync.Mutex
	dir   *Directory
	until time.Time
}

// Directory returns the stores and terminals, at most two seconds old.
func (db *DB) Directory(ctx context.Context) (*Directory, error) {
	db.cache.mu.Lock()
	defer db.cache.mu.Unlock()
	if db.cache.dir != nil && time.Now().Before(db.cache.until) {
		return db.cache.dir, nil
	}
	dir, err := db.readDirectory(ctx)
	if err != nil {
		return nil, fmt.Errorf("read directory: %w", err)
	}
	db.cache.dir, db.cache.until = dir, time.Now().Add(directoryAge)
	return dir, nil
}

// forgetDirectory makes the next reader see what this process just changed.
func (db *DB) forgetDirectory() {
	db.cache.mu.Lock()
	db.cache.dir = nil
	db.cache.mu.Unlock()
}

func (db *DB) readDirectory(ctx context.Context) (*Directory, error) {
	d := &Directory{Stores: map[int64]*Store{}, Terminals: map[int64]Terminal{}}
	rows, err := db.pool.Query(ctx, `SELECT id, code, name, time_zone, version, created_at FROM stores`)
	if err != nil {
		return nil, err
	}
	stores, err := pgx.CollectRows(rows, pgx.RowToStructByPos[Store])
	if err != nil {
		return nil, err
	}
	sort.Slice(stores, func(i, j int) bool { return stores[i].Code < stores[j].Code })
	for i := range stores { // only now: sorting moves what the pointers point at
		d.Stores[stores[i].ID] = &stores[i]
	}
	d.sorted = stores
	rows, err = db.pool.Query(ctx, `SELECT id, serial_number, label, version, retired_at, last_result_at, last_answer_at, last_answer, created_at FROM terminals`)
	if err != nil {
		return nil, err
	}
	terminals, err := pgx.CollectRows(rows, pgx.RowToStructByPos[Terminal])
	if err != nil {
		return nil, err
	}
	for _, t := range terminals {
		d.Terminals[t.ID] = t
	}
	return d, nil
}
