package apikeys

import (
	"context"

	"veinte/models"
	"veinte/models/database"
)

// Service manages API keys and idempotency records.
type Service struct {
	db       *database.DB
	clock    models.Clock
	keyReads ReadCache

	// See NotifyEnded; nil: nothing is told.
	endRequests func(t database.Tx, actor models.Actor, id int64) (int64, error)
	ended       func(context.Context)

	asked func(t database.Tx, actor models.Actor, userID int64, name string) error // see NotifyAsked
}

// New returns a Service.
func New(db *database.DB, clock models.Clock) *Service {
	return &Service{db: db, clock: clock}
}

// NotifyEnded has f called when a key is revoked, in that transaction: it takes back what
// its program asked for and has not left, and says how much that is. after is called when
// it is committed.
func (s *Service) NotifyEnded(f func(t database.Tx, actor models.Actor, id int64) (int64, error), after func(context.Context)) {
	s.endRequests, s.ended = f, after
}

// NotifyAsked has f called when a scope of a key waits for another administrator, in that
// transaction.
func (s *Service) NotifyAsked(f func(t database.Tx, actor models.Actor, userID int64, name string) error) {
	s.asked = f
}
