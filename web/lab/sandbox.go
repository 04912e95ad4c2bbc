package lab

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"time"
)

// accessToken is a static token that the sandbox accepts.
const accessToken = "lab-token"

// Sandbox is the sandbox of the payment service, a process of its own.
type Sandbox struct {
	URL        string
	LedgerFile string // JSON lines, append-only
	process    *Process
	client     *http.Client
	ledger     ledgerReader
}

func startSandbox(ctx context.Context, l *Lab) (*Sandbox, error) {
	b := &Sandbox{LedgerFile: l.file("ledger.jsonl"), client: &http.Client{
		Timeout: 30 * time.Second, Transport: &http.Transport{MaxIdleConnsPerHost: 64},
	}}
	b.ledger.path = b.LedgerFile
	var err error
	b.process, err = NewProcess(l.options.Bin, l.file("sandbox.log"), "/control/state", []string{"SANDBOX_ACCESS_TOKEN=" + accessToken},
		"sandbox", "--addr", "ADDR", "--ledger", b.LedgerFile, "--any-hour",
		"--latency", l.options.Latency.String(), "--result-delay", l.options.ResultDelay.String())
	if err != nil {
		return nil, err
	}
	b.URL = "http://" + b.process.Addr
	if err := b.process.Start(ctx); err != nil {
		return nil, err
	}
	return b, b.Control(ctx, http.MethodPut, "/control/config", map[string]any{"retryEvery": "200ms", "retryMax": 3000}, nil)
}

func (b *Sandbox) close() error { return b.process.log.Close() }

// Control calls one of the sandbox's control endpoints with a JSON body, and decodes
// the response into a value, unless that is nil.
func (b *Sandbox) Control(ctx context.Context, method, path string, body, into any) error {
	return Control(ctx, b.client, method, b.URL, path, body, into)
}

// Control is Sandbox.Control for a sandbox that another program started.
func Control(ctx context.Context, client *http.Client, method, base, path string, body, into any) error {
	text, err := json.Marshal(body)
	if err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(ctx, method, base+path, bytes.NewReader(text))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := client.Do(req)
	if err != nil {
		return fmt.Errorf("sandbox %s: %w", path, err)
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	if err != nil {
		return fmt.Errorf("sandbox %s: %w", path, err)
	}
	if resp.StatusCode >= http.StatusBadRequest {
		return fmt.Errorf("sandbox %s: %s: %s", path, resp.Status, answer)
	}
	if into == nil {
		return nil
	}
	return json.Unmarshal(answer, into)
}

// Fault requests a fault for future requests; see the sandbox's own rules.
type Fault struct {
	Fault        string `json:"fault"`
	OrderID      string `json:"orderId,omitempty"`
	SerialNumber string `json:"serialNumber,omitempty"`
	Operation    string `json:"operation,omitempty"` // cancel, reprint or token; cancel when empty
	Times        int    `json:"times,omitempty"`     // 0 is once, negative until deleted
	Delay        string `json:"delay,omitempty"`     // such as "300ms"; "": the fault's default
	Acts         *bool  `json:"acts,omitempty"`      // nil: the fault's default
}

// Fault adds a rule.
func (b *Sandbox) Fault(ctx context.Context, f Fault) error {
	return b.Control(ctx, http.MethodPost, "/control/faults", f, nil)
}

// OnScreen is the number of terminals that show a push and have not acted on it.
func (b *Sandbox) OnScreen(ctx context.Context) (int, error) {
	var state struct{ OnScreen int }
	err := b.Control(ctx, http.MethodGet, "/control/state", nil, &state)
	return state.OnScreen, err
}

// Ledger returns all lines so far, in order. It reads only the new ones. The slice
// must not be changed.
func (b *Sandbox) Ledger() ([]Entry, error) { return b.ledger.read() }

// Sale is a sale that a terminal makes.
type Sale struct {
	Terminal int    // counted from 0
	Amount   string // "" : 120.50
	Fault    string // of every cancel of this sale; "" for none
	OrderID  string // "": one is generated

	ID     int64 // set by Sell: the sale's row
	Serial string
}

// Sell makes a sale on a terminal and returns once the product has it.
func (l *Lab) Sell(ctx context.Context, s Sale) (*Sale, error) {
	if err := l.SellUnseen(ctx, &s); err != nil {
		return nil, err
	}
	return &s, l.Seen(ctx, &s)
}

// SellUnseen makes a sale on a terminal, which posts it, and does not wait until the
// product has it.
func (l *Lab) SellUnseen(ctx context.Context, s *Sale) error {
	l.mu.Lock()
	l.orders++
	set(&s.OrderID, fmt.Sprintf("order-%d", l.orders))
	l.mu.Unlock()
	set(&s.Amount, "120.50")
	s.Serial = l.Serial(s.Terminal)
	return l.Box.Control(ctx, http.MethodPost, "/control/sales", map[string]any{
		"serialNumber": s.Serial, "amount": s.Amount, "orderId": s.OrderID, "fault": s.Fault, "async": true,
	}, nil)
}

// Seen waits until the product has the sale, and sets its ID.
func (l *Lab) Seen(ctx context.Context, s *Sale) error {
	return Eventually(ctx, 60*time.Second, "the sale "+s.OrderID+" is there", func(ctx context.Context) (bool, error) {
		err := l.Pool.QueryRow(ctx, "SELECT id FROM sales WHERE serial_number = $1 AND order_id = $2", s.Serial, s.OrderID).Scan(&s.ID)
		return err == nil, err
	})
}
