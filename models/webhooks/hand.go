package webhooks

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"gorm.io/gorm/clause"

	"veinte/models"
	"veinte/models/audit"
	"veinte/models/database"
)

// Redeliver queues a delivery that has ended again, at its old position: before
// later ones of its lane that have not arrived yet. It is idempotent.
//
// Errors: ErrForbidden, ErrNotFound, endpoint.retired, or delivery.nothingKept when
// nothing is stored that could be sent.
func (d *Service) Redeliver(ctx context.Context, actor models.Actor, id int64) error {
	defer d.NotifyWorkers()
	return d.inDelivery(ctx, actor, id, func(t database.Tx, x *Delivery, e *Endpoint, now time.Time) error {
		if e.State == EndpointRetired {
			return &models.Error{Kind: models.KindConflict, Code: "endpoint.retired"}
		}
		if x.State == Waiting {
			return nil
		}
		done := t.Exec(`WITH added AS (UPDATE deliveries SET state = `+deliveryWaitingSQL+`, queued_at = @now, finished_at = NULL, detail = ''
				WHERE id = @id AND `+stillStored+` RETURNING endpoint_id) `+openLanes,
			map[string]any{"id": x.ID, "lane": x.Lane, "now": now})
		if done.Error != nil {
			return done.Error
		}
		if done.RowsAffected == 0 {
			return &models.Error{Kind: models.KindConflict, Code: "delivery.nothingKept"}
		}
		return audit.Record(t, actor, now, models.ActionDeliveryAgain, models.OutcomeSuccess, x.about(e, Waiting))
	})
}

// stillStored reports whether something of a delivery that has ended can be sent:
// for a result, its stored body.
const stillStored = `(deliveries.result_id IS NULL OR EXISTS (SELECT FROM results r WHERE r.id = deliveries.result_id AND r.body <> ''))`

// SetAside takes a waiting delivery out of the queue, so that later ones of its lane
// need not wait for it.
//
// Errors: ErrForbidden, ErrNotFound, delivery.notWaiting when it has arrived or was
// abandoned meanwhile.
func (d *Service) SetAside(ctx context.Context, actor models.Actor, id int64) error {
	defer d.NotifyWorkers()
	return d.inDelivery(ctx, actor, id, func(t database.Tx, x *Delivery, e *Endpoint, now time.Time) error {
		switch x.State {
		case SetAside:
			return nil
		case Delivered, GivenUp:
			return &models.Error{Kind: models.KindConflict, Code: "delivery.notWaiting"}
		}
		err := t.Exec(`UPDATE deliveries SET state = `+deliverySetAsideSQL+`, detail = ?, finished_at = ?, sealed_body = NULL WHERE id = ?`,
			OverByHand, now, x.ID).Error
		if err != nil {
			return err
		}
		// The next delivery starts without the failures of this one.
		err = t.Exec(`UPDATE delivery_lanes SET due_at = ?, `+laneFresh+` WHERE endpoint_id = ? AND lane = ?`, now, x.EndpointID, x.Lane).Error
		if err != nil {
			return err
		}
		return audit.Record(t, actor, now, models.ActionDeliverySetAside, models.OutcomeSuccess, x.about(e, SetAside))
	})
}

// inDelivery runs f with the delivery's lane and row locked.
func (d *Service) inDelivery(
	ctx context.Context, actor models.Actor, id int64, f func(database.Tx, *Delivery, *Endpoint, time.Time) error,
) error {
	if !actor.May(models.ManageEndpoints) {
		return models.ErrForbidden
	}
	err := d.db.InTx(ctx, func(t database.Tx) error {
		var x Delivery
		if err := database.TakeRow(t.Where("id = ?", id), &x); err != nil {
			return err
		}
		// Lock the lane first, in the same order as whoever delivers.
		if _, err := lockLane(t, Lane{EndpointID: x.EndpointID, Lane: x.Lane}); err != nil {
			return err
		}
		if err := database.TakeRow(t.Clauses(clause.Locking{Strength: "UPDATE"}).Where("id = ?", id), &x); err != nil {
			return err
		}
		var e Endpoint
		if err := database.TakeRow(t.Where("id = ?", x.EndpointID), &e); err != nil {
			return err
		}
		return f(t, &x, &e, d.clock.Now())
	})
	var known *models.Error
	if err != nil && !errors.As(err, &known) {
		return fmt.Errorf("change delivery %d: %w", id, err)
	}
	return err
}

// about describes a delivery for the trail.
func (x *Delivery) about(e *Endpoint, to State) audit.About {
	told := func(state State) map[string]any {
		return map[string]any{"endpoint": e.Name, "delivery": x.ID, "event": x.Event, "orderId": x.OrderID, "deliveryState": state}
	}
	a := audit.About{Terminal: models.SerialNumber(x.SerialNumber), Before: told(x.State), After: told(to)}
	if x.CancellationID != nil {
		a.CancellationID = *x.CancellationID
	}
	return a
}

