package cancelapi

import (
	"context"
	"errors"
	"fmt"
	"time"

	"veinte/models"
)

// errTooLate means that the order's NotAfter has passed.
var errTooLate = errors.New("too late for the first byte")

// late reports whether the first byte may no longer be sent at the instant now. The
// deadline itself is already too late, like the cut-off; zero means no limit.
func late(now, closes time.Time) bool {
	return !closes.IsZero() && !now.Before(closes)
}

// closes is the order's NotAfter in the time of our clock, by what is known now: a
// response to another order, or to the first request of this one, may have shown
// since that the service's clock is ahead. One that is behind does not extend the
// time.
func (c *Client) closes(order models.Order) time.Time {
	if order.NotAfter.IsZero() {
		return time.Time{}
	}
	return order.NotAfter.Add(-max(c.ClockDifference(), 0))
}

// before ends ctx when the order's time is over, with errTooLate as its cause. Our
// clock may differ from the real time in which contexts end, so the remaining
// duration is used.
func (c *Client) before(ctx context.Context, order models.Order) (context.Context, context.CancelFunc) {
	closes := c.closes(order)
	if closes.IsZero() {
		return context.WithCancel(ctx)
	}
	return context.WithTimeoutCause(ctx, closes.Sub(c.clock.Now()), errTooLate)
}

// token gets a token that is valid in a header. It waits no longer than a request
// could still be sent.
func (c *Client) token(ctx context.Context, order models.Order) (string, error) {
	ctx, stop := c.before(ctx, order)
	defer stop()
	if ctx.Err() != nil {
		return "", context.Cause(ctx)
	}
	token, err := c.tokens.Token(ctx)
	if err != nil {
		return "", fmt.Errorf("get an access token: %w", err)
	}
	return token, checkToken(token)
}

func (c *Client) noToken(order models.Order, err error) models.Reply {
	if errors.Is(err, errTooLate) || late(c.clock.Now(), c.closes(order)) {
		return notSent(models.DetailTooLate)
	}
	return notSent(models.DetailTokenUnavailable)
}
