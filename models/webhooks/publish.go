package webhooks

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"veinte/models"
	"veinte/models/database"
)

// Event is something that webhooks may subscribe to, as published by its owner.
type Event struct {
	Type EventType
	At   time.Time
	// StoreID is the event's store. When it is nil, only endpoints that receive
	// the events of all stores are notified.
	StoreID *int64
	// Lane is the key of the lane in which the event is kept in order.
	Lane string
	// Data is the event's own part of the body. DataFor replaces it for an event
	// about many stores: each subscriber gets the data of its own stores.
	Data    any
	DataFor func(Audience) any
	// Only events of a cancellation have one; users find the deliveries by it.
	CancellationID *int64
	SerialNumber   models.SerialNumber
	OrderID        string
}

// Audience is the set of stores whose events an endpoint receives.
type Audience struct {
	AllStores bool
	stores    []int64
}

// Covers reports whether a store is part of the audience.
func (a Audience) Covers(storeID int64) bool {
	return a.AllStores || slices.Contains(a.stores, storeID)
}

// envelope is a webhook's body.
type envelope struct {
	Type      EventType `json:"type"`
	Timestamp string    `json:"timestamp"` // RFC 3339 in UTC
	Data      any       `json:"data"`
}

func (e Event) body(data any) (string, error) {
	body, err := json.Marshal(envelope{e.Type, e.At.UTC().Format(time.RFC3339Nano), data})
	if err != nil {
		return "", fmt.Errorf("write event %s: %w", e.Type, err)
	}
	return string(body), nil
}

// Publish queues an event for every webhook that subscribes to it, in the
// transaction of the data it is about. A nil service publishes nothing.
func (d *Service) Publish(t database.Tx, e Event) error {
	if d == nil {
		return nil
	}
	var err error
	if e.DataFor != nil {
		err = publishEach(t, e)
	} else {
		err = publish(t, e)
	}
	if err != nil {
		return fmt.Errorf("publish %s: %w", e.Type, err)
	}
	d.NotifyWorkers()
	return nil
}

// publish sends all subscribers the same body, with one statement, because every
// change of a cancellation's state comes here.
func publish(t database.Tx, e Event) error {
	body, err := e.body(e.Data)
	if err != nil {
		return err
	}
	return t.Exec(`WITH wanted AS (
			SELECT id FROM endpoints WHERE kind = 'webhook' AND state <> `+endpointRetiredSQL+` AND @event = ANY(events)
			AND (all_stores OR @store = ANY(store_ids)) ORDER BY id),
		added AS (
			INSERT INTO deliveries (endpoint_id, lane, event, cancellation_id, serial_number, order_id,
				payload, content_type, created_at, queued_at)
			SELECT id, @lane, @event, @case, @serial, @order, @payload, 'application/json', @now, @now FROM wanted RETURNING endpoint_id)
		`+openLanes, map[string]any{
		"event": string(e.Type), "store": e.StoreID, "lane": e.Lane, "case": e.CancellationID, "serial": string(e.SerialNumber),
		"order": e.OrderID, "payload": body, "now": e.At,
	}).Error
}

// publishEach sends each subscriber the data of its own stores.
func publishEach(t database.Tx, e Event) error {
	var wanted []Endpoint
	err := t.Where("kind = 'webhook' AND state <> "+endpointRetiredSQL+" AND ? = ANY(events)", string(e.Type)).Order("id").Find(&wanted).Error
	if err != nil {
		return err
	}
	for i := range wanted {
		body, err := e.body(e.DataFor(Audience{AllStores: wanted[i].AllStores, stores: wanted[i].StoreIDs}))
		if err != nil {
			return err
		}
		err = t.Exec(`WITH added AS (
				INSERT INTO deliveries (endpoint_id, lane, event, serial_number, order_id, payload, content_type, created_at, queued_at)
				VALUES (@endpoint, @lane, @event, '', '', @payload, 'application/json', @now, @now) RETURNING endpoint_id)
			`+openLanes, map[string]any{"endpoint": wanted[i].ID, "lane": e.Lane, "event": string(e.Type), "payload": body, "now": e.At}).Error
		if err != nil {
			return fmt.Errorf("to endpoint %d: %w", wanted[i].ID, err)
		}
	}
	return nil
}