// maxRedelivered is how many deliveries are queued again at once, so that the
// statement does not take long. Repeating the action queues the next ones.
const maxRedelivered = 50_000

// RedeliverFailed queues again all deliveries since an instant that an endpoint did
// not get, oldest first, and returns their number: those that were abandoned, and
// those that were set aside.
//
// Errors: ErrForbidden, ErrNotFound, endpoint.retired, or since when it is too long
// ago or in the future.
func (d *Service) RedeliverFailed(ctx context.Context, actor models.Actor, endpointID int64, since time.Time) (n int64, err error) {
	if !actor.May(models.ManageEndpoints) {
		return 0, models.ErrForbidden
	}
	now := d.clock.Now()
	if since.After(now) || since.Before(now.Add(-deliveryRetention-24*time.Hour)) {
		return 0, models.Invalid("since", "delivery.sinceInvalid")
	}
	defer d.NotifyWorkers()
	err = d.db.InTx(ctx, func(t database.Tx) error {
		var e Endpoint
		if err := database.TakeRow(t.Where("id = ?", endpointID), &e); err != nil {
			return err
		}
		if e.State == EndpointRetired {
			return &models.Error{Kind: models.KindConflict, Code: "endpoint.retired"}
		}
		err := t.Raw(`WITH added AS (UPDATE deliveries SET state = `+deliveryWaitingSQL+`, queued_at = @now, finished_at = NULL, detail = ''
				WHERE id IN (SELECT id FROM deliveries WHERE endpoint_id = @endpoint AND state IN `+deliveriesEndedSQL+` AND created_at >= @since
					AND `+stillStored+`
					ORDER BY id LIMIT @most) RETURNING endpoint_id, lane),
			lanes AS (INSERT INTO delivery_lanes (endpoint_id, lane, due_at)
				SELECT DISTINCT endpoint_id, lane, CAST(@now AS timestamptz) FROM added ORDER BY endpoint_id, lane
				ON CONFLICT (endpoint_id, lane) DO UPDATE SET due_at = delivery_lanes.due_at)
			SELECT count(*) FROM added`, map[string]any{"endpoint": endpointID, "since": since, "now": now, "most": maxRedelivered}).Scan(&n).Error
		if err != nil {
			return err
		}
		return audit.Record(t, actor, now, models.ActionDeliveryAllAgain, models.OutcomeSuccess, audit.About{
			After: map[string]any{"endpoint": e.Name, "from": since.UTC().Format(time.RFC3339), "deliveries": n},
		})
	})
	var known *models.Error
	if err != nil && !errors.As(err, &known) {
		err = fmt.Errorf("deliver to endpoint %d again: %w", endpointID, err)
	}
	return n, err
}

// SendTest queues a test event for an endpoint and returns its delivery. It waits
// for no other delivery, and is tried once.
//
// Errors: ErrForbidden, ErrNotFound, or endpoint.notActive.
func (d *Service) SendTest(ctx context.Context, actor models.Actor, endpointID int64) (id int64, err error) {
	if !actor.May(models.ManageEndpoints) {
		return 0, models.ErrForbidden
	}
	now := d.clock.Now()
	payload, err := json.Marshal(struct {
		Type      EventType         `json:"type"`
		Timestamp string            `json:"timestamp"`
		Data      map[string]string `json:"data"`
	}{EventTest, now.UTC().Format(time.RFC3339Nano), map[string]string{"message": "Veinte"}})
	if err != nil {
		return 0, fmt.Errorf("write test event: %w", err)
	}
	err = d.db.InTx(ctx, func(t database.Tx) error {
		var e Endpoint
		if err := database.TakeRow(t.Where("id = ?", endpointID), &e); err != nil {
			return err
		}
		if e.State != EndpointActive {
			return &models.Error{Kind: models.KindConflict, Code: "endpoint.notActive"}
		}
		err := t.Raw(`WITH added AS (
				INSERT INTO deliveries (endpoint_id, lane, event, serial_number, order_id, payload, content_type, created_at, queued_at)
				VALUES (@endpoint, @lane, @event, '', '', @payload, 'application/json', @now, @now) RETURNING id, endpoint_id),
			lanes AS (`+openLanes+`) SELECT id FROM added`, map[string]any{
			"endpoint": e.ID, "lane": "test " + rand.Text(), "event": string(EventTest), "payload": string(payload), "now": now,
		}).Scan(&id).Error
		if err != nil {
			return err
		}
		about := audit.About{After: map[string]any{"endpoint": e.Name, "delivery": id}}
		return audit.Record(t, actor, now, models.ActionEndpointTested, models.OutcomeSuccess, about)
	})
	d.NotifyWorkers()
	return id, err
}
