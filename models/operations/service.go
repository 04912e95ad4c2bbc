package operations

import (
	"context"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"veinte/models"
	"veinte/models/audit/sealing"
	"veinte/models/clocks"
	"veinte/models/database"
	"veinte/models/lineage"
	"veinte/models/webhooks"
)

// Service has what concerns the whole system: whether it is available, the notices
// for everyone, onboarding, and the sweep of unfinished work.
type Service struct {
	db    *database.DB
	log   *slog.Logger
	clock models.Clock
	// clocks is how our own clock stands; nil: it is never wrong.
	clocks *clocks.Service
	// clockAhead is how far the service's clock is at least ahead of ours; nil:
	// nothing is known.
	clockAhead func() time.Duration
	// credential reports why there is no key to the service; nil: it is not checked.
	credential func() error
	deliveries *webhooks.Service                               // nil: nothing is forwarded
	seals      *sealing.Service                                // nil: the state of sealing is not shown
	signing    func(context.Context) (*sealing.Trouble, error) // nil: nobody else signs
	lineage    *lineage.Service
	sweepers   []Sweeper
	blocked    func(context.Context) (map[string]int64, error)    // nil: every name is shown
	ended      func(context.Context) ([]models.EndedDoubt, error) // nil: nobody is told of doubts that ended
	notices    database.Cache[Notices]
	away       atomic.Pointer[time.Time] // since when the database is; nil when it is there
	testing    sync.Mutex                // held while the connection is tested
}

// Config has the dependencies of Service.
type Config struct {
	DB         *database.DB
	Clock      models.Clock
	Clocks     *clocks.Service // nil: the clock is never wrong
	Logger     *slog.Logger
	ClockAhead func() time.Duration // nil: nothing is known of the service's clock
	Credential func() error         // nil: it is not checked
	Deliveries *webhooks.Service    // nil: nothing is forwarded
	Sealing    *sealing.Service     // nil: nothing is sealed and nothing is shown
	// Signing returns what people should know of those who sign checkpoints beside us.
	Signing func(context.Context) (*sealing.Trouble, error)
	Lineage *lineage.Service
	// Blocked returns the names that no page shows, with whose they are.
	Blocked func(context.Context) (map[string]int64, error)
	// Ended returns the doubts that ended and that nobody has seen yet who asked.
	Ended func(context.Context) ([]models.EndedDoubt, error)
	// Sweepers run in this order, each time.
	Sweepers []Sweeper
}

// New makes the service.
func New(c Config) *Service {
	return &Service{
		db: c.DB, clock: c.Clock, clocks: c.Clocks, log: c.Logger, clockAhead: c.ClockAhead, credential: c.Credential,
		deliveries: c.Deliveries, seals: c.Sealing, signing: c.Signing, lineage: c.Lineage,
		sweepers: c.Sweepers, ended: c.Ended, blocked: c.Blocked,
	}
}

// ForgetNotices makes the next page read the notices again, because they have just
// changed.
func (s *Service) ForgetNotices() { s.notices.Forget() }
