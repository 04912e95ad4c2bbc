package terminals

import (
	"veinte/models"
	"veinte/models/addresses"
	"veinte/models/database"
)

// Service manages stores, terminals and their assignments.
type Service struct {
	db        *database.DB
	clock     models.Clock
	window    func() models.Window
	cache     DirectoryCache
	addresses *addresses.Keys // nil: no terminal has an address of its own
	onPlaced  OnPlaced        // nil: no callback
	// PostsOptional is true where an acknowledgement means canceled: then the merchant
	// may have no results posted at all.
	PostsOptional bool
}

// NotifyPlaced sets the function that is called after a terminal was assigned to a
// store.
func (s *Service) NotifyPlaced(f OnPlaced) { s.onPlaced = f }

// New returns a Service.
func New(db *database.DB, clock models.Clock, window func() models.Window, keys *addresses.Keys) *Service {
	return &Service{db: db, clock: clock, window: window, addresses: keys}
}
