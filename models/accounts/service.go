package accounts

import (
	"sync"

	"veinte/models"
	"veinte/models/accounts/factors"
	"veinte/models/audit"
	"veinte/models/database"
	"veinte/models/secretbox"
)

// Service manages users, their passwords and their sessions.
type Service struct {
	db    *database.DB
	clock models.Clock
	audit *audit.Service
	door  *door

	factors *factors.Service

	mailLink func(database.Tx, *Link) (mailed bool, err error) // nil: there is no mail

	keyMu sync.Mutex
	key   []byte // of devices; nil: not read yet
}

// New returns a Service.
func New(db *database.DB, clock models.Clock, a *audit.Service) *Service {
	return &Service{db: db, clock: clock, audit: a, door: newDoor(), factors: factors.New(clock, nil)}
}

// EncryptFactors has the secrets of second factors encrypted by a key of the operator's;
// nil: there is none.
func (s *Service) EncryptFactors(box *secretbox.Box) { s.factors = factors.New(s.clock, box) }
