package webhooks

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	"veinte/models/database"
)

// lockLane locks a lane until the end of the transaction, so that nobody adds to it
// or closes it. It reports whether the caller still holds the lane's lease.
func lockLane(t database.Tx, l Lane) (owned bool, err error) {
	err = t.Raw(`SELECT lease IS NOT NULL AND lease::text = ? FROM delivery_lanes WHERE endpoint_id = ? AND lane = ? FOR UPDATE`,
		l.Lease, l.EndpointID, l.Lane).Scan(&owned).Error
	return owned, err
}

// nextInLane prepares a lane for its next delivery, or closes it when there is none.
func nextInLane(t database.Tx, l Lane, now time.Time) (bool, error) {
	kept := t.Exec(`UPDATE delivery_lanes SET leased_until = ?, due_at = ?, `+laneFresh+` WHERE endpoint_id = ? AND lane = ? AND `+laneWaits,
		now.Add(laneLease), now, l.EndpointID, l.Lane)
	if kept.Error != nil || kept.RowsAffected > 0 {
		return kept.RowsAffected > 0, kept.Error
	}
	return false, t.Exec(`DELETE FROM delivery_lanes WHERE endpoint_id = ? AND lane = ? AND NOT `+laneWaits, l.EndpointID, l.Lane).Error
}

// laneWaits reports whether a delivery waits in a lane. It runs in a separate
// statement after the lane is locked, so that it sees everything added until then.
const laneWaits = `EXISTS (SELECT FROM deliveries d WHERE d.endpoint_id = delivery_lanes.endpoint_id
	AND d.lane = delivery_lanes.lane AND d.state = ` + deliveryWaitingSQL + `)`

// laneFresh resets the failures of a lane's previous head.
const laneFresh = `failures = 0, failing_since = NULL, not_before = NULL`

// releaseLane releases a lane that the caller still holds, or closes it when nothing
// waits in it any more.
func releaseLane(t database.Tx, l Lane) error {
	owned, err := lockLane(t, l)
	if err != nil || !owned {
		return err
	}
	err = t.Exec(`DELETE FROM delivery_lanes WHERE endpoint_id = ? AND lane = ? AND NOT `+laneWaits, l.EndpointID, l.Lane).Error
	if err != nil {
		return err
	}
	return t.Exec(`UPDATE delivery_lanes SET leased_until = NULL, lease = NULL WHERE endpoint_id = ? AND lane = ?`,
		l.EndpointID, l.Lane).Error
}

// retryLane releases a locked lane after a failure of its head, to be retried after
// a wait: at least as long as the receiver requested.
func retryLane(t database.Tx, l Lane, now time.Time, atLeast time.Duration) error {
	var failures int
	err := t.Raw(`UPDATE delivery_lanes SET failures = failures + 1, leased_until = NULL, lease = NULL WHERE endpoint_id = ? AND lane = ?
		RETURNING failures`, l.EndpointID, l.Lane).Scan(&failures).Error
	if err != nil {
		return err
	}
	asked := min(atLeast, longestRetry)
	var notBefore *time.Time
	if asked > 0 {
		until := now.Add(asked)
		notBefore = &until
	}
	pause := max(retryAfter(failures, rand.Float64()), asked)
	return t.Exec(`UPDATE delivery_lanes SET due_at = ?, not_before = ?, failing_since = coalesce(failing_since, ?)
		WHERE endpoint_id = ? AND lane = ?`, now.Add(pause), notBefore, now, l.EndpointID, l.Lane).Error
}

// retryAfter is the wait after so many failures in a row: 2 s, doubled each time up
// to half an hour, plus or minus a fifth, so that deliveries that failed together
// are not retried together. luck is from 0 to 1.
func retryAfter(failures int, luck float64) time.Duration {
	wait := longestRetry
	if failures < 12 {
		wait = min(firstRetry<<max(failures-1, 0), longestRetry)
	}
	return time.Duration(float64(wait) * (0.8 + 0.4*luck))
}

// retryBatch is how many lanes one statement makes due, so that nobody who adds to
// them waits for long.
const retryBatch = 500

// hasten updates the lanes of an endpoint to which a condition applies; an updated
// lane must not match it any more. It locks them in batches and in the common order
// of lanes, and holds no other locks.
func (d *Service) hasten(ctx context.Context, endpointID int64, set, where string) error {
	now := d.clock.Now()
	for {
		n, err := d.exec(ctx, `UPDATE delivery_lanes SET `+set+` WHERE (endpoint_id, lane) IN (
			SELECT endpoint_id, lane FROM delivery_lanes WHERE endpoint_id = @endpoint AND `+where+`
			ORDER BY lane LIMIT @most FOR UPDATE)`, map[string]any{"endpoint": endpointID, "now": now, "most": retryBatch})
		if err != nil {
			return fmt.Errorf("hasten deliveries to endpoint %d: %w", endpointID, err)
		}
		if n < retryBatch {
			return nil
		}
	}
}
