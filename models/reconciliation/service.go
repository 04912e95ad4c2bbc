package reconciliation

import (
	"context"

	"veinte/models"
	"veinte/models/cancellations"
	"veinte/models/database"
)

// Service compares providers' reports with our sales.
type Service struct {
	db            *database.DB
	clock         models.Clock
	window        func() models.Window
	waits         func() models.Waits
	cancellations *cancellations.Service
	reviewed      OnReviewed
}

// OnReviewed is what else is handled with an item of a sale, in its transaction.
type OnReviewed func(ctx context.Context, t database.Tx, actor models.Actor, saleID int64, note string) error

// NotifyReviewed says what else is handled with an item.
func (s *Service) NotifyReviewed(f OnReviewed) { s.reviewed = f }

// New makes the service.
func New(
	db *database.DB, clock models.Clock, window func() models.Window, waits func() models.Waits, c *cancellations.Service,
) *Service {
	return &Service{db: db, clock: clock, window: window, waits: waits, cancellations: c}
}
