package closings

import (
	"veinte/models"
	"veinte/models/audit"
	"veinte/models/clocks"
	"veinte/models/database"
	"veinte/models/webhooks"
)

// Service closes days and reports them.
type Service struct {
	db         *database.DB
	clock      models.Clock
	clocks     *clocks.Service // nil: the clock is never wrong
	window     func() models.Window
	audit      *audit.Service
	deliveries *webhooks.Service // nil: nothing is forwarded
	frozen     frozen
}

// New makes the service.
func New(
	db *database.DB, clock models.Clock, own *clocks.Service, window func() models.Window, a *audit.Service, d *webhooks.Service,
) *Service {
	return &Service{db: db, clock: clock, clocks: own, window: window, audit: a, deliveries: d}
}
