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
	waits     func() models.Waits
	terminals *terminals.Service
	recent    recent

	// AsksFirst is whether a terminal is asked about a sale from before this database
	// before anything is sent, and KeepsCommits that of lineage.Config.
	AsksFirst, KeepsCommits bool
}

// New makes the service.
func New(
	db *database.DB, clock models.Clock, window func() models.Window, waits func() models.Waits, t *terminals.Service,
) *Service {
	return &Service{db: db, clock: clock, window: window, waits: waits, terminals: t}
}
