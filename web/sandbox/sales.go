package sandbox

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"time"
)

// salesAtOnce limits how many sales of one array are posted concurrently.
const salesAtOnce = 8

func (s *Sandbox) putTerminal(r *http.Request, body []byte) (int, any, error) {
	var t terminal
	if err := decode(body, &t); err != nil {
		return 0, nil, err
	}
	t.SerialNumber = r.PathValue("serial")
	if !tenDigits(t.SerialNumber) || t.MerchantID == "" {
		return 0, nil, errors.New("a terminal needs a serial of ten digits and a merchantId")
	}
	if err := checkResponseURL(t.ResponseURL); err != nil {
		return 0, nil, err
	}
	for i, name := range t.CardBrands {
		t.CardBrands[i] = strings.ToUpper(name)
		if _, known := brands[t.CardBrands[i]]; !known {
			return 0, nil, fmt.Errorf("card brand %q is unknown", name)
		}
	}
	t.StoreName = cmp.Or(t.StoreName, "TIENDA DEMO")
	t.Street = cmp.Or(t.Street, "CALLE DEMO 1")
	t.City = cmp.Or(t.City, "CIUDAD DE MEXICO")
	return http.StatusOK, t, s.registry.putTerminal(t)
}

func (s *Sandbox) getTerminals(*http.Request, []byte) (int, any, error) {
	return http.StatusOK, s.registry.list(), nil
}

func (s *Sandbox) getSales(r *http.Request, _ []byte) (int, any, error) {
	return http.StatusOK, s.registry.listSales(r.URL.Query().Get("serialNumber")), nil
}

// saleDemand is the request for a sale. What it does not name is made up.
type saleDemand struct {
	sale
	Silent bool `json:"silent"` // do not post it
	Async  bool `json:"async"`  // do not wait for the post's response
}

// saleOutcome is the response about one sale.
type saleOutcome struct {
	OrderID   string `json:"orderId,omitempty"`
	Delivered bool   `json:"delivered"` // the first post succeeded
	Error     string `json:"error,omitempty"`
}

// postSales makes one sale, or an array of them, each with its own outcome.
func (s *Sandbox) postSales(_ *http.Request, body []byte) (int, any, error) {
	if !bytes.HasPrefix(bytes.TrimSpace(body), []byte("[")) {
		var d saleDemand
		if err := decode(body, &d); err != nil {
			return 0, nil, err
		}
		status, outcome, err := s.sell(d)
		return status, outcome, err
	}
	var demands []saleDemand
	if err := decode(body, &demands); err != nil {
		return 0, nil, err
	}
	outcomes := make([]saleOutcome, len(demands))
	places := make(chan struct{}, salesAtOnce)
	var group sync.WaitGroup
	for i, d := range demands {
		places <- struct{}{}
		group.Go(func() {
			defer s.recovered()
			defer func() { <-places }()
			_, outcome, err := s.sell(d)
			if err != nil {
				outcome.Error = err.Error()
			}
			outcomes[i] = outcome
		})
	}
	group.Wait()
	return http.StatusOK, outcomes, nil
}

// sell makes a sale on its terminal, which posts it.
func (s *Sandbox) sell(d saleDemand) (int, saleOutcome, error) {
	amount, err := parseAmount(d.Amount)
	if err != nil {
		return 0, saleOutcome{}, err
	}
	if _, known := faultKinds[d.Fault]; d.Fault != "" && !known {
		return 0, saleOutcome{}, fmt.Errorf("fault %q is unknown", d.Fault)
	}
	if d.CanceledAt != nil {
		return 0, saleOutcome{}, errors.New("a new sale is not canceled")
	}
	made := d.sale
	if made.SoldAt.IsZero() {
		made.SoldAt = s.now()
	}
	made.Amount, made.SoldAt = amount.String(), made.SoldAt.UTC()
	made.Folio, made.Last4 = cmp.Or(made.Folio, "venta_"+made.Amount), cmp.Or(made.Last4, "8610")
	made.CardBrand = strings.ToUpper(cmp.Or(made.CardBrand, "VISA"))
	if made, err = s.registry.addSale(made); err != nil {
		return http.StatusConflict, saleOutcome{}, err
	}
	outcome := saleOutcome{OrderID: made.OrderID}
	switch {
	case d.Silent:
		return http.StatusOK, outcome, nil
	case d.Async:
		s.start(func() { s.postSale(made) })
		return http.StatusAccepted, outcome, nil
	}
	outcome.Delivered = s.postSale(made)
	return http.StatusOK, outcome, nil
}

// postSale posts a sale and reports whether the first try succeeded.
func (s *Sandbox) postSale(made sale) bool {
	t, _ := s.registry.terminal(made.SerialNumber)
	return s.postOrRetry(delivery{event: "sale", order: made.OrderID, serial: made.SerialNumber, body: encode(salePost(t, made))})
}

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
