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

// Service is the life of cancellations: what people ask for, what jobs carry out,
// what evidence proves. It owns what moves a cancellation and nothing else.
type Service struct {
	db        *database.DB
	queue     models.Queue
	api       models.CancelAPI
	inquiries models.InquiryAPI // nil when the merchant has none
	clock     models.Clock
	log       *slog.Logger
	// credential reports why there is no key to the service; nil when none is
	// needed or it cannot be known beforehand.
	credential func() error
	rules      *rules.Service
	terminals  *terminals.Service
	audit      *audit.Service
	deliveries *webhooks.Service // nil: nothing is forwarded
	paused     func(context.Context) bool
	onPause    func()
	saleLocks  database.KeyedMutex
}

// interruptedAfter is how long past its deadline an attempt without an outcome
// is taken for one whose process died.
const interruptedAfter = 10 * time.Second

// Config is what the service is made of.
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
	// Deliveries forwards events; nil: nothing is forwarded.
	Deliveries *webhooks.Service
	// Credential reports why the key to the service cannot be read; nil: it is
	// not asked.
	Credential func() error
	// Paused reports, at most a second old, whether an administrator has stopped
	// the sending; OnPause is called when that changed.
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
