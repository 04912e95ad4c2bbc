// Package bulk requests the cancellation of several sales with one press: what can be
// chosen, the requests one by one, and how each of them ended.
package bulk

import (
	"veinte/models/cancellations"
	"veinte/models/database"
	"veinte/models/terminals"
)

// Service requests in bulk.
type Service struct {
	db        *database.DB
	terminals *terminals.Service
	cases     *cancellations.Service
}

// New returns a Service.
func New(db *database.DB, t *terminals.Service, c *cancellations.Service) *Service {
	return &Service{db: db, terminals: t, cases: c}
}
