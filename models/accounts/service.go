package accounts

import (
	"context"
	"sync"

	"veinte/models"
	"veinte/models/accounts/factors"
	"veinte/models/accounts/passkeys"
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

	factors  *factors.Service
	passkeys *passkeys.Service

	mailLink func(database.Tx, *Link) (mailed bool, err error) // nil: there is no mail

	// See NotifyEnded; nil: nothing is told.
	endRequests func(t database.Tx, actor models.Actor, id int64) (int64, error)
	ended       func(context.Context)

	keyMu sync.Mutex
	key   []byte // of devices; nil: not read yet
}

// New returns a Service.
func New(db *database.DB, clock models.Clock, a *audit.Service) *Service {
	s := &Service{db: db, clock: clock, audit: a, door: newDoor(), factors: factors.New(clock, nil)}
	s.PasskeysAt("")
	return s
}

// PasskeysAt has passkeys work at the address that people type; "": nowhere.
func (s *Service) PasskeysAt(address string) {
	s.passkeys = passkeys.New(s.clock, passkeys.SiteOf(address), s.deviceKey)
}

// PasskeySite is where passkeys work.
func (s *Service) PasskeySite() passkeys.Site { return s.passkeys.Site() }

// NotifyEnded has f called when somebody is disabled, in that transaction: it takes back
// what they asked for and has not left, and says how much that is. after is called when
// it is committed.
func (s *Service) NotifyEnded(f func(t database.Tx, actor models.Actor, id int64) (int64, error), after func(context.Context)) {
	s.endRequests, s.ended = f, after
}

// EncryptFactors has the secrets of second factors encrypted by a key of the operator's;
// nil: there is none.
func (s *Service) EncryptFactors(box *secretbox.Box) { s.factors = factors.New(s.clock, box) }
