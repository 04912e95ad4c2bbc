package deliver

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"time"

	"veinte/models"
	"veinte/models/webhooks"
	"veinte/web/tunnel"
)

// Config is the configuration of a Sender.
type Config struct {
	Clock        models.Clock  // when it was sent, for our own records
	Signing      models.Clock  // what receivers compare with theirs: the real time, also in a demo at another instant; nil: Clock
	AllowPrivate bool          // private networks and this machine
	Proxy        *tunnel.Proxy // nil: receivers are reached directly
	Timeout      time.Duration // for a delivery as a whole; 0: 15 s
}

// Sender sends deliveries. It is safe for concurrent use.
type Sender struct {
	client  *http.Client
	clock   models.Clock
	signing models.Clock
}

// timeout is how long a delivery may take, from connecting to the end of the
// response.
const timeout = 15 * time.Second

func New(c Config) *Sender {
	if c.Timeout == 0 {
		c.Timeout = timeout
	}
	if c.Signing == nil {
		c.Signing = c.Clock
	}
	return &Sender{clock: c.Clock, signing: c.Signing, client: &http.Client{
		Transport: newTransport(c.AllowPrivate, c.Proxy), Timeout: c.Timeout,
		// A redirect counts as the response: its target was never checked or
		// agreed on.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

// Send posts a delivery once and returns the outcome.
func (s *Sender) Send(ctx context.Context, p *webhooks.Outgoing) webhooks.Response {
	began := time.Now() // real time: only the difference is used
	a := webhooks.Response{At: s.clock.Now()}
	if p.Trouble != nil {
		a.Detail = webhooks.TryUndecryptable
		return a
	}
	req, err := s.request(ctx, p, s.signing.Now())
	if err != nil {
		a.Detail = webhooks.TryUnreachable
		return a
	}
	resp, err := s.client.Do(req)
	if err != nil {
		a.Duration, a.Detail = time.Since(began), trouble(err)
		return a
	}
	defer resp.Body.Close()
	a.HTTPStatus, a.Detail = resp.StatusCode, meaning(resp.StatusCode)
	a.Excerpt = excerpt(resp.Body, p)
	a.RetryAfter = retryAfter(resp.Header.Get("Retry-After"))
	a.Duration = time.Since(began)
	return a
}

func (s *Sender) request(ctx context.Context, p *webhooks.Outgoing, at time.Time) (*http.Request, error) {
	ctx = context.WithValue(ctx, plainKey{}, strings.HasPrefix(p.URL, "http:"))
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, p.URL, bytes.NewReader(p.Body))
	if err != nil {
		return nil, err
	}
	signature, err := webhooks.Sign(p.Secrets, p.Reference(), at, p.Body)
	if err != nil {
		return nil, err
	}
	h := req.Header
	h.Set("Content-Type", p.ContentType)
	h.Set("User-Agent", "Veinte")
	h.Set("Webhook-Id", p.Reference())
	h.Set("Webhook-Timestamp", strconv.FormatInt(at.Unix(), 10))
	h.Set("Webhook-Signature", signature)
	h.Set("X-Veinte-Delivery", strconv.FormatInt(p.ID, 10))
	h.Set("X-Veinte-Event", string(p.Event))
	if p.CancellationID != nil { // its body has an old name
		h.Set("Deprecation", "@"+strconv.FormatInt(models.OldNamesDeprecated.Unix(), 10))
		h.Set("Sunset", models.OldNamesEnd.Format(http.TimeFormat))
	}
	if p.EndpointKind == webhooks.RelayEndpoint && p.ResultID != nil {
		body := "original"
		if p.Masked {
			body = "masked"
		}
		h.Set("X-Veinte-Body", body)
		h.Set("X-Veinte-Received-At", p.ReceivedAt.UTC().Format(time.RFC3339Nano))
	}
	return req, nil
}

// meaning classifies a status: only 2xx means that the delivery has arrived, only
// 410 that no more are wanted.
func meaning(status int) webhooks.Reason {
	switch {
	case status >= 200 && status < 300:
		return webhooks.TryDelivered
	case status >= 300 && status < 400:
		return webhooks.TryRedirected
	case status == http.StatusGone:
		return webhooks.TryGone
	}
	return webhooks.TryRefused
}

// trouble classifies why there was no response. The text of the error is not stored,
// because it may contain the address with its secret part.
func trouble(err error) webhooks.Reason {
	var network net.Error
	var operation *net.OpError
	var record tls.RecordHeaderError
	var certificate *tls.CertificateVerificationError
	var authority x509.UnknownAuthorityError
	var alert tls.AlertError
	var proxy *tunnel.Error
	switch {
	case errors.Is(err, errNotAllowed):
		return webhooks.TryForbidden
	case errors.As(err, &proxy):
		return webhooks.TryUnreachable
	case errors.Is(err, http.ErrSchemeMismatch) || errors.As(err, &certificate) || errors.As(err, &authority) || errors.As(err, &record) ||
		errors.As(err, &alert):
		return webhooks.TryTLS
	case errors.As(err, &operation) && operation.Op == "dial":
		return webhooks.TryUnreachable
	case errors.As(err, &network) && network.Timeout():
		return webhooks.TryTimeout
	}
	return webhooks.TryConnectionLost
}

// longestWait is the longest wait that a receiver may request with Retry-After.
const longestWait = time.Hour

// retryAfter reads the wait in seconds that the receiver requests. A date is
// ignored: it is rare, and the receiver's clock may be wrong.
func retryAfter(s string) time.Duration {
	n, err := strconv.Atoi(strings.TrimSpace(s))
	if err != nil || n < 0 {
		return 0
	}
	return min(time.Duration(min(n, 86400))*time.Second, longestWait)
}

// maxAnswer is how much of a response is read. After a longer one the connection is
// not reused.
const maxAnswer = 16 << 10

// excerpt reads the response and returns its first characters, masked: nothing of
// what a terminal posted may be stored, and receivers may repeat what they are sent.
func excerpt(body io.Reader, p *webhooks.Outgoing) string {
	text, _ := io.ReadAll(io.LimitReader(body, maxAnswer)) // what was read before an error is enough
	if p.ResultID == nil {
		return mask(text, nil)
	}
	return mask(text, p.Body)
}
