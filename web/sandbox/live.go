package sandbox

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"net/http"
	"time"
)

// Store hours of live sales, in minutes of the day in Mexico City.
const (
	opens  = 9 * 60
	closes = 21*60 + 30
)

// liveDemand is the request for live sales.
type liveDemand struct {
	Every  duration `json:"every"`  // typical time between sales; 0s stops
	Always bool     `json:"always"` // also outside store hours
}

// postLive starts, changes or stops live sales.
func (s *Sandbox) postLive(demand liveDemand) (int, any, error) {
	ctx, stop := context.WithCancel(s.ctx)
	if demand.Every == 0 {
		stop()
		stop = nil
	}
	s.stopLive.change(func(running *context.CancelFunc) {
		if *running != nil {
			(*running)()
		}
		*running = stop
	})
	if demand.Every == 0 {
		return http.StatusOK, demand, nil
	}
	s.start(func() {
		for wait(ctx, jitter(demand.Every)) {
			if demand.Always || storeHours(s.now()) {
				s.liveSale()
			}
		}
	})
	return http.StatusOK, demand, nil
}

// storeHours reports whether shops are open at t: 09:00 to 21:30 in Mexico City.
func storeHours(t time.Time) bool {
	t = t.In(mexicoCity)
	minute := t.Hour()*60 + t.Minute()
	return minute >= opens && minute < closes
}

// liveSale makes one believable sale on some terminal.
func (s *Sandbox) liveSale() {
	terminals := s.registry.list()
	if len(terminals) == 0 {
		return
	}
	t := terminals[rand.IntN(len(terminals))]
	if _, _, err := s.sell(believableSale(t)); err != nil {
		s.logger.Warn("live sale not made", "terminal", t.SerialNumber, "error", err)
	}
}

// mixedBrands is a rough mix of the brands in Mexican shops.
var mixedBrands = []string{
	"VISA", "VISA", "VISA", "VISA", "VISA", "MASTERCARD", "MASTERCARD", "MASTERCARD", "CARNET", "AMEX",
}

// believableSale is a plausible purchase: mostly 30 to 4000 MXN, small amounts far
// more often than large ones, one in 25 declined.
func believableSale(t terminal) saleDemand {
	choice := mixedBrands
	if len(t.CardBrands) > 0 {
		choice = t.CardBrands
	}
	pesos := min(max(math.Exp(rand.NormFloat64()*0.95+5.9), 30), 9500)
	ends := []int{0, 0, 0, 50, 50, 90, 99, rand.IntN(100)}
	return saleDemand{sale: sale{
		SerialNumber: t.SerialNumber,
		Amount:       (cents(pesos)*100 + cents(ends[rand.IntN(len(ends))])).String(),
		CardBrand:    choice[rand.IntN(len(choice))],
		Last4:        fmt.Sprintf("%04d", rand.IntN(10_000)),
		Declined:     rand.IntN(25) == 0,
	}}
}
