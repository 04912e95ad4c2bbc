package imports

import (
	"log/slog"

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
}

// New makes the service.
func New(
	db *database.DB, queue models.Queue, clock models.Clock, log *slog.Logger, window func() models.Window, a *audit.Service,
) *Service {
	return &Service{db: db, queue: queue, clock: clock, log: log, window: window, audit: a}
}
