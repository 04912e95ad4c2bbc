package export

import (
	"log/slog"
	"sync/atomic"

	"veinte/models"
	"veinte/models/audit"
	"veinte/models/audit/sealing"
	"veinte/models/database"
)

// Service writes the trail as files.
type Service struct {
	db      *database.DB
	clock   models.Clock
	log     *slog.Logger
	window  func() models.Window
	sealing *sealing.Service
	audit   *audit.Service
	exports atomic.Int64 // under way in this process
}

// New makes the service.
func New(
	db *database.DB, clock models.Clock, log *slog.Logger, window func() models.Window, s *sealing.Service, a *audit.Service,
) *Service {
	return &Service{db: db, clock: clock, log: log, window: window, sealing: s, audit: a}
}
