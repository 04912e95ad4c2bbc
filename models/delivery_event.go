package models

import (
	"encoding/json"
	"fmt"
	"strconv"
	"time"
)

// EventType names what a delivery tells.
type EventType string

// The events of cancellations: one for each move of a case, and one for what
// contradicts it.
const (
	EventRequested   EventType = "cancellation.requested"
	EventSending     EventType = "cancellation.sending"
	EventAccepted    EventType = "cancellation.accepted"
	EventConfirmed   EventType = "cancellation.confirmed"
	EventRejected    EventType = "cancellation.rejected"
	EventUnknown     EventType = "cancellation.unknown"
	EventNotCanceled EventType = "cancellation.notCanceled"
	EventExpired     EventType = "cancellation.expired"
	EventWithdrawn   EventType = "cancellation.withdrawn"
	EventConflict    EventType = "cancellation.conflict"
	EventDayClosed   EventType = "day.closed"   // the closing report of a day was made
	EventAlertRaised EventType = "alert.raised" // by a rule that asks for it
	EventTest        EventType = "test"         // sent by hand
)

// WebhookEvents lists what a webhook can be told, in the order of a case's life.
var WebhookEvents = []EventType{
	EventRequested, EventSending, EventAccepted, EventConfirmed, EventRejected,
	EventUnknown, EventNotCanceled, EventExpired, EventWithdrawn, EventConflict,
	EventDayClosed, EventAlertRaised,
}

// eventOf is the event of a case that came into a state.
func eventOf(s State) EventType { return EventType("cancellation." + string(s)) }

// eventOfResult is what a relay calls a result.
func eventOfResult(k ResultKind) EventType { return EventType("result." + string(k)) }

// eventPayload is what a webhook is told of a case: the facts that an integrator
// needs to find the sale, and nothing that is nobody else's business.
type eventPayload struct {
	Type      EventType `json:"type"`
	Timestamp string    `json:"timestamp"` // RFC 3339 in UTC
	Data      eventData `json:"data"`
}

type eventData struct {
	CancellationID int64    `json:"cancellationId"`
	OrderID        string   `json:"orderId"`
	SerialNumber   string   `json:"serialNumber"`
	MerchantID     string   `json:"merchantId"`
	Store          string   `json:"store"` // its code
	Amount         string   `json:"amount"`
	Currency       string   `json:"currency"`
	State          State    `json:"state"`
	Detail         Detail   `json:"detail"`
	Conflict       Conflict `json:"conflict,omitempty"`
	RequestedAt    string   `json:"requestedAt"`
	Sequence       int      `json:"sequence"` // of the case: one more with each move
}

func payloadOf(l *Held, event EventType, now time.Time, conflict Conflict) ([]byte, error) {
	p := eventPayload{Type: event, Timestamp: now.UTC().Format(time.RFC3339Nano), Data: eventData{
		CancellationID: l.c.ID, OrderID: l.sale.OrderID, SerialNumber: string(l.sale.SerialNumber), MerchantID: l.sale.MerchantID,
		Store: l.store.Code, Amount: decimal(l.sale.Amount), Currency: l.sale.Currency, State: l.c.State, Detail: l.c.Detail,
		Conflict: conflict, RequestedAt: l.c.RequestedAt.UTC().Format(time.RFC3339), Sequence: l.c.Version,
	}}
	body, err := json.Marshal(p)
	if err != nil {
		return nil, fmt.Errorf("write event %s: %w", event, err)
	}
	return body, nil
}

// decimal writes an amount as 1250.00.
func decimal(m Money) string {
	s := strconv.FormatInt(int64(m), 10)
	for len(s) < 3 {
		s = "0" + s
	}
	return s[:len(s)-2] + "." + s[len(s)-2:]
}

// tell puts an event of the locked case in line for every webhook that wants
// it. It is part of the transaction of what it tells.
func (d *Deliveries) tell(l *Held, event EventType, now time.Time, conflict Conflict) error {
	if d == nil {
		return nil
	}
	payload, err := payloadOf(l, event, now, conflict)
	if err != nil {
		return err
	}
	// Sequences would be out of order if a case's events overtook one another.
	lane := "case " + strconv.FormatInt(l.c.ID, 10)
	err = l.Exec(`WITH wanted AS (
			SELECT id FROM endpoints WHERE kind = 'webhook' AND state <> `+endpointRetiredSQL+` AND @event = ANY(events)
			AND (all_stores OR @store = ANY(store_ids)) ORDER BY id),
		added AS (
			INSERT INTO deliveries (endpoint_id, lane, event, cancellation_id, serial_number, order_id, payload, content_type, created_at, queued_at)
			SELECT id, @lane, @event, @case, @serial, @order, @payload, 'application/json', @now, @now FROM wanted RETURNING endpoint_id)
		`+openLanes, map[string]any{
		"event": string(event), "store": l.store.ID, "lane": lane, "case": l.c.ID, "serial": string(l.sale.SerialNumber),
		"order": l.sale.OrderID, "payload": string(payload), "now": now,
	}).Error
	if err != nil {
		return fmt.Errorf("tell %s of case %d: %w", event, l.c.ID, err)
	}
	d.wake()
	return nil
}

// openLanes ends a statement that added deliveries. A lane that is there is
// locked, not moved: whoever is about to close it waits, and then sees the new
// delivery.
const openLanes = `INSERT INTO delivery_lanes (endpoint_id, lane, due_at) SELECT endpoint_id, @lane, @now FROM added
	ON CONFLICT (endpoint_id, lane) DO UPDATE SET due_at = delivery_lanes.due_at`
