package accounts

import (
	"context"

	"veinte/models"
	"veinte/models/audit"
	"veinte/models/database"
)

// Service manages people, their rights and their passwords.
type Service struct {
	db    *database.DB
	clock models.Clock
	audit *audit.Service

	mailLink   func(database.Tx, *Link) (mailed bool, err error) // nil: there is no mail
	mailNotice func(database.Tx, *models.AccountNotice) error    // as above

	// See NotifyEnded; nil: nothing is told.
	endRequests func(t database.Tx, actor models.Actor, id int64) (int64, error)
	ended       func(context.Context)
}

// New returns a Service.
func New(db *database.DB, clock models.Clock, a *audit.Service) *Service {
	return &Service{db: db, clock: clock, audit: a}
}

// NotifyEnded has f called when somebody is disabled, in that transaction: it takes back
// what they asked for and has not left, and says how much that is. after is called when
// it is committed.
func (s *Service) NotifyEnded(f func(t database.Tx, actor models.Actor, id int64) (int64, error), after func(context.Context)) {
	s.endRequests, s.ended = f, after
}
