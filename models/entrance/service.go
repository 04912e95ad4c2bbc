package entrance

import (
	"sync"

	"veinte/models"
	"veinte/models/accounts"
	"veinte/models/audit"
	"veinte/models/database"
	"veinte/models/entrance/factors"
	"veinte/models/entrance/passkeys"
	"veinte/models/secretbox"
)

// Service lets people in, and knows who is.
type Service struct {
	db     *database.DB
	clock  models.Clock
	audit  *audit.Service
	people *accounts.Service
	door   *door

	factors  *factors.Service
	passkeys *passkeys.Service

	sharedPeople bool // anybody may be them: see SharePeople

	keyMu sync.Mutex
	key   []byte // of devices; nil: not read yet
}

// New returns a Service.
func New(db *database.DB, clock models.Clock, a *audit.Service, people *accounts.Service) *Service {
	s := &Service{db: db, clock: clock, audit: a, people: people, door: newDoor(), factors: factors.New(clock, nil)}
	s.PasskeysAt("")
	return s
}

// PasskeysAt has passkeys work at the address that people type; "": nowhere.
func (s *Service) PasskeysAt(address string) {
	s.passkeys = passkeys.New(s.clock, passkeys.SiteOf(address), s.deviceKey)
}

// PasskeySite is where passkeys work.
func (s *Service) PasskeySite() passkeys.Site { return s.passkeys.Site() }

// EncryptFactors has the secrets of second factors encrypted by a key of the operator's;
// nil: there is none.
func (s *Service) EncryptFactors(box *secretbox.Box) { s.factors = factors.New(s.clock, box) }

// SharePeople has nobody told of a new browser: the people of the demo are whoever tries it.
func (s *Service) SharePeople() { s.sharedPeople = true }
