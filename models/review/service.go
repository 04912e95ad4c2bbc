package review

import (
	"veinte/models"
	"veinte/models/cancellations"
	"veinte/models/database"
	"veinte/models/terminals"
)

// Service lists what a person has to review and what is pending of a day, and marks
// what was reviewed. It reads
// cancellations and does not move them.
type Service struct {
	db            *database.DB
	clock         models.Clock
	cancellations *cancellations.Service
	terminals     *terminals.Service
	window        func() models.Window
}

// New makes the service.
func New(
	db *database.DB, clock models.Clock, window func() models.Window, c *cancellations.Service, t *terminals.Service,
) *Service {
	return &Service{db: db, clock: clock, window: window, cancellations: c, terminals: t}
}
