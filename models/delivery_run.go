package models

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	"gorm.io/gorm"
)

// Due returns the endpoints for which something is due now.
func (d *Deliveries) Due(ctx context.Context) ([]int64, error) {
	var ids []int64
	now := d.clock.Now()
	err := d.db.gorm.WithContext(ctx).Raw(`SELECT e.id FROM endpoints e WHERE e.state = 'active' AND EXISTS (
		SELECT FROM delivery_lanes l WHERE l.endpoint_id = e.id AND l.due_at <= ? AND (l.leased_until IS NULL OR l.leased_until <= ?))
		ORDER BY e.id`, now, now).Scan(&ids).Error
	if err != nil {
		return nil, fmt.Errorf("look for deliveries: %w", err)
	}
	return ids, nil
}

// Claim takes lanes of an endpoint that are due, those that have waited longest
// first. They are the caller's until its lease ends.
func (d *Deliveries) Claim(ctx context.Context, endpointID int64, most int) ([]Lane, error) {
	var lanes []Lane
	now := d.clock.Now()
	err := d.db.gorm.WithContext(ctx).Raw(`UPDATE delivery_lanes SET leased_until = ? WHERE (endpoint_id, lane) IN (
			SELECT endpoint_id, lane FROM delivery_lanes
			WHERE endpoint_id = ? AND due_at <= ? AND (leased_until IS NULL OR leased_until <= ?)
			ORDER BY due_at LIMIT ? FOR UPDATE SKIP LOCKED)
		RETURNING endpoint_id, lane`, now.Add(laneLease), endpointID, now, now, most).Scan(&lanes).Error
	if err != nil {
		return nil, fmt.Errorf("take deliveries of endpoint %d: %w", endpointID, err)
	}
	return lanes, nil
}

// Release gives lanes back that were not delivered from, because the process
// stops.
func (d *Deliveries) Release(ctx context.Context, lane Lane) error {
	err := d.db.gorm.WithContext(ctx).Exec(`UPDATE delivery_lanes SET leased_until = NULL WHERE endpoint_id = ? AND lane = ?`,
		lane.EndpointID, lane.Lane).Error
	if err != nil {
		return fmt.Errorf("give back lane %s: %w", lane.Lane, err)
	}
	return nil
}

// Head returns what is to be sent next in a lane; nil when there is nothing, or
// its endpoint is not delivered to now: the lane is then given back.
func (d *Deliveries) Head(ctx context.Context, lane Lane) (*Parcel, error) {
	var row struct {
		Delivery
		Kind            EndpointKind
		EndpointState   EndpointState
		SealedURL       []byte
		SealedSecret    []byte
		SealedOldSecret []byte
		OldSecretUntil  *time.Time
		Body            *string
		ReceivedAt      *time.Time
	}
	found := d.db.gorm.WithContext(ctx).Raw(`SELECT d.*, e.kind, e.state AS endpoint_state, e.sealed_url, e.sealed_secret,
			e.sealed_old_secret, e.old_secret_until, r.body, r.received_at
		FROM deliveries d JOIN endpoints e ON e.id = d.endpoint_id LEFT JOIN results r ON r.id = d.result_id
		WHERE d.endpoint_id = ? AND d.lane = ? AND d.state = 'waiting' ORDER BY d.id LIMIT 1`, lane.EndpointID, lane.Lane).Scan(&row)
	if found.Error != nil {
		return nil, fmt.Errorf("read head of lane %s: %w", lane.Lane, found.Error)
	}
	if found.RowsAffected == 0 || row.EndpointState != EndpointActive {
		return nil, d.db.transaction(ctx, func(t tx) error { return t.settleLane(lane, d.clock.Now(), 0, nil) })
	}
	p := &Parcel{Delivery: row.Delivery, EndpointKind: row.Kind, Body: []byte(row.Payload)}
	if row.ReceivedAt != nil {
		p.ReceivedAt = *row.ReceivedAt
	}
	p.Trouble = d.unseal(p, row.SealedURL, row.SealedSecret)
	if p.Trouble == nil && row.OldSecretUntil != nil && d.clock.Now().Before(*row.OldSecretUntil) {
		if old, err := d.sealer.open(sealedSecret, row.SealedOldSecret); err == nil {
			p.Secrets = append(p.Secrets, Secret{string(old)})
		}
	}
	if p.ResultID != nil && p.SealedBody == nil && row.Body != nil {
		p.Body, p.Masked, p.ContentType = []byte(*row.Body), true, "application/json"
	}
	return p, nil
}

