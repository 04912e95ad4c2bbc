package cancelapi

import (
	"log/slog"
	"net/http"
	"time"

	"veinte/models/operations"
)

// maxRoundTrip is the longest round trip from which the whole clock difference is
// used. The service may be taken to be ahead by that much too far, and that much of
// the day be lost. A slower one is used only as far as it disproves the known
// difference.
const maxRoundTrip = 10 * time.Second

// maxDifference is the largest difference that is accepted: maintained clocks are
// not an hour off, and one response with a wrong Date would end the day.
const maxDifference = time.Hour

// dateStep is the precision of a Date header: whole seconds, truncated.
const dateStep = time.Second

// ClockDifference returns how far the service's clock is ahead of ours at most, by
// the Date headers of its responses; 0 before the first. The true difference is
// smaller by up to a second and a round trip. It may have changed since the last
// response.
func (c *Client) ClockDifference() time.Duration { return c.ClockState().Max }

// ClockCertainly returns how far the service's clock is certainly ahead of ours: 0
// when it may be equal, negative when it is certainly behind. A slow response leaves
// a wide range, and users must not be warned of a difference that may not exist.
func (c *Client) ClockCertainly() time.Duration {
	d := c.ClockState()
	if d.Least > 0 {
		return d.Least
	}
	return min(d.Max, 0)
}

// ClockState returns what is known of the service's clock, and since when.
func (c *Client) ClockState() operations.ClockState {
	if d := c.difference.Load(); d != nil {
		return *d
	}
	return operations.ClockState{}
}

// compareClocks learns from the Date of a response, which the service wrote at some
// time between the first byte of the request and the arrival of the response.
// Underestimating how far it is ahead would let a byte be sent after its cut-off, so
// the largest possible difference is used, not the middle.
func (c *Client) compareClocks(date string, began, ended time.Time) {
	theirs, err := http.ParseTime(date)
	if err != nil {
		return
	}
	trip := ended.Sub(began)
	if began.IsZero() || trip < 0 {
		return
	}
	if distance := theirs.Sub(ended).Abs(); distance > maxDifference {
		// A gateway's wrong Date must not close the day.
		c.log.Warn("the service's clock is not believed", slog.Duration("difference", distance))
		return
	}
	least, most := theirs.Sub(ended), theirs.Add(dateStep).Sub(began)
	if trip > maxRoundTrip {
		most = min(max(c.ClockDifference(), least), most)
	}
	c.difference.Store(&operations.ClockState{Least: min(least, most), Max: most, MeasuredAt: ended})
}

// listenForDates measures the clock difference with a token operation on the
// service's own host. It is then known before the first order, which after a restart
// may come in the last minute. Another host has its own clock.
func (c *Client) listenForDates() {
	if cache, ok := c.tokens.(*tokenCache); ok && cache.host == c.base.Hostname() {
		cache.mu.Lock()
		defer cache.mu.Unlock()
		cache.dates = c.compareClocks
	}
}
