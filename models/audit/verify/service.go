package verify

import (
	"log/slog"

	"veinte/models"
	"veinte/models/audit"
	"veinte/models/audit/sealing"
	"veinte/models/database"
)

// Service verifies the whole trail on request, and proves single entries.
type Service struct {
	db       *database.DB
	queue    models.Queue
	clock    models.Clock
	log      *slog.Logger
	readings audit.ReadingLog
	sealing  *sealing.Service
	audit    *audit.Service
}

// New makes the service.
func New(
	db *database.DB, queue models.Queue, clock models.Clock, log *slog.Logger, s *sealing.Service, a *audit.Service,
) *Service {
	return &Service{db: db, queue: queue, clock: clock, log: log, sealing: s, audit: a}
}
