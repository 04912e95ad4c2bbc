package web

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"veinte/models"
	"veinte/web/cancelapi"
	"veinte/web/sandbox"
)

// The client of the service against the sandbox, which shares no code with it: the
// meaning of each fault of the connection and the service.
func TestClientAgainstSandbox(t *testing.T) {
	t.Parallel()
	tests := []struct {
		fault   string
		meaning models.Meaning
		detail  models.Detail
		sent    int // cancel requests that the service received
	}{
		{"", models.MeaningAccepted, models.DetailAccepted, 1},
		{"slow", models.MeaningAccepted, models.DetailAccepted, 1},
		{"ackNoResult", models.MeaningAccepted, models.DetailAccepted, 1},
		{"notFound", models.MeaningRefused, models.DetailTerminalNotFound, 1},
		{"expiredToken", models.MeaningAccepted, models.DetailAccepted, 2},
		{"hang", models.MeaningUnknown, models.DetailTimeout, 1},
		{"dropAfterReading", models.MeaningUnknown, models.DetailConnectionLost, 1},
		{"reset", models.MeaningUnknown, models.DetailConnectionLost, 1},
		{"cutHeader", models.MeaningUnknown, models.DetailTruncatedReply, 1},
		{"cutBody", models.MeaningUnknown, models.DetailTruncatedReply, 1},
		{"html", models.MeaningUnknown, models.DetailNotJSON, 1},
		{"500", models.MeaningUnknown, models.DetailUnknownCode, 1}, // its body has a code, which takes precedence
		{"invalidJSON", models.MeaningUnknown, models.DetailNotJSON, 1},
		{"unknownCode", models.MeaningUnknown, models.DetailUnknownCode, 1},
		{"redirect", models.MeaningUnknown, models.DetailRedirect, 1},
		{"oneBytePerSecond", models.MeaningUnknown, models.DetailTimeout, 1},
	}
	for _, tt := range tests {
		t.Run("fault "+tt.fault, func(t *testing.T) {
			t.Parallel()
			s := newService(t)
			if tt.fault != "" {
				s.control(t, http.MethodPost, "/control/faults", map[string]any{"fault": tt.fault, "delay": delay(tt.fault)})
			}
			reply := s.client(t).Cancel(context.Background(), s.order())
			if reply.Meaning != tt.meaning || reply.Detail != tt.detail {
				t.Errorf("Cancel = %s (%s), want %s (%s)", reply.Meaning, reply.Detail, tt.meaning, tt.detail)
			}
			requests := s.cancels(t)
			if len(requests) != tt.sent {
				t.Fatalf("the service received %d requests, want %d", len(requests), tt.sent)
			}
			checkFields(t, requests[0])
		})
	}
}

// delay is a fault's duration: hanging outlasts the client's timeout.
func delay(fault string) string {
	if fault == "hang" || fault == "oneBytePerSecond" {
		return "30s"
	}
	return "300ms"
}

// checkFields compares an outgoing body with the specification's table.
func checkFields(t *testing.T, body map[string]any) {
	t.Helper()
	want := []string{"disablePrintAnimation", "orderId", "serialNumber", "storeId", "traceability"}
	if len(body) != len(want) {
		t.Errorf("the body has %d fields, want %d: %v", len(body), len(want), body)
	}
	for _, field := range want {
		if _, ok := body[field]; !ok {
			t.Errorf("the body lacks %s: %v", field, body)
		}
	}
	if got := body["disablePrintAnimation"]; got != true {
		t.Errorf("disablePrintAnimation = %v, want true", got)
	}
}

type service struct {
	*httptest.Server
	tokens cancelapi.TokenSource
}

func newService(t *testing.T) *service {
	t.Helper()
	box, err := sandbox.New(sandbox.Config{
		Ledger:   filepath.Join(t.TempDir(), "ledger.jsonl"),
		Username: "shop", Password: "word", ClientID: "id", ClientSecret: "secret",
	})
	if err != nil {
		t.Fatal(err)
	}
	s := &service{Server: httptest.NewServer(box.Handler())}
	t.Cleanup(func() {
		_ = box.Close() // first: requests that hang on purpose would block the server
		s.Close()
	})
	s.tokens = cancelapi.PasswordToken(cancelapi.TokenConfig{
		URL: s.URL + "/gateway/oauth-service/oauth/token", Username: "shop", Password: "word",
		ClientID: "id", ClientSecret: "secret", Clock: models.ShiftedClock(0),
	})
	s.control(t, http.MethodPut, "/control/terminals/1490000001", map[string]any{"merchantId": "900001"})
	s.control(t, http.MethodPost, "/control/sales", map[string]any{
		"serialNumber": "1490000001", "amount": "120.00", "orderId": "order-1", "silent": true,
	})
	return s
}

func (s *service) client(t *testing.T) *cancelapi.Client {
	t.Helper()
	c, err := cancelapi.New(cancelapi.Config{
		BaseURL: s.URL + "/gateway", Timeout: 2 * time.Second, Clock: models.ShiftedClock(0), Tokens: s.tokens,
	})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func (s *service) order() models.Order {
	return models.Order{
		SerialNumber: "1490000001", MerchantID: "900001", OrderID: "order-1", OmitReceipt: true,
		Key: models.NewAttemptKey(), NotAfter: time.Now().Add(time.Minute),
	}
}

func (s *service) control(t *testing.T, method, path string, body any) {
	t.Helper()
	b, err := json.Marshal(body)
	if err != nil {
		t.Fatal(err)
	}
	req, err := http.NewRequest(method, s.URL+path, bytes.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if resp.StatusCode >= http.StatusBadRequest {
		text, _ := io.ReadAll(resp.Body)
		t.Fatalf("%s %s: %s: %s", method, path, resp.Status, text)
	}
}

// cancels returns the bodies of the cancel requests in the ledger.
func (s *service) cancels(t *testing.T) []map[string]any {
	t.Helper()
	return ledgerRequests(t, s.URL, "cancel", "")
}

// ledgerRequests reads what the service received, for one order or for all.
func ledgerRequests(t *testing.T, url, operation, order string) []map[string]any {
	t.Helper()
	resp, err := http.Get(url + "/control/ledger")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	var bodies []map[string]any
	for line := range strings.Lines(string(text)) {
		var entry struct {
			Kind, Operation string
			Parsed          map[string]any
		}
		if err := json.Unmarshal([]byte(line), &entry); err != nil {
			t.Fatalf("ledger line %q: %v", line, err)
		}
		if entry.Kind == "request" && entry.Operation == operation && (order == "" || entry.Parsed["orderId"] == order) {
			bodies = append(bodies, entry.Parsed)
		}
	}
	return bodies
}
