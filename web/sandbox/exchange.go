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

// exchange is one request to the service and its state.
type exchange struct {
	w    http.ResponseWriter
	r    *http.Request
	line entry  // the request's ledger line
	seq  int64  // number of that line, once written
	body []byte // as received, up to the limit

	token  string // the bearer token sent
	broken bool   // the body never arrived whole, so no response is expected
	long   bool   // the body went over the limit
}

// newExchange records everything about a request except its body.
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

// maskedHeaders flattens the headers; of Authorization only the scheme remains.
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

// readBody reads the whole body, up to the limit, and records it.
func (x *exchange) readBody() {
	// Recorders in tests have no deadline; real connections do.
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

// maskForm hides the secrets of a form, or all of it when it cannot be read.
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

// checkHeaders records violations of the specification in the headers.
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

// record writes the request to the ledger. It runs before any response, so that
// neither a fault nor a kill can lose what was received.
func (x *exchange) record(s *Sandbox) error {
	seq, err := s.ledger.append(&x.line)
	if err != nil && !errors.Is(err, errLedgerClosed) {
		s.logger.Error("ledger not written", "error", err)
	}
	x.seq = seq
	return err
}
