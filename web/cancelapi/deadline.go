package cancelapi

import (
	"context"
	"errors"
	"fmt"
	"time"

	"veinte/models"
)

// errTooLate is why something was stopped or refused: the order's NotAfter.
var errTooLate = errors.New("too late for the first byte")

// late reports whether the first byte may no longer leave at the instant now.
// NotAfter itself is already too late, as the cut-off is.
func late(now, notAfter time.Time) bool {
	return !notAfter.IsZero() && !now.Before(notAfter)
}

// before ends ctx at notAfter, with errTooLate as its cause. NotAfter is in the
// time of our clock, which may run at a distance from the real one, while
// contexts end in real time: so the distance is what counts.
func (c *Client) before(ctx context.Context, notAfter time.Time) (context.Context, context.CancelFunc) {
	if notAfter.IsZero() {
		return context.WithCancel(ctx)
	}
	return context.WithTimeoutCause(ctx, notAfter.Sub(c.clock.Now()), errTooLate)
}

// token gets a token that fits into a header, waiting for it no longer than a
// request could still be sent.
func (c *Client) token(ctx context.Context, order models.Order) (string, error) {
	ctx, stop := c.before(ctx, order.NotAfter)
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
	if errors.Is(err, errTooLate) || late(c.clock.Now(), order.NotAfter) {
		return notSent(models.DetailTooLate)
	}
	return notSent(models.DetailTokenUnavailable)
}
