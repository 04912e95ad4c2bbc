package compare

import (
	"log/slog"

	"veinte/models"
	"veinte/models/database"
)

// Service compares the tables with the trail, and stores what it found.
type Service struct {
	db    *database.DB
	clock models.Clock
	log   *slog.Logger
	// window says by which calendar a night is over.
	window func() models.Window
}

// New makes the service.
func New(db *database.DB, clock models.Clock, log *slog.Logger, window func() models.Window) *Service {
	return &Service{db: db, clock: clock, log: log, window: window}
}
