package sandbox

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
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
