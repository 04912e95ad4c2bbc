package cancellations

import (
	"context"

	"veinte/models"
	"veinte/models/audit"
	"veinte/models/clocks"
	"veinte/models/database"
	"veinte/models/lineage"
	"veinte/models/rules"
	"veinte/models/terminals"
	"veinte/models/webhooks"
)

// Service implements the life cycle of cancellations: requests of people, jobs, and
// evidence. It owns the code that moves a cancellation and nothing else.
type Service struct {
	config    Config
	saleLocks database.KeyedMutex
}

// Config is the dependencies and settings of the service.
type Config struct {
	DB        *database.DB
	Queue     models.Queue
	API       models.CancelAPI
	Inquiries models.InquiryAPI // nil: none
	Clock     models.Clock
	Clocks    *clocks.Service // nil: the clock is never wrong
	Rules     *rules.Service
	Terminals *terminals.Service
	Audit     *audit.Service
	Lineage   *lineage.Service
	// Deliveries publishes events; nil: they are not published.
	Deliveries *webhooks.Service
	// Actor returns who acts as they are now, and keeps them so until the end of the
	// transaction.
	Actor func(database.Tx, models.Actor) (models.Actor, error)
	// OnEnded has a person who asked for a cancellation told how a doubt about it ended,
	// in the transaction that ends it; nil: nobody is.
	OnEnded func(database.Tx, *models.Cancellation) error
	// Credential reports why the key to the service cannot be read; nil: it is not
	// checked.
	Credential func() error
	// Paused reports whether an administrator has stopped the sending; the value is
	// at most a second old. OnPause is called when it changed.
	Paused  func(context.Context) bool
	OnPause func()
}

// New makes the service.
func New(c Config) *Service { return &Service{config: c} }

// CanInquire reports whether terminals can be asked for the state of a sale.
func (s *Service) CanInquire() bool { return s.config.Inquiries != nil }
