package operations

import (
	"log/slog"
	"sync"
	"time"

	"veinte/models"
	"veinte/models/audit/sealing"
	"veinte/models/database"
	"veinte/models/webhooks"
)

// Service is what concerns the whole: whether anything can be done, what everyone
// should know, how far it is set up, and the sweep of what was left behind.
type Service struct {
	db    *database.DB
	log   *slog.Logger
	clock models.Clock
	// clockAhead is how far the service's clock is ahead of ours beyond doubt; nil:
	// nothing is known.
	clockAhead func() time.Duration
	// credential reports why there is no key to the service; nil: it is not asked.
	credential func() error
	deliveries *webhooks.Service // nil: nothing is forwarded
	seals      *sealing.Service  // nil: nobody is told how sealing stands
	sweepers   []Sweeper
	notices    database.Cache[Notices]
	testing    sync.Mutex // held while the connection is tested
}

// Config is what the service is made of.
type Config struct {
	DB         *database.DB
	Clock      models.Clock
	Logger     *slog.Logger
	ClockAhead func() time.Duration // nil: nothing is known of the service's clock
	Credential func() error         // nil: it is not asked
	Deliveries *webhooks.Service    // nil: nothing is forwarded
	Sealing    *sealing.Service     // nil: nothing is sealed, and nobody told
	// Sweepers are asked in this order, each time.
	Sweepers []Sweeper
}

// New makes the service.
func New(c Config) *Service {
	return &Service{
		db: c.DB, clock: c.Clock, log: c.Logger, clockAhead: c.ClockAhead, credential: c.Credential,
		deliveries: c.Deliveries, seals: c.Sealing, sweepers: c.Sweepers,
	}
}

// ForgetNotices has the next page look at once: what everyone should know has
// just changed.
func (s *Service) ForgetNotices() { s.notices.Forget() }
