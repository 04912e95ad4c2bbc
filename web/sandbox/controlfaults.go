package sandbox

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"
)

func (s *Sandbox) postFaults(rule faultRule) (int, any, error) {
	rule.Operation = cmp.Or(rule.Operation, operationCancel)
	if rule.Times == 0 {
		rule.Times = 1
	}
	kind, known := faultKinds[rule.Fault]
	switch {
	case !known:
		return 0, nil, fmt.Errorf("fault %q is unknown", rule.Fault)
	case rule.Operation == operationToken && (!kind.onToken || rule.OrderID != "" || rule.SerialNumber != ""):
		return 0, nil, fmt.Errorf("fault %q for one order or terminal cannot befall the token operation", rule.Fault)
	case rule.Operation != operationCancel && rule.Operation != operationReprint && rule.Operation != operationToken:
		return 0, nil, fmt.Errorf("operation %q is unknown", rule.Operation)
	}
	s.faults.add(rule)
	return http.StatusOK, rule, nil
}

func (s *Sandbox) getFaults(*http.Request, []byte) (int, any, error) {
	return http.StatusOK, s.faults.list(), nil
}

func (s *Sandbox) deleteFaults(*http.Request, []byte) (int, any, error) {
	s.faults.set(nil)
	return http.StatusOK, []faultRule{}, nil
}

// manualDemand is the request for a cancellation made on the device.
type manualDemand struct {
	OrderID      string `json:"orderId"`
	SerialNumber string `json:"serialNumber"` // only when several terminals use the number
}

// postManualCancellation follows the same rules as an order, and its post has no
// traceability.
func (s *Sandbox) postManualCancellation(demand manualDemand) (int, any, error) {
	sold, ok := s.registry.sale(demand.SerialNumber, demand.OrderID)
	if !ok {
		return http.StatusNotFound, nil, fmt.Errorf("order %q is unknown", demand.OrderID)
	}
	at := s.now()
	after, v, err := s.registry.cancelSale(sold.SerialNumber, sold.OrderID, at)
	if err != nil {
		return http.StatusInternalServerError, nil, err
	}
	t, _ := s.registry.terminal(sold.SerialNumber)
	delivered := s.postOrRetry(delivery{
		event: "manual", order: sold.OrderID, serial: sold.SerialNumber,
		body: encode(cancelPost(t, after, v, at, noTraceability)),
	})
	return http.StatusOK, map[string]any{"orderId": sold.OrderID, "responseCode": v.code, "delivered": delivered}, nil
}

// postRaw posts any JSON once, as a terminal's registration test or an unknown
// client would.
func (s *Sandbox) postRaw(_ *http.Request, body []byte) (int, any, error) {
	if !json.Valid(body) {
		return 0, nil, errors.New("control body: not JSON")
	}
	return http.StatusOK, map[string]bool{"delivered": s.tryPost(delivery{event: "raw", body: body}, 1)}, nil
}

// putConfig changes the given settings and leaves the others.
func (s *Sandbox) putConfig(_ *http.Request, body []byte) (status int, answer any, err error) {
	s.settings.change(func(v *settingValues) {
		next := *v
		if err = decode(body, &next); err == nil {
			err = checkResponseURL(next.ResponseURL)
		}
		if err == nil {
			*v = next
		}
	})
	if err != nil {
		return 0, nil, err
	}
	return s.getState(nil, nil)
}

func (s *Sandbox) postTokensExpire(*http.Request, []byte) (int, any, error) {
	return http.StatusOK, map[string]int{"expired": s.tokens.revokeAll()}, nil
}

// listenerDemand says for how long nothing listens.
type listenerDemand struct {
	Closed duration `json:"closed"`
}

// postListener closes the listening socket of Run for a while. Only that refuses
// connections as a machine that is down does.
func (s *Sandbox) postListener(demand listenerDemand) (int, any, error) {
	if s.Addr() == "" {
		return http.StatusConflict, nil, errors.New("the sandbox does not listen by itself")
	}
	select {
	case s.closeFor <- time.Duration(demand.Closed):
		return http.StatusAccepted, demand, nil
	default:
		return http.StatusConflict, nil, errors.New("the listener is about to close already")
	}
}
