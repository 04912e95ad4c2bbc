package sandbox

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"os"
	"sync"
	"time"
)

// memoryLines limits a ledger without a file.
const memoryLines = 10_000

var errLedgerClosed = errors.New("ledger is closed")

// ledger is the append-only record. Each line is one write, so that a kill can cut
// only the last line.
type ledger struct {
	now     func() time.Time
	garbage int // unreadable lines found when opening

	mu     sync.Mutex
	file   *os.File // nil when in memory
	memory [][]byte
	size   int64 // bytes of whole lines; a reader stops there
	seq    int64
	torn   bool // the last line has no end yet; the next one starts on a new line
	closed bool
	counts map[string]int // lines by kind, and requests by operation and violation
}

// openLedger opens or makes the file, and passes every readable line to replay.
func openLedger(path string, now func() time.Time, replay func(*entry)) (*ledger, error) {
	l := &ledger{now: now, counts: map[string]int{}}
	if path == "" {
		return l, nil
	}
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return nil, err
	}
	l.file = file
	err = eachLine(file, func(line []byte) error {
		l.size += int64(len(line))
		l.torn = !bytes.HasSuffix(line, []byte("\n"))
		var e entry
		if json.Unmarshal(line, &e) != nil || e.Seq == 0 {
			l.garbage++
			return nil
		}
		l.seq = max(l.seq, e.Seq)
		l.count(&e)
		replay(&e)
		return nil
	})
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return l, nil
}

// append sets e's number and time (the service's clock) and writes it.
func (l *ledger) append(e *entry) (int64, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return 0, errLedgerClosed
	}
	e.Seq, e.At = l.seq+1, l.now().UTC()
	line := append(encode(e), '\n')
	if l.file == nil {
		l.memory = append(l.memory, line)
		if len(l.memory) > memoryLines {
			l.memory = l.memory[len(l.memory)-memoryLines:]
		}
	} else if err := l.write(line); err != nil {
		return 0, err
	}
	l.seq++
	l.count(e)
	return l.seq, nil
}

func (l *ledger) write(line []byte) error {
	if l.torn {
		line = append([]byte("\n"), line...)
	}
	n, err := l.file.Write(line)
	l.size += int64(n)
	l.torn = err != nil && (n > 0 || l.torn)
	return err
}

func (l *ledger) count(e *entry) {
	l.counts[e.Kind]++
	if e.Kind == kindRequest {
		l.counts["request."+e.Operation]++
		if len(e.Violations) > 0 {
			l.counts["violations"]++
		}
	}
}

// totals returns the last number and the lines by kind, with requests also by
// operation and those with violations.
func (l *ledger) totals() (int64, map[string]int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.seq, maps.Clone(l.counts)
}

// stream copies the readable lines after the given number to w.
func (l *ledger) stream(w io.Writer, after int64) error {
	l.mu.Lock()
	source := io.Reader(bytes.NewReader(bytes.Join(l.memory, nil)))
	if l.file != nil {
		source = io.NewSectionReader(l.file, 0, l.size)
	}
	l.mu.Unlock()
	return eachLine(source, func(line []byte) error {
		var e struct{ Seq int64 }
		if json.Unmarshal(line, &e) != nil || e.Seq <= after {
			return nil
		}
		_, err := w.Write(line)
		return err
	})
}

func (l *ledger) close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed = true; l.file == nil {
		return nil
	}
	err := l.file.Close()
	if errors.Is(err, os.ErrClosed) {
		return nil
	}
	return err
}

// eachLine calls do with every line, its end included; the last may have none.
func eachLine(r io.Reader, do func([]byte) error) error {
	reader := bufio.NewReader(r)
	for {
		line, err := reader.ReadBytes('\n')
		if len(line) > 0 {
			if err := do(line); err != nil {
				return err
			}
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// Kinds of ledger line.
const (
	kindRequest  = "request"  // a received request, written before the response
	kindAnswer   = "answer"   // the response to a request; Of is the request's seq
	kindSale     = "sale"     // a sale was made or canceled on a terminal
	kindPost     = "post"     // one try of a terminal to post to the response URL
	kindTerminal = "terminal" // a terminal was registered, or a push replaced
	kindControl  = "control"  // something was changed through /control/
)

// entry is one line of the ledger. It is flat so that a line reads well with
// grep and jq; each kind fills the fields that concern it.
type entry struct {
	Seq  int64     `json:"seq"`
	At   time.Time `json:"at"` // the service's clock
	Kind string    `json:"kind"`
	Of   int64     `json:"of,omitempty"` // the request that an answer or push belongs to

	Event     string `json:"event,omitempty"`     // created, canceled, registered, pushReplaced; or what a post reports
	Operation string `json:"operation,omitempty"` // cancel, reprint, token, unknown
	Method    string `json:"method,omitempty"`
	Path      string `json:"path,omitempty"`
	Query     string `json:"query,omitempty"`
	Remote    string `json:"remote,omitempty"`

	Headers          map[string]string `json:"headers,omitempty"`          // Authorization masked
	TokenFingerprint string            `json:"tokenFingerprint,omitempty"` // start of the token's SHA-256
	Body             string            `json:"body,omitempty"`             // as received or as posted
	BodyBase64       []byte            `json:"bodyBase64,omitempty"`       // instead of Body, when that is not UTF-8
	Parsed           json.RawMessage   `json:"parsed,omitempty"`           // the body, when it is JSON
	BytesRead        *int              `json:"bytesRead,omitempty"`
	Violations       []string          `json:"violations,omitempty"` // what the specification does not allow

	Status int    `json:"status,omitempty"` // HTTP status of the response; 0 when a fault suppressed it
	Answer string `json:"answer,omitempty"` // body of the response, tokens masked
	Fault  string `json:"fault,omitempty"`

	OrderID      string    `json:"orderId,omitempty"`
	SerialNumber string    `json:"serialNumber,omitempty"`
	Sale         *sale     `json:"sale,omitempty"`
	Terminal     *terminal `json:"terminal,omitempty"`
	URL          string    `json:"url,omitempty"`
	Attempt      int       `json:"attempt,omitempty"`
	Error        string    `json:"error,omitempty"`
}

// encode is json.Marshal without HTML escapes, so that the ledger can be searched
// for the received text.
func encode(v any) []byte {
	var buffer bytes.Buffer
	encoder := json.NewEncoder(&buffer)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(v); err != nil {
		panic(err) // our own types, and raw JSON that was checked before
	}
	return bytes.TrimSuffix(buffer.Bytes(), []byte("\n"))
}
