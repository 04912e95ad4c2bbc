package sandbox

import (
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net/http"
	"net/url"
	"strings"
	"time"
	"unicode/utf8"
)

// Limits on what a client may send.
const (
	maxBody     = 64 << 10
	bodyTimeout = 30 * time.Second
)

// exchange is one request to the service and what is known of it.
type exchange struct {
	w    http.ResponseWriter
	r    *http.Request
	line entry  // what the ledger is told
	seq  int64  // the request's number there, once written
	body []byte // as received, up to the limit

	token  string // the bearer token sent
	broken bool   // the body never came whole, so nobody waits for an answer
	long   bool   // the body went over the limit
}

// newExchange notes everything about a request but its body.
func newExchange(w http.ResponseWriter, r *http.Request, operation string) *exchange {
	x := &exchange{w: w, r: r}
	read := 0
	x.line = entry{
		Kind: kindRequest, Operation: operation, Method: r.Method, Path: r.URL.Path, Query: r.URL.RawQuery,
		Remote: r.RemoteAddr, Headers: maskedHeaders(r), BytesRead: &read,
	}
	if scheme, token, ok := strings.Cut(r.Header.Get("Authorization"), " "); ok && strings.EqualFold(scheme, "Bearer") {
		x.token = strings.TrimSpace(token)
		x.line.TokenFingerprint = fingerprint(x.token)
	}
	return x
}

// maskedHeaders flattens the headers; of Authorization only the scheme stays.
func maskedHeaders(r *http.Request) map[string]string {
	headers := map[string]string{"Host": r.Host}
	for name, values := range r.Header {
		headers[name] = strings.Join(values, ", ")
	}
	if value, sent := headers["Authorization"]; sent {
		scheme, _, _ := strings.Cut(value, " ")
		headers["Authorization"] = scheme + " ***"
	}
	return headers
}

// readBody reads the whole body, up to the limit, and notes it.
func (x *exchange) readBody() {
	// Recorders in tests have no deadline to set; real connections do.
	control := http.NewResponseController(x.w)
	_ = control.SetReadDeadline(time.Now().Add(bodyTimeout))
	body, err := io.ReadAll(io.LimitReader(x.r.Body, maxBody+1))
	_ = control.SetReadDeadline(time.Time{})

	*x.line.BytesRead = len(body)
	if len(body) > maxBody {
		x.long = true
		x.violate("body is over 64 KB")
		body = body[:maxBody]
	} else if err != nil {
		x.broken = true
		x.violate("body ended early: " + err.Error())
	}
	x.body = body
	if !utf8.Valid(body) {
		x.line.BodyBase64 = body
		return
	}
	x.line.Body = string(body)
	if x.line.Operation == operationToken {
		x.line.Body = maskForm(string(body))
	} else if json.Valid(body) {
		x.line.Parsed = body
	}
}

// maskForm hides the secrets of a form; a form that cannot be read is hidden whole.
func maskForm(body string) string {
	form, err := url.ParseQuery(body)
	if err != nil {
		return "***"
	}
	for _, name := range []string{"password", "client_secret", "refresh_token"} {
		if form.Has(name) {
			form.Set(name, "***")
		}
	}
	return form.Encode()
}

func (x *exchange) violate(what ...string) { x.line.Violations = append(x.line.Violations, what...) }

// checkHeaders notes what the specification does not allow around the body.
func (x *exchange) checkHeaders(contentType string) {
	got, _, err := mime.ParseMediaType(x.r.Header.Get("Content-Type"))
	if err != nil || got != contentType {
		x.violate("Content-Type is not " + contentType)
	}
	if x.r.URL.RawQuery != "" {
		x.violate("the operation has no query parameters")
	}
	if len(x.r.Header.Values("Authorization")) > 1 {
		x.violate("Authorization is there twice")
	}
}

// record writes the request to the ledger. It comes before any answer, so that
// neither a fault nor a kill can lose what was received.
func (x *exchange) record(s *Sandbox) error {
	seq, err := s.ledger.append(&x.line)
	if err != nil && !errors.Is(err, errLedgerClosed) {
		s.logger.Error("ledger not written", "error", err)
	}
	x.seq = seq
	return err
}
