package terminals

import (
	"veinte/models"
	"veinte/models/database"
)

// Service keeps stores, terminals and where each one stands.
type Service struct {
	db       *database.DB
	clock    models.Clock
	window   func() models.Window
	cache    DirectoryCache
	onPlaced OnPlaced // nil: nobody waits for it
}

// NotifyPlaced has f called after a terminal came to stand somewhere.
func (s *Service) NotifyPlaced(f OnPlaced) { s.onPlaced = f }

// New makes the service.
func New(db *database.DB, clock models.Clock, window func() models.Window) *Service {
	return &Service{db: db, clock: clock, window: window}
}
