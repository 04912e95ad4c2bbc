package cancelapi

import (
	"context"
	"errors"
	"fmt"
	"time"

	"veinte/models"
)

// errTooLate means that the order's NotAfter has passed, errOverdue that its Deadline
// has.
var (
	errTooLate = errors.New("too late for the first byte")
	errOverdue = errors.New("the attempt's deadline passed before the first byte")
)

// late reports whether the first byte may no longer be sent at the instant now. The
// deadline itself is already too late, like the cut-off; zero means no limit.
func late(now, closes time.Time) bool {
	return !closes.IsZero() && models.TimeLeft(now, closes) <= 0
}

// closes is the order's NotAfter in the time of our clock, by what is known now: a
// response to another order, or to the first request of this one, may have shown
// since that the service's clock is ahead. One that is behind does not extend the
// time. It ends sooner while our own clock is wrong.
func (c *Client) closes(order models.Order) time.Time {
	if order.NotAfter.IsZero() {
		return time.Time{}
	}
	closes := order.NotAfter.Add(-max(c.ClockDifference(), 0))
	if c.early != nil {
		closes = closes.Add(-c.early())
	}
	return closes
}

// sooner returns the earlier limit of the cut-off and the deadline, and the error for
// what comes after it; zero when there is neither.
func sooner(now, closes, deadline time.Time) (limit time.Time, over error) {
	if deadline.IsZero() || !closes.IsZero() && models.TimeLeft(now, closes) <= models.TimeLeft(now, deadline) {
		return closes, errTooLate
	}
	return deadline, errOverdue
}

// before ends ctx when the order's time is over, with errTooLate or errOverdue as its
// cause. Our clock may differ from the real time in which contexts end, so the
// remaining duration is used. It ends too late if the machine is suspended meanwhile;
// the gate at the wire does not.
func (c *Client) before(ctx context.Context, order models.Order) (context.Context, context.CancelFunc) {
	now := c.clock.Now()
	limit, over := sooner(now, c.closes(order), order.Deadline)
	if limit.IsZero() {
		return context.WithCancel(ctx)
	}
	return context.WithTimeoutCause(ctx, models.TimeLeft(now, limit), over)
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
