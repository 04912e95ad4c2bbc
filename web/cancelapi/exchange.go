package cancelapi

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"time"

	"veinte/models"
	"veinte/models/crashpoint"
)

// maxAnswer is the maximum size of a response's body, and of its header. The known
// responses have under 100 bytes.
const maxAnswer = 64 << 10

// exchange is one request with one token on one connection.
type exchange struct {
	client   *Client
	target   *url.URL
	order    models.Order
	body     []byte
	token    string
	oldToken string // the one that was refused before; "" in a first exchange
}

// run connects, sends the request and judges the outcome. The error is for the log
// only; the reply contains everything that follows from it.
func (x *exchange) run(ctx context.Context) (models.Reply, error) {
	c := x.client
	limited, stop := context.WithTimeout(ctx, c.timeout)
	defer stop()

	conn, detail, err := x.dial(limited)
	if err != nil {
		return notSent(detail), errors.New(clean(err.Error(), maxMessage, x.secrets()...))
	}
	crashpoint.Here(crashpoint.AfterDial)
	w := &wire{Conn: conn, clock: c.clock, closes: func() time.Time { return c.closes(x.order) }, deadline: x.order.Deadline}
	defer w.Close()

	answer, err := x.converse(limited, w)
	crashpoint.Here(crashpoint.AfterAnswer)
	seen := w.seal() // before concluding anything from what was not written
	reply := models.Reply{HTTPStatus: answer.status, FirstByteAt: seen.firstAt}
	if at := w.overdue(); seen.written && !at.IsZero() {
		reply.Late, reply.FirstByteAt = true, at
	}
	switch {
	case !seen.written:
		reply = notSent(seen.unsent())
		if err == nil {
			err = errUnasked
		}
	case seen.early:
		reply.Meaning, reply.Detail, err = models.MeaningUnknown, models.DetailNotJSON, errUnasked
	case err != nil:
		reply.Meaning, reply.Detail = models.MeaningUnknown, fault(ctx, limited, seen, err)
	default:
		x.read(answer, &reply)
	}
	if seen.written && denied(answer.status) {
		whole := err == nil && !seen.early
		reply.Meaning, reply.Detail = denial(whole && (answer.namesInvalidToken() || w.withheld()))
	}
	if err != nil {
		// net/http quotes what it cannot parse, which may contain the token.
		err = errors.New(clean(err.Error(), maxMessage, x.secrets()...))
	}
	return reply, err
}

// denial is what a 401 or 403 means. It proves that nothing was done if it names our
// token as the reason, or if it was complete while a part of the request was still
// here. Otherwise something behind a gateway may have carried the request out.
func denial(proven bool) (models.Meaning, models.Detail) {
	if proven {
		return models.MeaningRefused, models.DetailInvalidToken
	}
	return models.MeaningUnknown, models.DetailAccessRefused
}

// secrets are masked in a response that quotes them.
func (x *exchange) secrets() []string {
	return []string{x.token, x.oldToken, x.order.Key.Reveal()}
}

// dial tries to connect for as long as the request could still be sent.
func (x *exchange) dial(ctx context.Context) (net.Conn, models.Detail, error) {
	ctx, stop := x.client.before(ctx, x.order)
	defer stop()
	conn, detail, err := x.client.dialer.dial(ctx)
	if err != nil && errors.Is(context.Cause(ctx), errTooLate) {
		detail = models.DetailTooLate
	}
	return conn, detail, err
}

// answer is the response, complete unless there was an error.
type answer struct {
	status     int
	challenges []string // values of WWW-Authenticate
	body       []byte
}

// converse sends the request and reads the response. It uses the transport directly
// and no http.Client, so no redirect is ever followed.
func (x *exchange) converse(ctx context.Context, w *wire) (answer, error) {
	req, err := x.request(context.WithValue(ctx, wireKey{}, w))
	if err != nil {
		return answer{}, err
	}
	resp, err := x.client.transport.RoundTrip(req)
	if err != nil {
		return answer{}, err
	}
	defer resp.Body.Close()
	c := x.client
	c.compareClocks(resp.Header.Get("Date"), w.firstByteAt(), c.clock.Now())

	got := answer{status: resp.StatusCode, challenges: resp.Header.Values("WWW-Authenticate")}
	if got.status < 200 {
		return got, nil // 101: another protocol follows, which may never end
	}
	got.body, err = io.ReadAll(io.LimitReader(resp.Body, maxAnswer+1))
	if len(got.body) > maxAnswer {
		return got, errTooLarge
	}
	return got, err
}

// request sets no Idempotency-Key and no GetBody: with either, net/http would repeat
// a POST by itself.
func (x *exchange) request(ctx context.Context) (*http.Request, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, x.target.String(), bytes.NewReader(x.body))
	if err != nil {
		return nil, fmt.Errorf("make request: %w", err)
	}
	req.GetBody = nil
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json")
	req.Header.Set("Authorization", "Bearer "+x.token)
	req.Header.Set("User-Agent", "veinte")
	return req, nil
}

var (
	errTooLarge = errors.New("the answer is longer than 64 KB")
	errUnasked  = errors.New("the service spoke before it was asked")
)

// fault names what went wrong after bytes may have been sent and before a whole
// response had arrived. All of it means unknown. The wire's record takes precedence
// over the error of net/http. caller is the caller's context, limited is the same
// with our timeout.
func fault(caller, limited context.Context, seen record, err error) models.Detail {
	switch {
	case errors.Is(err, errTooLarge):
		return models.DetailTooLarge
	case errors.Is(seen.lost, os.ErrDeadlineExceeded):
		return models.DetailTimeout // while still writing
	case seen.lost != nil && seen.read == 0:
		return models.DetailConnectionLost
	case seen.lost != nil:
		return models.DetailTruncatedReply
	case errors.Is(caller.Err(), context.Canceled):
		return models.DetailInterrupted
	case limited.Err() != nil:
		return models.DetailTimeout
	case seen.read >= maxAnswer:
		return models.DetailTooLarge // a header without end
	default:
		return models.DetailNotJSON // a header or framing that is not HTTP
	}
}
