package lineage

import (
	"context"
	"fmt"
	"time"

	"veinte/models"
	"veinte/models/database"
)

// Open is a cancellation that has not ended, as whoever restores a database is told.
type Open struct {
	ID           int64
	State        models.State
	OrderID      string
	SerialNumber models.SerialNumber
	RequestedAt  time.Time
	// Held: it was requested in another database, or in a later state of this one, and may
	// have been sent from there, so that a server here does not send it.
	Held bool
}

// OpenOnes lists the cancellations that have not ended, and which of them a server would
// not send. It changes nothing.
func (s *Service) OpenOnes(ctx context.Context) ([]Open, error) {
	rows, err := database.Rows[struct {
		Open
		AskedIn, Here database.Identity
		Waited        bool
	}](ctx, s.DB.Pool(), `SELECT c.id, c.state, s.order_id, s.serial_number, c.requested_at, false AS held,
			coalesce(c.asked_in, i.here) AS asked_in, i.here, coalesce(c.asked_waited, false) AS waited
		FROM cancellations c JOIN sales s ON s.id = c.sale_id, (SELECT database_identity() AS here) i
		WHERE c.state IN `+models.OpenSQL+` ORDER BY c.id`)
	if err != nil {
		return nil, fmt.Errorf("list cancellations that have not ended: %w", err)
	}
	open := make([]Open, len(rows))
	for i := range rows {
		r := &rows[i]
		r.Held = r.State == models.Requested && s.Elsewhere(r.AskedIn, r.Here, r.Waited)
		open[i] = r.Open
	}
	return open, nil
}
