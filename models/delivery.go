package models

import (
	"strings"
	"time"
)

// Delivery is one thing to deliver to one endpoint.
type Delivery struct {
	ID             int64
	EndpointID     int64
	MessageID      string `gorm:"type:uuid"` // by which a receiver tells repeats
	Lane           string // within it order is kept
	Event          EventType
	ResultID       *int64 // of a relay
	CancellationID *int64 // of an event
	SerialNumber   string
	OrderID        string
	Payload        string // of an event
	SealedBody     []byte // of a relay: the result as it came, until it is over
	ContentType    string
	State          DeliveryState
	Detail         DeliveryDetail
	Tries          int
	CreatedAt      time.Time
	QueuedAt       time.Time  // when it last began to wait
	FinishedAt     *time.Time // nil while it waits
}

// Original reports whether what came is still there to be sent: of a relay, the
// result as it came; an event is what it is.
func (d *Delivery) Original() bool { return d.ResultID == nil || d.SealedBody != nil }

// Reference is the id by which a receiver tells repeats, as it is sent.
func (d *Delivery) Reference() string { return "msg_" + strings.ReplaceAll(d.MessageID, "-", "") }

// DeliveryState is what became of a delivery.
type DeliveryState string

// The states of a delivery.
const (
	DeliveryWaiting  DeliveryState = "waiting"
	DeliveryDone     DeliveryState = "delivered"
	DeliveryGivenUp  DeliveryState = "givenUp"  // it could not be delivered in three days
	DeliverySetAside DeliveryState = "setAside" // by hand, so that others need not wait for it
)

// The states as SQL writes them.
const (
	deliveryWaitingSQL  = "'" + string(DeliveryWaiting) + "'"
	deliveryGivenUpSQL  = "'" + string(DeliveryGivenUp) + "'"
	deliverySetAsideSQL = "'" + string(DeliverySetAside) + "'"
	deliveriesEndedSQL  = "(" + deliveryGivenUpSQL + ", " + deliverySetAsideSQL + ")" // without having been delivered
)

// DeliveryStates lists the states in the order a filter shows them.
var DeliveryStates = []DeliveryState{DeliveryWaiting, DeliveryDone, DeliveryGivenUp, DeliverySetAside}

// DeliveryDetail says how a try ended, or why a delivery is over.
type DeliveryDetail string

// How tries end.
const (
	TryDelivered   DeliveryDetail = "delivered"   // 2xx
	TryGone        DeliveryDetail = "gone"        // 410
	TryRedirected  DeliveryDetail = "redirected"  // 3xx, which is not followed
	TryRefused     DeliveryDetail = "refused"     // any other status
	TryTimeout     DeliveryDetail = "timeout"     // no answer in time
	TryUnreachable DeliveryDetail = "unreachable" // no connection
	TryTLS         DeliveryDetail = "tlsFailed"   // no connection that can be trusted
	TryCut         DeliveryDetail = "cut"         // the connection broke
	TryForbidden   DeliveryDetail = "notAllowed"  // the name stands for an address that is not delivered to
	TrySealed      DeliveryDetail = "sealed"      // RELAY_KEY is another one, or missing
	OverByHand     DeliveryDetail = "byHand"      // set aside
	OverRetired    DeliveryDetail = "retired"     // its endpoint was
	OverOff        DeliveryDetail = "endpointOff" // its endpoint was paused or disabled for too long
	OverEmpty      DeliveryDetail = "nothingKept" // of what came nothing is kept that could be sent
)

// DeliveryTry is one POST, and what came of it.
type DeliveryTry struct {
	DeliveryID int64
	Number     int
	At         time.Time
	DurationMS int `gorm:"column:duration_ms"`
	HTTPStatus int // 0: there was no answer
	Detail     DeliveryDetail
	Answer     string // its first characters, masked
	MaskedBody bool   // the stored result was sent, because the one that came was gone
}

// Parcel is a delivery as it is to be sent now.
type Parcel struct {
	Delivery
	Lease        string // of its lane
	EndpointKind EndpointKind
	URL          string
	Secrets      []Secret // each signs
	Body         []byte
	Masked       bool      // the stored result instead of the one that came
	ReceivedAt   time.Time // of a relay: when the terminal posted it
	Trouble      error     // why it cannot be sent from here; nil: it can
}

// DeliveryAnswer is what came of sending.
type DeliveryAnswer struct {
	At         time.Time
	Duration   time.Duration
	HTTPStatus int
	Detail     DeliveryDetail
	Excerpt    string        // of the answer, masked
	RetryAfter time.Duration // that the receiver asked for; 0: none
}

// Lane is what is taken to be delivered: the deliveries of one terminal, or of
// one case, to one endpoint, one after the other.
type Lane struct {
	EndpointID int64
	Lane       string
	Lease      string // by which the lane is the caller's, until another takes it
}
