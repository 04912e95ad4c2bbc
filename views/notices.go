package views

import (
	"strconv"
	"time"
)

// lastSent is the instant before which the last request of the day is sent: the
// cut-off less the margin and what the service's clock is ahead.
func (p Page) lastSent() string { return clockSeconds(p.Window.DayCloses(p.Now), p.zone()) }

// clockKey says which way the service's clock differs from ours.
func clockKey(ahead time.Duration) string {
	if ahead > 0 {
		return "notice.ahead"
	}
	return "notice.behind"
}

// seconds writes the size of a difference between clocks.
func seconds(d time.Duration) string {
	return strconv.FormatInt(int64((d.Abs()+time.Second/2)/time.Second), 10)
}