// unseal opens what is needed to send a parcel.
func (d *Deliveries) unseal(p *Parcel, address, secret []byte) error {
	url, err := d.sealer.open(sealedURL, address)
	if err != nil {
		return err
	}
	plain, err := d.sealer.open(sealedSecret, secret)
	if err != nil {
		return err
	}
	p.URL, p.Secrets = string(url), []Secret{{string(plain)}}
	if p.SealedBody != nil {
		p.Body, err = d.sealer.open(sealedBody, p.SealedBody)
	}
	return err
}

// Report writes what came of sending a parcel, and reports whether the next one
// of its lane follows at once: the lane then stays the caller's.
func (d *Deliveries) Report(ctx context.Context, p *Parcel, a DeliveryAnswer) (next bool, err error) {
	err = d.db.transaction(ctx, func(t tx) error {
		next = false
		// That it was sent need not survive a crash of the database: it would be
		// sent again, under the same number. So nobody waits for the disk, and the
		// disk is there for what terminals post.
		if err := t.Exec(`SET LOCAL synchronous_commit = off`).Error; err != nil {
			return err
		}
		lane := Lane{p.EndpointID, p.Lane}
		if err := t.lockLane(lane); err != nil {
			return err
		}
		now := d.clock.Now()
		state, err := t.writeTry(p, a, now)
		if err != nil {
			return err
		}
		if err := d.judgeEndpoint(t, p, a, now); err != nil {
			return err
		}
		if state == DeliveryWaiting {
			return t.settleLane(lane, now, a.RetryAfter, p)
		}
		next, err = t.nextInLane(lane, now)
		return err
	})
	if err != nil {
		return false, fmt.Errorf("write what came of delivery %d: %w", p.ID, err)
	}
	return next, nil
}

// lockLane keeps others from adding to a lane, and from closing it, until the
// transaction ends.
func (t tx) lockLane(l Lane) error {
	return t.Exec(`SELECT FROM delivery_lanes WHERE endpoint_id = ? AND lane = ? FOR UPDATE`, l.EndpointID, l.Lane).Error
}

// writeTry adds the try to the delivery and returns the state that it is in.
func (t tx) writeTry(p *Parcel, a DeliveryAnswer, now time.Time) (DeliveryState, error) {
	state := DeliveryWaiting
	switch {
	case a.Detail == TryDelivered:
		state = DeliveryDone
	case p.Event == EventTest, a.Detail != TryGone && !now.Before(p.QueuedAt.Add(deliveryPatience)):
		state = DeliveryGivenUp
	}
	columns := map[string]any{"tries": gorm.Expr("tries + 1"), "detail": a.Detail}
	if state != DeliveryWaiting {
		columns["state"], columns["finished_at"], columns["sealed_body"] = state, now, nil
	}
	// Somebody may have set it aside meanwhile, and another process, after a
	// pause of this one, may have delivered it.
	done := t.Model(&Delivery{}).Where("id = ? AND state = 'waiting'", p.ID).Updates(columns)
	if done.Error != nil {
		return "", done.Error
	}
	if done.RowsAffected == 0 {
		state = DeliverySetAside
		if err := t.Model(&Delivery{}).Where("id = ?", p.ID).Update("tries", gorm.Expr("tries + 1")).Error; err != nil {
			return "", err
		}
	}
	return state, t.Exec(`INSERT INTO delivery_tries (delivery_id, number, at, duration_ms, http_status, detail, answer, masked_body)
		SELECT id, tries, ?, ?, ?, ?, ?, ? FROM deliveries WHERE id = ?`,
		a.At, a.Duration.Milliseconds(), a.HTTPStatus, a.Detail, clip(a.Excerpt, 300), p.Masked, p.ID).Error
}

// nextInLane keeps a lane for the delivery after the one that is over, or closes
// it when there is none.
func (t tx) nextInLane(l Lane, now time.Time) (bool, error) {
	kept := t.Exec(`UPDATE delivery_lanes SET leased_until = ?, due_at = ?, failures = 0 WHERE endpoint_id = ? AND lane = ? AND `+laneWaits,
		now.Add(laneLease), now, l.EndpointID, l.Lane)
	if kept.Error != nil || kept.RowsAffected > 0 {
		return kept.RowsAffected > 0, kept.Error
	}
	return false, t.Exec(`DELETE FROM delivery_lanes WHERE endpoint_id = ? AND lane = ? AND NOT `+laneWaits, l.EndpointID, l.Lane).Error
}

