package audit

import (
	"time"

	"veinte/models"
	"veinte/models/database"
)

// Service reads the trail for those who may.
type Service struct {
	db         *database.DB
	clock      models.Clock
	window     func() models.Window
	readings   ReadingLog
	counter    *counter
	testBudget time.Duration // taken from the budget of a search; set by tests
}

// New makes the service.
func New(db *database.DB, clock models.Clock, window func() models.Window) *Service {
	return &Service{db: db, clock: clock, window: window, counter: newCounter()}
}
