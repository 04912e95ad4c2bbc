package counters

import (
	"veinte/models"
	"veinte/models/accounts"
	"veinte/models/audit"
	"veinte/models/database"
	"veinte/models/entrance"
)

// Service manages counters, and lets people in there.
type Service struct {
	db       *database.DB
	clock    models.Clock
	audit    *audit.Service
	people   *accounts.Service
	entrance *entrance.Service
}

// New returns a Service.
func New(db *database.DB, clock models.Clock, a *audit.Service, people *accounts.Service, e *entrance.Service) *Service {
	return &Service{db: db, clock: clock, audit: a, people: people, entrance: e}
}
