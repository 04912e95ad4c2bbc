package sandbox

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"
)

const (
	noon   = "2026-03-10T12:00:00-06:00" // on the service's clock, in Mexico City
	serial = "1490000001"
	store  = "900001"
	static = "static-token-for-tests"
)

// bundle is a sandbox with one terminal, and a receiver of what terminals post.
type bundle struct {
	tb       testing.TB
	sandbox  *Sandbox
	url      string
	posts    chan map[string]any // what reached the receiver, oldest first
	mu       sync.Mutex
	refusals int // how many more posts the receiver refuses
}

// start makes a bundle whose clock starts at the given instant.
func start(tb testing.TB, at string, change ...func(*Config)) *bundle {
	tb.Helper()
	b := &bundle{tb: tb, posts: make(chan map[string]any, 1000)}
	receiver := httptest.NewServer(http.HandlerFunc(b.receive))
	tb.Cleanup(receiver.Close)
	clock, err := time.Parse(time.RFC3339, at)
	if err != nil {
		tb.Fatal(err)
	}
	config := Config{
		Addr: "127.0.0.1:0", AccessToken: static, Username: "tienda", Password: "s3creto", ClientID: "app", ClientSecret: "app-s3creto",
		ResponseURL: receiver.URL + "/results", ClockOffset: time.Until(clock),
	}
	for _, f := range change {
		f(&config)
	}
	if b.sandbox, err = New(config); err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := b.sandbox.Close(); err != nil {
			tb.Error(err)
		}
	})
	server := httptest.NewServer(b.sandbox.Handler())
	tb.Cleanup(server.CloseClientConnections)
	tb.Cleanup(server.Close)
	tb.Cleanup(b.sandbox.cancel) // ends hanging requests before the server waits for them
	b.url = server.URL
	b.control("PUT", "/control/terminals/"+serial, `{"merchantId":"`+store+`","storeName":"TIENDA DEMO"}`, 200)
	return b
}

func (b *bundle) receive(w http.ResponseWriter, r *http.Request) {
	var got map[string]any
	if err := json.NewDecoder(r.Body).Decode(&got); err != nil {
		b.tb.Errorf("terminal posted no JSON: %v", err)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.posts <- got
	if b.refusals > 0 {
		b.refusals--
		fmt.Fprint(w, `{"code":"99","message":"no"}`)
		return
	}
	fmt.Fprint(w, `{"code":"00","message":"Recibido"}`)
}

// next is the next post that reached the receiver.
func (b *bundle) next() map[string]any {
	b.tb.Helper()
	select {
	case got := <-b.posts:
		return got
	case <-time.After(20 * time.Second):
		b.tb.Fatal("no post reached the receiver")
		return nil
	}
}

// control calls the sandbox's control endpoint and returns the response as text.
func (b *bundle) control(method, path, body string, want int) string {
	b.tb.Helper()
	status, text := b.do(method, path, body, nil)
	if status != want {
		b.tb.Fatalf("%s %s %s = %d %s, want %d", method, path, body, status, text, want)
	}
	return text
}

func (b *bundle) do(method, path, body string, header map[string]string) (int, string) {
	b.tb.Helper()
	response, err := b.send(method, path, body, header)
	if err != nil {
		b.tb.Fatalf("%s %s: %v", method, path, err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		b.tb.Fatalf("%s %s: %v", method, path, err)
	}
	return response.StatusCode, string(text)
}

// send uses a connection of its own and follows no redirect.
func (b *bundle) send(method, path, body string, header map[string]string) (*http.Response, error) {
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	b.tb.Cleanup(cancel)
	request, err := http.NewRequestWithContext(ctx, method, b.url+path, strings.NewReader(body))
	if err != nil {
		b.tb.Fatal(err)
	}
	for name, value := range header {
		request.Header.Set(name, value)
	}
	return (&http.Transport{DisableKeepAlives: true}).RoundTrip(request)
}

var orderHeaders = map[string]string{"Content-Type": "application/json", "Authorization": "Bearer " + static}

const (
	cancelPath  = "/integration-service/transactions/cancel"
	reprintPath = "/integration-service/transactions/reprint"
	tokenPath   = "/oauth-service/oauth/token"
	ackOK       = `{"code":"00","message":"Mensaje enviado exitosamente"}`
)

// body is a valid order for the bundle's terminal.
func body(orderID string) string {
	return fmt.Sprintf(`{"serialNumber":%q,"orderId":%q,"storeId":%q,`+
		`"traceability":{"attemptId":"a-1","n":987},"disablePrintAnimation":true}`,
		serial, orderID, store)
}

// push sends a valid order and expects the acknowledgement.
func (b *bundle) push(path, orderID string) {
	b.tb.Helper()
	if status, text := b.do("POST", path, body(orderID), orderHeaders); status != 200 || text != ackOK {
		b.tb.Fatalf("POST %s for %s = %d %s, want 200 %s", path, orderID, status, text, ackOK)
	}
}

// sell makes a sale without posting it and returns its order number. Extra is
// more JSON fields, each with a comma before it.
func (b *bundle) sell(extra string) string {
	b.tb.Helper()
	text := b.control("POST", "/control/sales", `{"serialNumber":"`+serial+`","amount":"4500.50","silent":true`+extra+`}`, 200)
	var made saleOutcome
	if err := json.Unmarshal([]byte(text), &made); err != nil {
		b.tb.Fatal(err)
	}
	return made.OrderID
}

// lines returns the ledger's lines of one kind.
func (b *bundle) lines(kind string) []entry {
	b.tb.Helper()
	return readLines(b.tb, b.control("GET", "/control/ledger", "", 200), kind)
}

func readLines(tb testing.TB, text, kind string) []entry {
	tb.Helper()
	var found []entry
	for line := range bytes.Lines([]byte(text)) {
		var e entry
		if err := json.Unmarshal(line, &e); err != nil {
			tb.Fatalf("ledger line %s: %v", line, err)
		}
		if e.Kind == kind {
			found = append(found, e)
		}
	}
	return found
}

// state reads one count of GET /control/state.
func (b *bundle) state(name string) any {
	b.tb.Helper()
	var all map[string]any
	if err := json.Unmarshal([]byte(b.control("GET", "/control/state", "", 200)), &all); err != nil {
		b.tb.Fatal(err)
	}
	return all[name]
}

// eventually waits for a condition, busily but briefly.
func eventually(tb testing.TB, what string, holds func() bool) {
	tb.Helper()
	deadline := time.After(20 * time.Second)
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for !holds() {
		select {
		case <-tick.C:
		case <-deadline:
			tb.Fatalf("never happened: %s", what)
		}
	}
}
