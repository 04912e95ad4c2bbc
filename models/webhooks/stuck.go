package webhooks

import (
	"context"
	"fmt"
	"time"

	"veinte/models"
)

// StuckLane is a lane whose first delivery fails repeatedly while the others wait
// for it.
type StuckLane struct {
	Total        int64  // how many such lanes the endpoint has
	ID           int64  // of its first delivery
	SerialNumber string // of the first delivery
	OrderID      string // of the first delivery
	Detail       Reason // how its last try ended
	FailingSince time.Time
	Waiting      int64 // deliveries, including the first one
}

const (
	// stuckAfter is how long a lane fails before it is shown.
	stuckAfter = 10 * time.Minute
	// shownStuck is how many stuck lanes a page shows.
	shownStuck = 20
)

// Stuck lists the lanes of an endpoint that have failed for more than ten
// minutes, the longest first, and at most twenty of them.
//
// Errors: ErrForbidden.
func (d *Service) Stuck(ctx context.Context, actor models.Actor, endpointID int64) ([]StuckLane, error) {
	if !actor.May(models.ManageEndpoints) {
		return nil, models.ErrForbidden
	}
	var lanes []StuckLane
	err := d.db.Gorm().WithContext(ctx).Raw(`SELECT l.total, l.failing_since, head.id, head.serial_number, head.order_id, head.detail,
			(SELECT count(*) FROM deliveries w
				WHERE w.endpoint_id = l.endpoint_id AND w.lane = l.lane AND w.state = `+deliveryWaitingSQL+`) AS waiting
		FROM (SELECT endpoint_id, lane, failing_since, count(*) OVER () AS total FROM delivery_lanes
			WHERE endpoint_id = ? AND failing_since <= ? ORDER BY failing_since, lane LIMIT ?) l
		CROSS JOIN LATERAL (SELECT id, serial_number, order_id, detail FROM deliveries h WHERE h.endpoint_id = l.endpoint_id
			AND h.lane = l.lane AND h.state = `+deliveryWaitingSQL+` ORDER BY id LIMIT 1) head
		ORDER BY l.failing_since, l.lane`, endpointID, d.clock.Now().Add(-stuckAfter), shownStuck).Scan(&lanes).Error
	if err != nil {
		return nil, fmt.Errorf("list what is stuck for endpoint %d: %w", endpointID, err)
	}
	return lanes, nil
}
