package terminals

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"veinte/models"
	"veinte/models/database"
)

// Directory contains all stores and terminals, for labels. It is read-only.
type Directory struct {
	Stores    map[int64]*models.Store
	Terminals map[int64]models.Terminal
	sorted    []models.Store
}

// Visible returns the stores that the actor may see, by code.
func (d *Directory) Visible(actor models.Actor) []models.Store {
	if actor.AllStores {
		return d.sorted
	}
	var visible []models.Store
	for _, s := range d.sorted {
		if actor.Sees(s.ID) {
			visible = append(visible, s)
		}
	}
	return visible
}

// directoryAge is the maximum age of labels, which another process may have changed.
// Permissions are never decided by them.
const directoryAge = 2 * time.Second

type DirectoryCache struct {
	mu    sync.Mutex
	dir   *Directory
	until time.Time
}

// Directory returns the stores and terminals, at most two seconds old.
func (s *Service) Directory(ctx context.Context) (*Directory, error) {
	s.cache.mu.Lock()
	defer s.cache.mu.Unlock()
	if s.cache.dir != nil && time.Now().Before(s.cache.until) {
		return s.cache.dir, nil
	}
	dir, err := s.readDirectory(database.Alone(ctx)) // with the lock, for which others may wait
	if err != nil {
		return nil, fmt.Errorf("read directory: %w", err)
	}
	s.cache.dir, s.cache.until = dir, time.Now().Add(directoryAge)
	return dir, nil
}

// forgetDirectory drops the cache, so that the next reader sees what this process
// has just changed.
func (s *Service) forgetDirectory() {
	s.cache.mu.Lock()
	s.cache.dir = nil
	s.cache.mu.Unlock()
}

// terminalColumns are the columns of a models.Terminal, of a table t.
const terminalColumns = `t.id, t.serial_number, t.label, t.version, t.retired_at, t.last_result_at, t.last_answer_at,
	t.last_answer, t.address_key, t.shared_posts, t.created_at`

func (s *Service) readDirectory(ctx context.Context) (*Directory, error) {
	d := &Directory{Stores: map[int64]*models.Store{}, Terminals: map[int64]models.Terminal{}}
	stores, err := database.Rows[models.Store](ctx, s.db, `
		SELECT id, code, name, time_zone, version, created_at, traceability, bare_traceability FROM stores`)
	if err != nil {
		return nil, err
	}
	slices.SortFunc(stores, models.ByCode)
	for i := range stores { // not earlier: sorting moves the elements that the pointers refer to
		d.Stores[stores[i].ID] = &stores[i]
	}
	d.sorted = stores
	terminals, err := database.Rows[models.Terminal](ctx, s.db, `SELECT `+terminalColumns+` FROM terminals t`)
	if err != nil {
		return nil, err
	}
	for _, t := range terminals {
		d.Terminals[t.ID] = t
	}
	return d, nil
}

// Scope returns the ids of the stores to query: the requested one if the actor sees
// it, else all that the actor sees.
func (s *Service) Scope(ctx context.Context, actor models.Actor, storeID int64) ([]int64, error) {
	if storeID != 0 {
		if !actor.Sees(storeID) {
			return nil, models.ErrNotFound
		}
		return []int64{storeID}, nil
	}
	if !actor.AllStores {
		return actor.StoreIDs, nil
	}
	dir, err := s.Directory(ctx)
	if err != nil {
		return nil, err
	}
	ids := make([]int64, 0, len(dir.sorted))
	for _, s := range dir.sorted {
		ids = append(ids, s.ID)
	}
	return ids, nil
}
