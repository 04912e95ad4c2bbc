package review

import (
	"veinte/models"
	"veinte/models/cancellations"
	"veinte/models/database"
)

// Service lists what a person has to review, and marks what was reviewed. It reads
// cancellations and does not move them.
type Service struct {
	db            *database.DB
	clock         models.Clock
	cancellations *cancellations.Service
}

// New makes the service.
func New(db *database.DB, clock models.Clock, c *cancellations.Service) *Service {
	return &Service{db: db, clock: clock, cancellations: c}
}
