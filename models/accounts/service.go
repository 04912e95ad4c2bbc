package accounts

import (
	"veinte/models"
	"veinte/models/audit"
	"veinte/models/database"
)

// Service manages people, their rights and their passwords.
type Service struct {
	db    *database.DB
	clock models.Clock
	audit *audit.Service

	mailLink func(database.Tx, *Link) (mailed bool, err error) // nil: there is no mail
}

// New returns a Service.
func New(db *database.DB, clock models.Clock, a *audit.Service) *Service {
	return &Service{db: db, clock: clock, audit: a}
}
