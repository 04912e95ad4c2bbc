package lab

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"

	"veinte/models"
)

// Entry is one line of the ledger, which the sandbox writes before it responds and
// before a terminal acts.
type Entry struct {
	Seq       int64           `json:"seq"`
	At        time.Time       `json:"at"`
	Kind      string          `json:"kind"` // request, answer, sale, post, terminal, control
	Of        int64           `json:"of"`   // the request that a response or a post belongs to
	Event     string          `json:"event"`
	Operation string          `json:"operation"` // cancel, reprint, token
	Body      string          `json:"body"`
	Parsed    json.RawMessage `json:"parsed"`
	Status    int             `json:"status"`
	Answer    string          `json:"answer"`
	Fault     string          `json:"fault"`
	OrderID   string          `json:"orderId"`
	Serial    string          `json:"serialNumber"`
	URL       string          `json:"url"`
	Attempt   int             `json:"attempt"`
	Error     string          `json:"error"`
}

// AttemptHash is the request's attempt id as the product's attempts table stores it;
// "" when the request has none.
func (e *Entry) AttemptHash() string {
	if id := e.AttemptID(); id != "" {
		return models.HashAttemptKey(id)
	}
	return ""
}

// AttemptID is the plain id, which only terminals and the ledger know.
func (e *Entry) AttemptID() string {
	var body struct {
		Traceability struct{ AttemptID string }
	}
	_ = json.Unmarshal(e.Parsed, &body) // a body that cannot be read has none
	return body.Traceability.AttemptID
}

// ledgerReader reads a growing file incrementally.
type ledgerReader struct {
	path string

	mu      sync.Mutex
	offset  int64
	entries []Entry
}

func (r *ledgerReader) read() ([]Entry, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	f, err := os.Open(r.path)
	if err != nil {
		return nil, fmt.Errorf("read ledger: %w", err)
	}
	defer f.Close()
	if _, err := f.Seek(r.offset, io.SeekStart); err != nil {
		return nil, fmt.Errorf("read ledger: %w", err)
	}
	text, err := io.ReadAll(f)
	if err != nil {
		return nil, fmt.Errorf("read ledger: %w", err)
	}
	whole := text[:bytes.LastIndexByte(text, '\n')+1] // the last line may be half written
	for line := range bytes.Lines(whole) {
		var e Entry
		if err := json.Unmarshal(line, &e); err != nil {
			return nil, fmt.Errorf("read ledger: line %q: %w", line, err)
		}
		r.entries = append(r.entries, e)
	}
	r.offset += int64(len(whole))
	return r.entries[:len(r.entries):len(r.entries)], nil
}

// Deliveries counts the cancel requests that the service received whole and did not
// refuse for their token.
func Deliveries(entries []Entry) map[SaleKey]int {
	refused := map[int64]bool{}
	for i := range entries {
		if x := &entries[i]; x.Kind == "answer" && x.Status == 401 && strings.Contains(x.Answer, "invalid_token") {
			refused[x.Of] = true
		}
	}
	n := map[SaleKey]int{}
	for i := range entries {
		x := &entries[i]
		if x.Kind == "request" && x.Operation == "cancel" && x.AttemptHash() != "" && !refused[x.Seq] {
			n[SaleKey{Serial: x.Serial, OrderID: x.OrderID}]++
		}
	}
	return n
}
