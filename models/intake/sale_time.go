package intake

import (
	"strings"
	"time"

	"veinte/models"
)

// The time in a sale's order number is used only within these bounds around the time
// of receipt.
const (
	saleTimeAhead  = 10 * time.Minute   // clocks differ a little
	SaleTimeBehind = 7 * 24 * time.Hour // a terminal without network posts late
)

// SaleTime returns when the sale was made. Order numbers of terminals contain
// YYMMDDhhmmss-<serial> in Mexico City's time. Where that agrees with the terminal
// and with the time of receipt it is used; otherwise the time of receipt is. Dates
// in results are not used, as their formats vary.
func SaleTime(orderID, serial string, received time.Time, calendar models.Calendar) time.Time {
	stamp, of, ok := strings.Cut(orderID, "-")
	if !ok || len(stamp) != 12 || !strings.HasPrefix(of, serial) {
		return received
	}
	at, err := time.ParseInLocation("060102150405", stamp, calendar.Zone())
	if err != nil || at.After(received.Add(saleTimeAhead)) || at.Before(received.Add(-SaleTimeBehind)) {
		return received
	}
	if at.After(received) {
		return received
	}
	return at
}
