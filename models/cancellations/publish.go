package cancellations

import (
	"strconv"
	"time"

	"veinte/models"
	"veinte/models/webhooks"
)

// eventData is what a webhook is told of a case: the facts that an integrator
// needs to find the sale, and nothing that is nobody else's business.
type eventData struct {
	CancellationID int64           `json:"cancellationId"`
	OrderID        string          `json:"orderId"`
	SerialNumber   string          `json:"serialNumber"`
	MerchantID     string          `json:"merchantId"`
	Store          string          `json:"store"` // its code
	Amount         string          `json:"amount"`
	Currency       string          `json:"currency"`
	State          models.State    `json:"state"`
	Detail         models.Detail   `json:"detail"`
	Conflict       models.Conflict `json:"conflict,omitempty"`
	RequestedAt    string          `json:"requestedAt"`
	Sequence       int             `json:"sequence"` // of the case: one more with each move
}

// eventOf is the event of a case that came into a state.
func eventOf(s models.State) webhooks.EventType {
	return webhooks.EventType("cancellation." + string(s))
}

// publish tells webhooks of the case that is held. Sequences would be out of
// order if a case's events overtook one another, so they share a lane.
func (s *Service) publish(l *Held, event webhooks.EventType, now time.Time, conflict models.Conflict) error {
	return s.deliveries.Publish(l.Tx, webhooks.Event{
		Type: event, At: now, StoreID: &l.store.ID, Lane: "case " + strconv.FormatInt(l.c.ID, 10),
		CancellationID: &l.c.ID, SerialNumber: l.sale.SerialNumber, OrderID: l.sale.OrderID,
		Data: eventData{
			CancellationID: l.c.ID, OrderID: l.sale.OrderID, SerialNumber: string(l.sale.SerialNumber), MerchantID: l.sale.MerchantID,
			Store: l.store.Code, Amount: l.sale.Amount.Decimal(), Currency: l.sale.Currency, State: l.c.State, Detail: l.c.Detail,
			Conflict: conflict, RequestedAt: l.c.RequestedAt.UTC().Format(time.RFC3339), Sequence: l.c.Version,
		},
	})
}
