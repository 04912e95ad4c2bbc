package sandbox

import (
	"bytes"
	"encoding/json"
	"time"
)

// Kinds of ledger line.
const (
	kindRequest  = "request"  // what was received, written before it is answered
	kindAnswer   = "answer"   // what came of a request; Of is the request's seq
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

	Event     string `json:"event,omitempty"`     // created, canceled, registered, pushReplaced; or what a post tells
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

	Status int    `json:"status,omitempty"` // answered HTTP status; 0 when a fault ate it
	Answer string `json:"answer,omitempty"` // answered body, tokens masked
	Fault  string `json:"fault,omitempty"`

	OrderID      string    `json:"orderId,omitempty"`
	SerialNumber string    `json:"serialNumber,omitempty"`
	Sale         *sale     `json:"sale,omitempty"`
	Terminal     *terminal `json:"terminal,omitempty"`
	URL          string    `json:"url,omitempty"`
	Attempt      int       `json:"attempt,omitempty"`
	Error        string    `json:"error,omitempty"`
}

// encode is json.Marshal without HTML escapes, so that what was received is
// found again by its own text.
func encode(v any) []byte {
	var buffer bytes.Buffer
	encoder := json.NewEncoder(&buffer)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(v); err != nil {
		panic(err) // our own types, and raw JSON that was checked before
	}
	return bytes.TrimSuffix(buffer.Bytes(), []byte("\n"))
}
