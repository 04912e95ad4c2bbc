package webhooks

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"veinte/models"
	"veinte/models/database"
)

// Event is something that webhooks may subscribe to, as its owner tells it.
type Event struct {
	Type EventType
	At   time.Time
	// StoreID is the store that it is of; nil: only those are told who are told of
	// every store.
	StoreID *int64
	// Lane is what it is kept in order with.
	Lane string
	// Data is the body's own part. DataFor stands in its place for what is of many
	// stores: everyone who subscribes is told of theirs.
	Data    any
	DataFor func(Audience) any
	// Of a cancellation: by what people find its deliveries.
	CancellationID *int64
	SerialNumber   models.SerialNumber
	OrderID        string
}

// Audience is the stores of which an endpoint is told.
type Audience struct {
	AllStores bool
	stores    []int64
}

// Covers reports whether a store is one of them.
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

// Publish puts an event in line for every webhook that wants it, in the
// transaction of what it tells. A service that is nil publishes nothing.
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

// publish tells everyone the same, with one statement: a cancellation's every
// move comes here.
func publish(t database.Tx, e Event) error {
	body, err := e.body(e.Data)
	if err != nil {
		return err
	}
	return t.Exec(`WITH wanted AS (
			SELECT id FROM endpoints WHERE kind = 'webhook' AND state <> `+endpointRetiredSQL+` AND @event = ANY(events)
			AND (all_stores OR @store = ANY(store_ids)) ORDER BY id),
		added AS (
			INSERT INTO deliveries (endpoint_id, lane, event, cancellation_id, serial_number, order_id, payload, content_type, created_at, queued_at)
			SELECT id, @lane, @event, @case, @serial, @order, @payload, 'application/json', @now, @now FROM wanted RETURNING endpoint_id)
		`+openLanes, map[string]any{
		"event": string(e.Type), "store": e.StoreID, "lane": e.Lane, "case": e.CancellationID, "serial": string(e.SerialNumber),
		"order": e.OrderID, "payload": body, "now": e.At,
	}).Error
}

// publishEach tells every subscriber of their own stores.
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
