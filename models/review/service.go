package review

import (
	"veinte/models"
	"veinte/models/alerts"
	"veinte/models/cancellations"
	"veinte/models/database"
	"veinte/models/oversight"
	"veinte/models/reconciliation"
	"veinte/models/terminals"
)

// Service lists what needs a person and what is pending of a day, and marks what was
// handled. It reads cancellations and does not move them.
type Service struct {
	db            *database.DB
	clock         models.Clock
	cancellations *cancellations.Service
	terminals     *terminals.Service
	window        func() models.Window
	alerts        *alerts.Service
	differences   *reconciliation.Service
	oversight     *oversight.Service
}

// Config has the dependencies of Service.
type Config struct {
	DB             *database.DB
	Clock          models.Clock
	Window         func() models.Window
	Cancellations  *cancellations.Service
	Terminals      *terminals.Service
	Alerts         *alerts.Service
	Reconciliation *reconciliation.Service
	Oversight      *oversight.Service
}

// New makes the service.
func New(c Config) *Service {
	s := &Service{
		db: c.DB, clock: c.Clock, window: c.Window, cancellations: c.Cancellations, terminals: c.Terminals,
		alerts: c.Alerts, differences: c.Reconciliation, oversight: c.Oversight,
	}
	s.differences.NotifyReviewed(s.withAlerts)
	return s
}
