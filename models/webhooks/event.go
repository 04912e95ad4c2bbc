package webhooks

import (
	"veinte/models"
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

// eventOfResult is what a relay calls a result.
func eventOfResult(k models.ResultKind) EventType { return EventType("result." + string(k)) }

// openLanes ends a statement that added deliveries. A lane that is there is
// locked, not moved: whoever is about to close it waits, and then sees the new
// delivery.
const openLanes = `INSERT INTO delivery_lanes (endpoint_id, lane, due_at) SELECT endpoint_id, @lane, @now FROM added
	ON CONFLICT (endpoint_id, lane) DO UPDATE SET due_at = delivery_lanes.due_at`
