package apikeys

import (
	"veinte/models"
	"veinte/models/database"
)

// Service keeps the keys of programs and what they were answered.
type Service struct {
	db       *database.DB
	clock    models.Clock
	keyReads ReadCache
}

// New makes the service.
func New(db *database.DB, clock models.Clock) *Service {
	return &Service{db: db, clock: clock}
}
