package webhooks

import (
	"veinte/models"
)

// EventType is the type of event that a delivery contains.
type EventType string

// The events of cancellations: one for each change of state, and one for a result
// that contradicts it.
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
	EventTest        EventType = "test"         // sent manually
)

// WebhookEvents lists the events that a webhook can subscribe to, in the order of a
// cancellation's states.
var WebhookEvents = []EventType{
	EventRequested, EventSending, EventAccepted, EventConfirmed, EventRejected,
	EventUnknown, EventNotCanceled, EventExpired, EventWithdrawn, EventConflict,
	EventDayClosed, EventAlertRaised,
}

// eventOfResult is the event type of a forwarded result.
func eventOfResult(k models.ResultKind) EventType { return EventType("result." + string(k)) }

// openLanes ends a statement that added deliveries. An existing lane is locked and
// not changed: a process that is about to close it waits, and then sees the new
// delivery.
const openLanes = `INSERT INTO delivery_lanes (endpoint_id, lane, due_at) SELECT endpoint_id, @lane, @now FROM added
	ON CONFLICT (endpoint_id, lane) DO UPDATE SET due_at = delivery_lanes.due_at`
