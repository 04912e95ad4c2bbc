package imports

import (
	"log/slog"
	"time"

	"veinte/models"
	"veinte/models/audit"
	"veinte/models/database"
)

// Service checks, imports and undoes whole files.
type Service struct {
	db     *database.DB
	queue  models.Queue
	clock  models.Clock
	log    *slog.Logger
	window func() models.Window
	audit  *audit.Service
	actor  func(database.Tx, models.Actor) (models.Actor, error) // as they are now
}

// New makes the service.
func New(
	db *database.DB, queue models.Queue, clock models.Clock, log *slog.Logger, window func() models.Window, a *audit.Service,
	actor func(database.Tx, models.Actor) (models.Actor, error),
) *Service {
	return &Service{db: db, queue: queue, clock: clock, log: log, window: window, audit: a, actor: actor}
}

// now is the time as PostgreSQL stores it.
func (s *Service) now() time.Time { return s.clock.Now().UTC().Truncate(time.Microsecond) }
