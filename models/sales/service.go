package sales

import (
	"veinte/models"
	"veinte/models/database"
	"veinte/models/terminals"
)

// Service lists, finds and counts sales.
type Service struct {
	db        *database.DB
	clock     models.Clock
	window    func() models.Window
	terminals *terminals.Service
}

// New makes the service.
func New(db *database.DB, clock models.Clock, window func() models.Window, t *terminals.Service) *Service {
	return &Service{db: db, clock: clock, window: window, terminals: t}
}
