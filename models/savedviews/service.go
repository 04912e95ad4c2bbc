package savedviews

import (
	"veinte/models"
	"veinte/models/database"
)

// Service stores filters of lists under names.
type Service struct {
	db    *database.DB
	clock models.Clock
}

// New makes the service.
func New(db *database.DB, clock models.Clock) *Service {
	return &Service{db: db, clock: clock}
}
