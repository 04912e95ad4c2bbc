package cancellations

import (
	"context"
	"log/slog"
	"time"

	"veinte/models"
	"veinte/models/audit"
	"veinte/models/database"
	"veinte/models/rules"
	"veinte/models/terminals"
	"veinte/models/webhooks"
)

// Service implements the life cycle of cancellations: requests of people, jobs, and
// evidence. It owns the code that moves a cancellation and nothing else.
type Service struct {
	db        *database.DB
	queue     models.Queue
	api       models.CancelAPI
	inquiries models.InquiryAPI // nil when the merchant has no inquiries
	clock     models.Clock
	log       *slog.Logger
	// credential reports why there is no key to the service; nil when none is needed
	// or it cannot be known in advance.
	credential func() error
	rules      *rules.Service
	terminals  *terminals.Service
	audit      *audit.Service
	deliveries *webhooks.Service // nil: events are not published
	paused     func(context.Context) bool
	onPause    func()
	saleLocks  database.KeyedMutex
}

// interruptedAfter is how long past its deadline an attempt without an outcome is
// assumed to belong to a process that died.
const interruptedAfter = 10 * time.Second

// Config is the dependencies and settings of the service.
type Config struct {
	DB        *database.DB
	Queue     models.Queue
	API       models.CancelAPI
	Inquiries models.InquiryAPI // nil: none
	Clock     models.Clock
	Logger    *slog.Logger
	Rules     *rules.Service
	Terminals *terminals.Service
	Audit     *audit.Service
	// Deliveries publishes events; nil: they are not published.
	Deliveries *webhooks.Service
	// Credential reports why the key to the service cannot be read; nil: it is not
	// checked.
	Credential func() error
	// Paused reports whether an administrator has stopped the sending; the value is
	// at most a second old. OnPause is called when it changed.
	Paused  func(context.Context) bool
	OnPause func()
}

// New makes the service.
func New(c Config) *Service {
	return &Service{
		db: c.DB, queue: c.Queue, api: c.API, inquiries: c.Inquiries, clock: c.Clock, log: c.Logger, credential: c.Credential,
		rules: c.Rules, terminals: c.Terminals, audit: c.Audit, deliveries: c.Deliveries, paused: c.Paused, onPause: c.OnPause,
	}
}

// CanInquire reports whether terminals can be asked for the state of a sale.
func (s *Service) CanInquire() bool { return s.inquiries != nil }
