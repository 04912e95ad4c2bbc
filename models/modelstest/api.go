package modelstest

import (
	"context"
	"sync"
	"time"

	"veinte/models"
)

// API is a cancellation service with programmed replies. It stores every order that
// it saw, as the real service would.
type API struct {
	mu      sync.Mutex
	clock   models.Clock
	replies []models.Reply
	orders  []models.Order

	// Arrived is called with each order before the reply; it may be nil.
	Arrived func(models.Order)
	guard   func(models.Order) // what must be so whenever an order arrives
}

var (
	_ models.CancelAPI  = (*API)(nil)
	_ models.InquiryAPI = (*API)(nil)
)

// NewAPI returns a service that acknowledges everything.
func NewAPI(clock models.Clock) *API { return &API{clock: clock} }

// Replies of each meaning, as the service's client returns them.
var (
	Acknowledged = models.Reply{
		Meaning: models.MeaningAccepted, Detail: models.DetailAccepted,
		HTTPStatus: 200, Code: "00", Message: "Mensaje enviado exitosamente",
	}
	NoTerminal = models.Reply{
		Meaning: models.MeaningRefused, Detail: models.DetailTerminalNotFound,
		HTTPStatus: 200, Code: "19", Message: "No se encontró la terminal",
	}
	TimedOut  = models.Reply{Meaning: models.MeaningUnknown, Detail: models.DetailTimeout}
	NotDialed = models.Reply{Meaning: models.MeaningNotSent, Detail: models.DetailDialFailed}
	Late      = models.Reply{Meaning: models.MeaningNotSent, Detail: models.DetailTooLate}
	Overdue   = models.Reply{Meaning: models.MeaningNotSent, Detail: models.DetailInterrupted}
)

// LeftLate is a reply to a request of which bytes may have left after its deadline.
func LeftLate(r models.Reply) models.Reply {
	r.Late = true
	return r
}

// Then sets the replies to the next orders, in this order. Later orders are
// acknowledged.
func (a *API) Then(replies ...models.Reply) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.replies = append(a.replies, replies...)
}

// Forget drops the replies that were not used.
func (a *API) Forget() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.replies = nil
}

// Orders returns what arrived so far.
func (a *API) Orders() []models.Order {
	a.mu.Lock()
	defer a.mu.Unlock()
	return append([]models.Order(nil), a.orders...)
}

// Cancel replies to an order.
func (a *API) Cancel(_ context.Context, order models.Order) models.Reply {
	a.mu.Lock()
	a.orders = append(a.orders, order)
	a.mu.Unlock()
	if a.guard != nil {
		a.guard(order)
	}
	if a.Arrived != nil {
		a.Arrived(order)
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	reply := Acknowledged
	if len(a.replies) > 0 {
		reply, a.replies = a.replies[0], a.replies[1:]
	}
	if reply.Meaning != models.MeaningNotSent {
		reply.FirstByteAt = a.clock.Now()
	}
	reply.Duration = 40 * time.Millisecond
	return reply
}

// Inquire replies to an inquiry.
func (a *API) Inquire(ctx context.Context, order models.Order) models.Reply {
	return a.Cancel(ctx, order)
}
