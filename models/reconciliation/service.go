package reconciliation

import (
	"veinte/models"
	"veinte/models/cancellations"
	"veinte/models/database"
)

// Service compares providers' reports with our sales.
type Service struct {
	db            *database.DB
	clock         models.Clock
	window        func() models.Window
	waits         func() models.Waits
	cancellations *cancellations.Service
}

// New makes the service.
func New(
	db *database.DB, clock models.Clock, window func() models.Window, waits func() models.Waits, c *cancellations.Service,
) *Service {
	return &Service{db: db, clock: clock, window: window, waits: waits, cancellations: c}
}
