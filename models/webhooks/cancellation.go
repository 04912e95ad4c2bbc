package webhooks

import (
	"strconv"
	"time"

	"veinte/models"
)

// cancellationData is the body of an event about a cancellation: the facts that an
// integrator needs to find the sale, and no other data of it.
type cancellationData struct {
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

// OfCancellation is an event of a cancellation. The events of one cancellation share a
// lane, so that they are delivered in order.
func OfCancellation(
	event EventType, at time.Time, c *models.Cancellation, sale *models.Sale, store *models.Store, conflict models.Conflict,
) Event {
	return Event{
		Type: event, At: at, StoreID: &store.ID, Lane: "case " + strconv.FormatInt(c.ID, 10),
		CancellationID: &c.ID, SerialNumber: sale.SerialNumber, OrderID: sale.OrderID,
		Data: cancellationData{
			CancellationID: c.ID, OrderID: sale.OrderID, SerialNumber: string(sale.SerialNumber),
			StoreID: sale.MerchantID, MerchantID: sale.MerchantID, Store: store.Code,
			Amount: sale.Amount.Decimal(), Currency: sale.Currency, State: c.State, Detail: c.Detail,
			Conflict: conflict, RequestedAt: c.RequestedAt.UTC().Format(time.RFC3339), Sequence: c.Version,
		},
	}
}
