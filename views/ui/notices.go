package ui

import (
	"strconv"
	"time"

	"veinte/models/clocks"
)

// LastSent is the instant before which the last request of the day is sent: the
// cut-off less the margin and what the service's clock is ahead.
func (p Page) LastSent() string { return ClockSeconds(p.Window.DayCloses(p.Now), p.Zone()) }

// ClockKey says which way the service's clock differs from ours.
func ClockKey(ahead time.Duration) string {
	if ahead > 0 {
		return "notice.ahead"
	}
	return "notice.behind"
}

// aheadOrBehind chooses between two texts: a server's clock is ahead of the database's,
// or behind it.
func aheadOrBehind(s clocks.Standing, ahead, behind string) string {
	if s.Ahead > 0 {
		return ahead
	}
	return behind
}

// Seconds writes the size of a difference between clocks.
func Seconds(d time.Duration) string {
	return strconv.FormatInt(int64((d.Abs()+time.Second/2)/time.Second), 10)
}
