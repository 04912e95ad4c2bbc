package accounts

import (
	"sync"

	"veinte/models"
	"veinte/models/audit"
	"veinte/models/database"
)

// Service manages users, their passwords and their sessions.
type Service struct {
	db    *database.DB
	clock models.Clock
	audit *audit.Service
	door  *door

	mailLink func(database.Tx, *Link) (mailed bool, err error) // nil: there is no mail

	keyMu sync.Mutex
	key   []byte // of devices; nil: not read yet
}

// New returns a Service.
func New(db *database.DB, clock models.Clock, a *audit.Service) *Service {
	return &Service{db: db, clock: clock, audit: a, door: newDoor()}
}
