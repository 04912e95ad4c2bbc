package sandbox

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"time"
)

const (
	maxControlBody = 8 << 20
	notedBody      = 4 << 10 // limit of a control body in the ledger
)

// controlFunc handles one control request and returns a status and a body.
type controlFunc func(r *http.Request, body []byte) (int, any, error)

// controlRoutes returns the routes with which a person or a test controls the
// sandbox.
func (s *Sandbox) controlRoutes() http.Handler {
	mux := http.NewServeMux()
	for pattern, do := range map[string]controlFunc{
		"PUT /control/terminals/{serial}":         s.putTerminal,
		"GET /control/terminals":                  s.getTerminals,
		"POST /control/sales":                     s.postSales,
		"GET /control/sales":                      s.getSales,
		"POST /control/cancellations-on-terminal": decoded(s.postManualCancellation),
		"POST /control/posts":                     s.postRaw,
		"POST /control/faults":                    decoded(s.postFaults),
		"GET /control/faults":                     s.getFaults,
		"DELETE /control/faults":                  s.deleteFaults,
		"PUT /control/config":                     s.putConfig,
		"POST /control/live":                      decoded(s.postLive),
		"GET /control/state":                      s.getState,
	} {
		mux.HandleFunc(pattern, s.control(do))
	}
	mux.HandleFunc("GET /control/ledger", s.getLedger)
	mux.HandleFunc("GET /control/report", s.getReport)
	return mux
}

// control reads the body, records the change in the ledger and responds in JSON.
func (s *Sandbox) control(do controlFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxControlBody))
		status, answer := http.StatusBadRequest, any(nil)
		if err == nil {
			status, answer, err = do(r, body)
		}
		if err != nil {
			answer = map[string]string{"error": err.Error()}
			if status < 400 {
				status = http.StatusBadRequest
			}
		}
		if r.Method != http.MethodGet {
			s.note(&entry{
				Kind: kindControl, Method: r.Method, Path: r.URL.Path, Status: status,
				Body: string(bytes.ToValidUTF8(body[:min(len(body), notedBody)], nil)),
			})
		}
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		_, _ = w.Write(append(encode(answer), '\n')) // the client may be gone; the error does not matter
	}
}

// decoded is a controlFunc that gets its body decoded.
func decoded[T any](do func(demand T) (int, any, error)) controlFunc {
	return func(_ *http.Request, body []byte) (int, any, error) {
		var demand T
		if err := decode(body, &demand); err != nil {
			return 0, nil, err
		}
		return do(demand)
	}
}

// decode reads one JSON value strictly, so that a misspelt name in a test is an
// error.
func decode(body []byte, into any) error {
	decoder := json.NewDecoder(bytes.NewReader(body))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(into); err != nil {
		return fmt.Errorf("control body: %w", err)
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return errors.New("control body: text after the JSON value")
	}
	return nil
}

// getLedger streams the ledger, or with ?after=seq only the newer lines.
func (s *Sandbox) getLedger(w http.ResponseWriter, r *http.Request) {
	after, err := strconv.ParseInt(cmp.Or(r.URL.Query().Get("after"), "0"), 10, 64)
	if err != nil {
		http.Error(w, "after is not a number", http.StatusBadRequest)
		return
	}
	w.Header().Set("Content-Type", "application/x-ndjson")
	if err := s.ledger.stream(w, after); err != nil {
		s.logger.Warn("ledger not streamed", "error", err)
		panic(http.ErrAbortHandler) // a truncated response must not look complete
	}
}

// getState returns counters.
func (s *Sandbox) getState(*http.Request, []byte) (int, any, error) {
	canceled := 0
	sales := s.registry.listSales("")
	for _, one := range sales {
		if one.CanceledAt != nil {
			canceled++
		}
	}
	seq, lines := s.ledger.totals()
	c := s.settings.get()
	return http.StatusOK, map[string]any{
		"sandbox": "veinte", // no payment service returns this; practice checks it before it starts
		"clock":   s.now().UTC().Format(time.RFC3339Nano), "seq": seq, "lines": lines,
		"terminals": len(s.registry.list()), "sales": len(sales), "canceled": canceled,
		"onScreen": s.screens.count(), "tokens": s.tokens.count(), "faults": len(s.faults.list()), "live": s.stopLive.get() != nil,
		"responseURL": c.ResponseURL, "latency": c.Latency, "resultDelay": c.ResultDelay,
	}, nil
}

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
