package intake

import (
	"log/slog"

	"veinte/models"
	"veinte/models/database"
	"veinte/models/terminals"
)

// Service records sales that a program, a file, a person or a terminal reports.
type Service struct {
	db         *database.DB
	clock      models.Clock
	log        *slog.Logger
	window     func() models.Window
	terminals  *terminals.Service
	intakes    Groups
	onRecorded OnRecorded // nil: no hook
}

// NotifyRecorded sets the hook that is called after new sales were recorded.
func (s *Service) NotifyRecorded(f OnRecorded) { s.onRecorded = f }

// New makes the service.
func New(db *database.DB, clock models.Clock, log *slog.Logger, window func() models.Window, t *terminals.Service) *Service {
	return &Service{db: db, clock: clock, log: log, window: window, terminals: t}
}
