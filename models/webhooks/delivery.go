package webhooks

import (
	"strings"
	"time"

	"veinte/models/secretbox"
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
	State          State
	Detail         Reason
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

// State is what became of a delivery.
type State string

// The states of a delivery.
const (
	Waiting   State = "waiting"
	Delivered State = "delivered"
	GivenUp   State = "givenUp"  // it could not be delivered in three days
	SetAside  State = "setAside" // by hand, so that others need not wait for it
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

// Reason says how a try ended, or why a delivery is over.
type Reason string

// How tries end.
const (
	TryDelivered      Reason = "delivered"   // 2xx
	TryGone           Reason = "gone"        // 410
	TryRedirected     Reason = "redirected"  // 3xx, which is not followed
	TryRefused        Reason = "refused"     // any other status
	TryTimeout        Reason = "timeout"     // no answer in time
	TryUnreachable    Reason = "unreachable" // no connection
	TryTLS            Reason = "tlsFailed"   // no connection that can be trusted
	TryConnectionLost Reason = "cut"         // the connection broke
	TryForbidden      Reason = "notAllowed"  // the name stands for an address that is not delivered to
	TryUndecryptable  Reason = "sealed"      // RELAY_KEY is another one, or missing
	OverByHand        Reason = "byHand"      // set aside
	OverRetired       Reason = "retired"     // its endpoint was
	OverOff           Reason = "endpointOff" // its endpoint was paused or disabled for too long
	OverEmpty         Reason = "nothingKept" // of what came nothing is kept that could be sent
)

// DeliveryTry is one POST, and what came of it.
type DeliveryTry struct {
	DeliveryID int64
	Number     int
	At         time.Time
	DurationMS int `gorm:"column:duration_ms"`
	HTTPStatus int // 0: there was no answer
	Detail     Reason
	Answer     string // its first characters, masked
	MaskedBody bool   // the stored result was sent, because the one that came was gone
}

// Outgoing is a delivery as it is to be sent now.
type Outgoing struct {
	Delivery
	Lease        string // of its lane
	EndpointKind EndpointKind
	URL          string
	Secrets      []secretbox.Secret // each signs
	Body         []byte
	Masked       bool      // the stored result instead of the one that came
	ReceivedAt   time.Time // of a relay: when the terminal posted it
	Trouble      error     // why it cannot be sent from here; nil: it can
}

// Response is what came of sending.
type Response struct {
	At         time.Time
	Duration   time.Duration
	HTTPStatus int
	Detail     Reason
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
