package models

import (
	"encoding/json"
	"fmt"
	"time"
)

// noticeEvent is an event that is about no case: a webhook's body.
type noticeEvent struct {
	Type      EventType `json:"type"`
	Timestamp string    `json:"timestamp"` // RFC 3339 in UTC
	Data      any       `json:"data"`
}

// wantedBy lists the webhooks that subscribe to an event, as their stores go.
func (t tx) wantedBy(event EventType) ([]Endpoint, error) {
	var all []Endpoint
	err := t.Where("kind = 'webhook' AND state <> "+endpointRetiredSQL+" AND ? = ANY(events)", string(event)).Order("id").Find(&all).Error
	if err != nil {
		return nil, fmt.Errorf("look for who wants %s: %w", event, err)
	}
	return all, nil
}

// covers reports whether the endpoint is told of a store; of what belongs to none
// only those are told that are told of every store.
func (e *Endpoint) covers(storeID *int64) bool {
	if e.AllStores || storeID == nil {
		return e.AllStores
	}
	for _, id := range e.StoreIDs {
		if id == *storeID {
			return true
		}
	}
	return false
}

// tellNotice puts an event in line for one endpoint.
func (t tx) tellNotice(e *Endpoint, event EventType, lane string, data any, now time.Time) error {
	payload, err := json.Marshal(noticeEvent{event, now.UTC().Format(time.RFC3339Nano), data})
	if err != nil {
		return fmt.Errorf("write event %s: %w", event, err)
	}
	err = t.Exec(`WITH added AS (
			INSERT INTO deliveries (endpoint_id, lane, event, serial_number, order_id, payload, content_type, created_at, queued_at)
			VALUES (@endpoint, @lane, @event, '', '', @payload, 'application/json', @now, @now) RETURNING endpoint_id)
		`+openLanes, map[string]any{"endpoint": e.ID, "lane": lane, "event": string(event), "payload": string(payload), "now": now}).Error
	if err != nil {
		return fmt.Errorf("tell %s to endpoint %d: %w", event, e.ID, err)
	}
	return nil
}

// tellClosed tells webhooks that a day was closed, each of its own stores.
func (d *Deliveries) tellClosed(t tx, c *Closing, terminals []ClosingTerminal, now time.Time) error {
	if d == nil {
		return nil
	}
	endpoints, err := t.wantedBy(EventDayClosed)
	if err != nil {
		return err
	}
	for i := range endpoints {
		e := &endpoints[i]
		var seen []ClosingTerminal
		for n := range terminals {
			if e.covers(&terminals[n].StoreID) {
				seen = append(seen, terminals[n])
			}
		}
		_, total := byStore(seen)
		err := t.tellNotice(e, EventDayClosed, "closings", map[string]any{
			"day": c.Day, "closedAt": c.ClosedAt.UTC().Format(time.RFC3339), "sha256": c.HashText(), "allStores": e.AllStores, "total": &total,
		}, now)
		if err != nil {
			return err
		}
	}
	d.wake()
	return nil
}
