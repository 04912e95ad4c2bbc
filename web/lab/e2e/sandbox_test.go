package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"
)

// plain is the client for requests without a browser.
var plain = &http.Client{Timeout: patience}

// sandbox is the payment service and its terminals, by its control endpoints.
type sandbox struct{ url string }

// prepare waits until the demo's day has begun, stops the live sales, and lets
// terminals respond at once. A test that needs delays sets them itself.
func (b *sandbox) prepare(ctx context.Context) error {
	for {
		var state struct{ Live bool }
		if err := b.call(ctx, http.MethodGet, "/control/state", nil, &state); err != nil {
			return err
		}
		if state.Live {
			break
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("the demo's day did not begin: %w", ctx.Err())
		case <-time.After(50 * time.Millisecond):
		}
	}
	if err := b.call(ctx, http.MethodPost, "/control/live", map[string]any{"every": "0s"}, nil); err != nil {
		return err
	}
	return b.call(ctx, http.MethodPut, "/control/config", map[string]any{"resultDelay": "50ms", "latency": "20ms"}, nil)
}

// call sends a control request and decodes its response into result, if any.
func (b *sandbox) call(ctx context.Context, method, path string, body, result any) error {
	var sent io.Reader
	if body != nil {
		text, err := json.Marshal(body)
		if err != nil {
			return err
		}
		sent = bytes.NewReader(text)
	}
	req, err := http.NewRequestWithContext(ctx, method, b.url+path, sent)
	if err != nil {
		return err
	}
	resp, err := plain.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	if err != nil {
		return err
	}
	if resp.StatusCode >= http.StatusBadRequest {
		return fmt.Errorf("sandbox %s %s = %s: %s", method, path, resp.Status, answer)
	}
	if result == nil {
		return nil
	}
	return json.Unmarshal(answer, result)
}

func (b *sandbox) do(t testing.TB, method, path string, body, result any) {
	t.Helper()
	if err := b.call(t.Context(), method, path, body, result); err != nil {
		t.Fatal(err)
	}
}

// sell makes a sale on a terminal, which posts it, and returns its order
// number. With more, fields of the demand can be added or changed.
func (b *sandbox) sell(t testing.TB, serial, amount string, more map[string]any) string {
	t.Helper()
	demand := map[string]any{"serialNumber": serial, "amount": amount}
	maps.Copy(demand, more)
	var sold struct {
		OrderID   string
		Delivered bool
	}
	b.do(t, http.MethodPost, "/control/sales", demand, &sold)
	if !sold.Delivered {
		t.Fatalf("sale %s of terminal %s was not delivered", sold.OrderID, serial)
	}
	return sold.OrderID
}

// fault sets a fault for the next cancel request for an order.
func (b *sandbox) fault(t testing.TB, order, kind string, more map[string]any) {
	t.Helper()
	rule := map[string]any{"orderId": order, "fault": kind}
	maps.Copy(rule, more)
	b.do(t, http.MethodPost, "/control/faults", rule, nil)
}

// withhold lets the terminal do what a cancellation of the order asks for, and say so
// only when it is made to report.
func (b *sandbox) withhold(t testing.TB, order string) {
	t.Helper()
	b.fault(t, order, "ackNoResult", nil)
}

// report posts what the terminal withheld: the result of the order's last request.
func (b *sandbox) report(t testing.TB, order string) {
	t.Helper()
	asked := b.requests(t, "cancel", order)
	if len(asked) == 0 {
		t.Fatalf("no cancellation of %s was requested, so none can be reported", order)
	}
	body := asked[len(asked)-1].Parsed
	var sales []struct{ OrderID, Amount string }
	b.do(t, http.MethodGet, fmt.Sprintf("/control/sales?serialNumber=%v", body["serialNumber"]), nil, &sales)
	amount := ""
	for _, s := range sales {
		if s.OrderID == order {
			amount = s.Amount
		}
	}
	var made struct{ Delivered bool }
	b.do(t, http.MethodPost, "/control/posts", map[string]any{
		"transType": "V", "responseCode": "00", "amount": amount, "message": "Transaccion Aprobada", "authCode": "123456",
		"orderId": order, "terminalId": body["serialNumber"], "storeId": body["storeId"], "traceability": body["traceability"],
	}, &made)
	if !made.Delivered {
		t.Fatalf("the result of %s was not delivered", order)
	}
}

// now is the service's clock, which is as far from the real one as the product's.
func (b *sandbox) now(t testing.TB) time.Time {
	t.Helper()
	var state struct{ Clock time.Time }
	b.do(t, http.MethodGet, "/control/state", nil, &state)
	return state.Clock
}

// waitUntil waits for an instant of the service's clock.
func (b *sandbox) waitUntil(t testing.TB, instant time.Time) {
	t.Helper()
	for b.now(t).Before(instant) {
		select {
		case <-t.Context().Done():
			t.Fatal(t.Context().Err())
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// ledgerEntry is a line of the ledger, as far as the tests read it.
type ledgerEntry struct {
	Kind       string
	Operation  string
	OrderID    string
	Parsed     map[string]any
	Violations []string
	Fault      string
}

// requests are what the service received for an order, oldest first; of every
// order when it is empty.
func (b *sandbox) requests(t testing.TB, operation, order string) (found []ledgerEntry) {
	t.Helper()
	resp, err := plain.Get(b.url + "/control/ledger")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	for lines := json.NewDecoder(resp.Body); ; {
		var e ledgerEntry
		if err := lines.Decode(&e); err == io.EOF {
			return found
		} else if err != nil {
			t.Fatalf("read ledger: %v", err)
		}
		if e.Kind == "request" && e.Operation == operation && (order == "" || e.Parsed["orderId"] == order) {
			found = append(found, e)
		}
	}
}

// wantOneCancel checks that the service received exactly one request to cancel
// the order, with exactly the fields of the specification.
func (b *sandbox) wantOneCancel(t testing.TB, order string, omitReceipt bool) {
	t.Helper()
	got := b.requests(t, "cancel", order)
	if len(got) != 1 {
		t.Fatalf("cancel requests for %s = %d, want 1: %+v", order, len(got), got)
	}
	body := got[0].Parsed
	fields := strings.Join(slices.Sorted(maps.Keys(body)), " ")
	if want := "disablePrintAnimation orderId serialNumber storeId traceability"; fields != want {
		t.Errorf("fields of the cancel request = %q, want %q", fields, want)
	}
	if body["disablePrintAnimation"] != omitReceipt {
		t.Errorf("disablePrintAnimation = %v, want %v", body["disablePrintAnimation"], omitReceipt)
	}
	if len(got[0].Violations) > 0 {
		t.Errorf("violations of the specification = %q, want none", got[0].Violations)
	}
}

// wantNoCancel checks that nothing was sent for the order.
func (b *sandbox) wantNoCancel(t testing.TB, order string) {
	t.Helper()
	if got := b.requests(t, "cancel", order); len(got) != 0 {
		t.Errorf("cancel requests for %q = %d, want none: %+v", order, len(got), got)
	}
}
