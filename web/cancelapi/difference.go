package cancelapi

import (
	"log/slog"
	"net/http"
	"net/url"
	"time"

	"veinte/models/operations"
)

// maxRoundTrip is the longest round trip from which a clock difference is taken
// as it is: so much too far ahead the service may be taken to be, and so much of
// the day be lost. Of a slower one counts what it disproves.
const maxRoundTrip = 10 * time.Second

// maxDifference is the largest difference that is believed: clocks that are kept
// at all are not an hour off, and one answer with a wrong Date would end the day.
const maxDifference = time.Hour

// dateStep is what a Date header leaves out: it has whole seconds, cut off.
const dateStep = time.Second

// difference is what is known of the distance of the service's clock from ours.
type difference struct {
	least, most time.Duration
	at          time.Time // when it was measured, by our clock
}

// ClockDifference returns how far the service's clock is ahead of ours at most,
// by the Date headers of its answers; 0 before the first. The true difference is
// up to a second and a round trip less. What it has changed by since the last
// answer nobody knows.
func (c *Client) ClockDifference() time.Duration {
	if d := c.difference.Load(); d != nil {
		return d.most
	}
	return 0
}

// ClockCertainly returns how far the service's clock is ahead of ours beyond
// doubt: 0 when it may be the same, negative when it is surely behind. A slow
// answer leaves much open, and people must not be told of what may not be so.
func (c *Client) ClockCertainly() time.Duration {
	d := c.difference.Load()
	switch {
	case d == nil:
		return 0
	case d.least > 0:
		return d.least
	}
	return min(d.most, 0)
}

// ClockState returns what is known of the service's clock, and since when.
func (c *Client) ClockState() operations.ClockState {
	if d := c.difference.Load(); d != nil {
		return operations.ClockState{Least: d.least, Max: d.most, MeasuredAt: d.at}
	}
	return operations.ClockState{}
}

// compareClocks learns from the Date of an answer, which the service wrote
// sometime between the first byte of the request and the answer's coming. To
// take it for less far ahead than it is would let a byte leave after its cut-off,
// so the most that is possible counts, not the middle.
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
		// A gateway's nonsense must not close the day.
		c.log.Warn("the service's clock is not believed", slog.Duration("difference", distance))
		return
	}
	least, most := theirs.Sub(ended), theirs.Add(dateStep).Sub(began)
	if trip > maxRoundTrip {
		most = min(max(c.ClockDifference(), least), most)
	}
	c.difference.Store(&difference{least: min(least, most), most: most, at: ended})
}

// dater is a token source that hears Dates too, from the host it names.
type dater interface {
	tellDates(host string, to func(date string, began, ended time.Time))
}

// listenForDates has a token operation at the service's own host tell the
// difference of the clocks: so it is known before the first order, which after a
// restart may come in the last minute.
func (c *Client) listenForDates(base *url.URL) {
	if source, ok := c.tokens.(dater); ok {
		source.tellDates(base.Hostname(), c.compareClocks)
	}
}
