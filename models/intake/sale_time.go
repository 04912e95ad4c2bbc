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
	at, held := orderTime(orderID, serial, calendar)
	if !held || !plausible(at, received) || at.After(received) {
		return received
	}
	return at
}

// TimeProof is what an order number says of when its sale was made.
type TimeProof int

// The proofs. Differs is a time that does not agree with the time of receipt: the
// terminal's clock is wrong, or the sale is old.
const (
	NoTime TimeProof = iota
	Agrees
	Differs
)

// ProofOfTime returns whether the order number holds the time of the sale, by the rule
// of SaleTime.
func ProofOfTime(orderID, serial string, received time.Time, calendar models.Calendar) TimeProof {
	at, held := orderTime(orderID, serial, calendar)
	switch {
	case !held:
		return NoTime
	case plausible(at, received):
		return Agrees
	}
	return Differs
}

func orderTime(orderID, serial string, calendar models.Calendar) (at time.Time, held bool) {
	stamp, of, ok := strings.Cut(orderID, "-")
	if !ok || len(stamp) != 12 || !strings.HasPrefix(of, serial) {
		return at, false
	}
	at, err := time.ParseInLocation("060102150405", stamp, calendar.Zone())
	return at, err == nil
}

func plausible(at, received time.Time) bool {
	return !at.After(received.Add(saleTimeAhead)) && !at.Before(received.Add(-SaleTimeBehind))
}
