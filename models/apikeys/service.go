package apikeys

import (
	"veinte/models"
	"veinte/models/database"
)

// Service manages API keys and idempotency records.
type Service struct {
	db       *database.DB
	clock    models.Clock
	keyReads ReadCache
}

// New returns a Service.
func New(db *database.DB, clock models.Clock) *Service {
	return &Service{db: db, clock: clock}
}
