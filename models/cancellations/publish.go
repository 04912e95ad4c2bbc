package cancellations

import (
	"strconv"
	"time"

	"veinte/models"
	"veinte/models/webhooks"
)

// eventData is the body of a webhook's event about a cancellation: the facts that an
// integrator needs to find the sale, and no other data of it.
type eventData struct {
	CancellationID int64           `json:"cancellationId"`
	OrderID        string          `json:"orderId"`
	SerialNumber   string          `json:"serialNumber"`
	StoreID        string          `json:"storeId"`    // the provider's
	MerchantID     string          `json:"merchantId"` // its old name, until models.OldNamesEnd
	Store          string          `json:"store"`      // the store's code
	Amount         string          `json:"amount"`
	Currency       string          `json:"currency"`
	State          models.State    `json:"state"`
	Detail         models.Detail   `json:"detail"`
	Conflict       models.Conflict `json:"conflict,omitempty"`
	RequestedAt    string          `json:"requestedAt"`
	Sequence       int             `json:"sequence"` // of the cancellation: increases by one with each move
}

// publish publishes an event of the held cancellation. The events of one
// cancellation share a lane, so that they are delivered in order.
func (l *Held) publish(event webhooks.EventType, conflict models.Conflict) error {
	return l.s.config.Deliveries.Publish(l.tx, webhooks.Event{
		Type: event, At: l.At(), StoreID: &l.store.ID, Lane: "case " + strconv.FormatInt(l.c.ID, 10),
		CancellationID: &l.c.ID, SerialNumber: l.sale.SerialNumber, OrderID: l.sale.OrderID,
		Data: eventData{
			CancellationID: l.c.ID, OrderID: l.sale.OrderID, SerialNumber: string(l.sale.SerialNumber),
			StoreID: l.sale.MerchantID, MerchantID: l.sale.MerchantID, Store: l.store.Code,
			Amount: l.sale.Amount.Decimal(), Currency: l.sale.Currency, State: l.c.State, Detail: l.c.Detail,
			Conflict: conflict, RequestedAt: l.c.RequestedAt.UTC().Format(time.RFC3339), Sequence: l.c.Version,
		},
	})
}
