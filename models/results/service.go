package results

import (
	"log/slog"

	"veinte/models"
	"veinte/models/audit"
	"veinte/models/cancellations"
	"veinte/models/database"
	"veinte/models/webhooks"
)

// Service stores what terminals post, and reads it.
type Service struct {
	db            *database.DB
	clock         models.Clock
	log           *slog.Logger
	window        func() models.Window
	cancellations *cancellations.Service
	deliveries    *webhooks.Service // nil: nothing is forwarded
	audit         *audit.Service
}

// New makes the service.
func New(
	db *database.DB, clock models.Clock, log *slog.Logger, window func() models.Window,
	c *cancellations.Service, d *webhooks.Service, a *audit.Service,
) *Service {
	return &Service{db: db, clock: clock, log: log, window: window, cancellations: c, deliveries: d, audit: a}
}
