package accounts

import (
	"veinte/models"
	"veinte/models/database"
)

// Service keeps people, their passwords and their sessions.
type Service struct {
	db    *database.DB
	clock models.Clock
}

// New makes the service.
func New(db *database.DB, clock models.Clock) *Service {
	return &Service{db: db, clock: clock}
}
