package cancelapi

import (
	"cmp"
	"context"
	"log/slog"
	"net/http"
	"net/url"
	"sync/atomic"
	"time"

	"veinte/models"
	"veinte/models/operations"
)

// Client calls the cancellation service. It is safe for concurrent use.
type Client struct {
	base       *url.URL // for tests of the connection
	cancel     *url.URL
	inquiry    *url.URL // nil: no inquiries
	timeout    time.Duration
	clock      models.Clock
	tokens     TokenSource
	early      func() time.Duration                                               // see Config.Early; nil: never sooner
	seen       func(operation string, meaning models.Meaning, took time.Duration) // nil: nobody measures
	log        *slog.Logger
	dialer     *dialer
	transport  http.RoundTripper
	difference atomic.Pointer[operations.ClockState] // nil before the first answer
}

var (
	_ models.CancelAPI  = (*Client)(nil)
	_ models.InquiryAPI = (*Client)(nil)
)

// Prepare fetches a token before the first order needs one. That order is then
// quicker, and where the token operation is on the service's own host the clock
// difference is known, even in the last minute of the day.
func (c *Client) Prepare(ctx context.Context) error {
	_, err := c.tokens.Token(ctx)
	return err
}

// Cancel requests the service to send a cancellation to the terminal. Accepted means
// that it was sent there, not that the sale is canceled: the terminal's own result
// reports that later.
func (c *Client) Cancel(ctx context.Context, order models.Order) models.Reply {
	return c.send(ctx, "cancel", c.cancel, order)
}

// Inquire requests the terminal to post the state of a sale again. It moves no money
// and prints nothing. Without an InquiryPath it returns notSent/invalidOrder.
func (c *Client) Inquire(ctx context.Context, order models.Order) models.Reply {
	order.OmitReceipt = true
	return c.send(ctx, "inquiry", c.inquiry, order)
}

// send sends one order, measures the time and logs the outcome.
func (c *Client) send(ctx context.Context, operation string, target *url.URL, order models.Order) models.Reply {
	began := c.clock.Now()
	reply, err := c.attempt(ctx, target, order)
	reply.Duration = c.clock.Now().Sub(began)

	if c.seen != nil {
		c.seen(operation, reply.Meaning, reply.Duration)
	}
	level, fault := slog.LevelInfo, ""
	if err != nil {
		level, fault = slog.LevelWarn, err.Error()
	}
	if reply.Late {
		level = slog.LevelWarn
	}
	c.log.LogAttrs(ctx, level, "cancellation service",
		slog.String("operation", operation),
		slog.String("serialNumber", clean(string(order.SerialNumber), 10)),
		slog.String("meaning", string(reply.Meaning)),
		slog.String("detail", string(reply.Detail)),
		slog.Int("status", reply.HTTPStatus),
		slog.String("code", reply.Code),
		slog.Duration("duration", reply.Duration),
		slog.Bool("late", reply.Late),
		slog.String("error", clean(fault, maxMessage)),
	)
	return reply
}

// attempt sends the order with the current token. If the service refuses the token
// in a way that proves that nothing was done with the request, it sends the order
// exactly once more with a fresh one. After any other 401 or 403 the order is in
// doubt, and only the next one uses a fresh token.
func (c *Client) attempt(ctx context.Context, target *url.URL, order models.Order) (models.Reply, error) {
	body, err := encode(order)
	if target == nil {
		err = errNoInquiries
	}
	if err != nil {
		return notSent(models.DetailInvalidOrder), err
	}
	now := c.clock.Now()
	if (ctx.Err() != nil || late(now, order.Deadline)) && !late(now, c.closes(order)) {
		// Committing the attempt took all of its time, the process was frozen, or it
		// stops.
		return notSent(models.DetailInterrupted), cmp.Or(context.Cause(ctx), errOverdue)
	}
	token, err := c.token(ctx, order)
	if err != nil {
		return c.noToken(order, err), err
	}
	first := exchange{client: c, target: target, order: order, body: body, token: token}
	reply, err := first.run(ctx)
	if tokenRefused(reply) {
		c.tokens.Invalidate(token)
	}
	if reply.Detail != models.DetailInvalidToken {
		return reply, err
	}

	fresh, err := c.token(ctx, order)
	if err != nil || fresh == token {
		return reply, err // a refused token is not tried again
	}
	second := exchange{client: c, target: target, order: order, body: body, token: fresh, oldToken: token}
	last, err := second.run(ctx)
	if last.Detail == models.DetailAccessRefused {
		c.tokens.Invalidate(fresh)
	}
	if last.Meaning == models.MeaningNotSent {
		// Bytes of the first request were sent, so this is no longer
		// notSent; the request was refused.
		return reply, err
	}
	return last, err
}

// tokenRefused reports whether the token is not used again.
func tokenRefused(reply models.Reply) bool {
	return reply.Detail == models.DetailInvalidToken || reply.Detail == models.DetailAccessRefused
}

func notSent(detail models.Detail) models.Reply {
	return models.Reply{Meaning: models.MeaningNotSent, Detail: detail}
}