// laneWaits reports whether anything waits in a lane. It is asked in a statement
// of its own after the lane is locked, so that it sees what was added by then.
const laneWaits = `EXISTS (SELECT FROM deliveries d WHERE d.endpoint_id = delivery_lanes.endpoint_id
	AND d.lane = delivery_lanes.lane AND d.state = 'waiting')`

// settleLane gives a lane back: after a failure of its head for a while; closed
// when nothing waits in it any more.
func (t tx) settleLane(l Lane, now time.Time, atLeast time.Duration, failed *Parcel) error {
	if err := t.lockLane(l); err != nil {
		return err
	}
	err := t.Exec(`DELETE FROM delivery_lanes WHERE endpoint_id = ? AND lane = ? AND NOT `+laneWaits, l.EndpointID, l.Lane).Error
	if err != nil || failed == nil {
		if err == nil {
			err = t.Exec(`UPDATE delivery_lanes SET leased_until = NULL WHERE endpoint_id = ? AND lane = ?`, l.EndpointID, l.Lane).Error
		}
		return err
	}
	var failures int
	err = t.Raw(`UPDATE delivery_lanes SET failures = failures + 1, leased_until = NULL WHERE endpoint_id = ? AND lane = ?
		RETURNING failures`, l.EndpointID, l.Lane).Scan(&failures).Error
	if err != nil {
		return err
	}
	pause := max(retryAfter(failures, rand.Float64()), min(atLeast, longestRetry))
	return t.Exec(`UPDATE delivery_lanes SET due_at = ? WHERE endpoint_id = ? AND lane = ?`, now.Add(pause), l.EndpointID, l.Lane).Error
}

// retryAfter is the wait after so many failures in a row: 2 s, doubled each time
// up to half an hour, give or take a fifth, so that what failed together does
// not come back together. luck is from 0 to 1.
func retryAfter(failures int, luck float64) time.Duration {
	wait := longestRetry
	if failures < 12 {
		wait = min(firstRetry<<max(failures-1, 0), longestRetry)
	}
	return time.Duration(float64(wait) * (0.8 + 0.4*luck))
}

// judgeEndpoint notes how an endpoint fares, and disables one that is gone or
// has failed for days. When one is back, everything that waits for it is due.
func (d *Deliveries) judgeEndpoint(t tx, p *Parcel, a DeliveryAnswer, now time.Time) error {
	if a.Detail == TryDelivered {
		// At most once a minute: the row is everybody's.
		back := t.Exec(`UPDATE endpoints SET failing_since = NULL, delivered_at = ? WHERE id = ?
			AND (failing_since IS NOT NULL OR delivered_at IS NULL OR delivered_at < ?)`, now, p.EndpointID, now.Add(-time.Minute))
		if back.Error != nil || back.RowsAffected == 0 {
			return back.Error
		}
		return t.Exec(`UPDATE delivery_lanes SET due_at = ? WHERE (endpoint_id, lane) IN (SELECT endpoint_id, lane FROM delivery_lanes
			WHERE endpoint_id = ? AND due_at > ? ORDER BY endpoint_id, lane FOR UPDATE SKIP LOCKED)`, now, p.EndpointID, now).Error
	}
	if p.Event == EventTest {
		return nil // whoever sent it sees what came of it
	}
	err := t.Exec(`UPDATE endpoints SET failing_since = ? WHERE id = ? AND failing_since IS NULL`, now, p.EndpointID).Error
	if err != nil {
		return err
	}
	var e Endpoint
	if err := take(t.Where("id = ?", p.EndpointID), &e); err != nil {
		return err
	}
	reason := ""
	switch {
	case a.Detail == TryGone:
		reason = DisabledGone
	case e.FailingSince != nil && now.Sub(*e.FailingSince) >= disableAfter:
		reason = DisabledFailing
	}
	if reason == "" {
		return nil
	}
	return t.disable(&e, reason, now)
}

// disable stops the deliveries to an endpoint that wants none, or takes none.
func (t tx) disable(e *Endpoint, reason string, now time.Time) error {
	// The trail is not written by the way.
	if err := t.Exec(`SET LOCAL synchronous_commit = on`).Error; err != nil {
		return err
	}
	done := t.Exec(`UPDATE endpoints SET state = 'disabled', state_reason = ?, state_at = ?, version = version + 1
		WHERE id = ? AND state = 'active'`, reason, now, e.ID)
	if done.Error != nil || done.RowsAffected == 0 {
		return done.Error
	}
	return t.record(System("deliveries", ""), now, ActionEndpointDisabled, OutcomeFailure, about{reason: reason, after: e.told()})
}
