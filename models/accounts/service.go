package accounts

import (
	"veinte/models"
	"veinte/models/database"
)

// Service manages users, their passwords and their sessions.
type Service struct {
	db    *database.DB
	clock models.Clock
}

// New returns a Service.
func New(db *database.DB, clock models.Clock) *Service {
	return &Service{db: db, clock: clock}
}
