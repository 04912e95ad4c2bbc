package webhooks

import (
	"strings"
	"time"

	"veinte/models/secretbox"
)

// Delivery is one message to one endpoint.
type Delivery struct {
	ID             int64
	EndpointID     int64
	MessageID      string `gorm:"type:uuid"` // by which a receiver recognises repeats
	Lane           string // within it the order is preserved
	Event          EventType
	ResultID       *int64 // of a relay
	CancellationID *int64 // of an event
	SerialNumber   string
	OrderID        string
	Payload        string // of an event
	SealedBody     []byte `gorm:"column:sealed_body"` // of a relay: the result as received, until the delivery ends
	ContentType    string
	State          State
	Detail         Reason
	Tries          int
	CreatedAt      time.Time
	QueuedAt       time.Time  // when it last began to wait
	FinishedAt     *time.Time // nil while it waits
}

// Original reports whether the original content can still be sent: for a relay the
// result as received, for an event always.
func (d *Delivery) Original() bool { return d.ResultID == nil || d.SealedBody != nil }

// Reference is the message id as sent, by which a receiver recognises repeats.
func (d *Delivery) Reference() string { return "msg_" + strings.ReplaceAll(d.MessageID, "-", "") }

// State is the state of a delivery.
type State string

// The states of a delivery.
const (
	Waiting   State = "waiting"
	Delivered State = "delivered"
	GivenUp   State = "givenUp"  // it could not be delivered within three days
	SetAside  State = "setAside" // manually, so that others need not wait for it
)

// The states as SQL writes them.
const (
	deliveryWaitingSQL  = "'" + string(Waiting) + "'"
	deliveryGivenUpSQL  = "'" + string(GivenUp) + "'"
	deliverySetAsideSQL = "'" + string(SetAside) + "'"
	deliveriesEndedSQL  = "(" + deliveryGivenUpSQL + ", " + deliverySetAsideSQL + ")" // without having been delivered
)

// States lists the states in the order a filter shows them.
var States = []State{Waiting, Delivered, GivenUp, SetAside}

// Reason is how a try ended, or why a delivery ended.
type Reason string

// The ways a try or a delivery ends.
const (
	TryDelivered      Reason = "delivered"   // 2xx
	TryGone           Reason = "gone"        // 410
	TryRedirected     Reason = "redirected"  // 3xx, which is not followed
	TryRefused        Reason = "refused"     // any other status
	TryTimeout        Reason = "timeout"     // no response in time
	TryUnreachable    Reason = "unreachable" // no connection
	TryTLS            Reason = "tlsFailed"   // no trusted connection
	TryConnectionLost Reason = "cut"         // the connection broke
	TryForbidden      Reason = "notAllowed"  // the name resolves to an address that is not allowed
	TryUndecryptable  Reason = "sealed"      // RELAY_KEY is another one, or missing
	OverByHand        Reason = "byHand"      // set aside by a user
	OverRetired       Reason = "retired"     // its endpoint was retired
	OverOff           Reason = "endpointOff" // its endpoint was paused or disabled for too long
	OverEmpty         Reason = "nothingKept" // nothing of the post is stored that could be sent
)

// DeliveryTry is one POST and its outcome.
type DeliveryTry struct {
	DeliveryID int64
	Number     int
	At         time.Time
	DurationMS int `gorm:"column:duration_ms"`
	HTTPStatus int // 0: there was no response
	Detail     Reason
	Answer     string // its first characters, masked
	MaskedBody bool   // the stored result was sent, because the original had been deleted
}

// TableName is the table of the tries.
func (DeliveryTry) TableName() string { return "delivery_tries" }

// Outgoing is a delivery that is ready to be sent.
type Outgoing struct {
	Delivery
	Lease        string // of its lane
	EndpointKind EndpointKind
	URL          string
	Secrets      []secretbox.Secret // each signs
	Body         []byte
	Masked       bool      // the stored result instead of the original
	ReceivedAt   time.Time // of a relay: when the terminal posted it
	Trouble      error     // why it cannot be sent; nil: it can
}

// Response is the outcome of sending.
type Response struct {
	At         time.Time
	Duration   time.Duration
	HTTPStatus int
	Detail     Reason
	Excerpt    string        // of the response, masked
	RetryAfter time.Duration // requested by the receiver; 0: none
}

// Lane is the unit that a process leases: the deliveries of one terminal, or of one
// cancellation, to one endpoint, sent one after the other.
type Lane struct {
	EndpointID int64
	Lane       string
	Lease      string // the caller holds the lane while this lease is current
}
