package ui

import (
	"strings"
	"time"
)

// Cutoff is the instant from which today's sales can no longer be canceled.
func (p Page) Cutoff() time.Time { return p.Window.Calendar.Cutoff(p.Now) }

// Closed reports whether the window of today's sales has closed.
func (p Page) Closed() bool { return !p.Now.Before(p.Window.DayCloses(p.Now)) }

// CutoffStep is the class of how urgent it is; countdown.js has the same steps.
func CutoffStep(p Page) string {
	switch left := p.Window.DayCloses(p.Now).Sub(p.Now); {
	case left <= 0:
		return "step-0"
	case left <= 5*time.Minute:
		return "step-5"
	case left <= 15*time.Minute:
		return "step-15"
	case left <= time.Hour:
		return "step-60"
	}
	return "step-far"
}

// LastMinute reports whether the window closes within a minute: then the second counts
// at which it does, which is before the cut-off by the margin.
func (p Page) LastMinute() bool {
	left := p.Window.DayCloses(p.Now).Sub(p.Now)
	return left > 0 && left <= time.Minute
}

// dayLine is how long the day's line is.
const dayLine = 12 * time.Hour

// dayShare is how much of the day's line is filled, in thousandths; countdown.js has the
// same.
func (p Page) dayShare() string {
	left := p.Window.DayCloses(p.Now).Sub(p.Now)
	share := 1000 * (dayLine - left) / dayLine
	if left > 0 && left <= time.Hour {
		share = 1000 * left / time.Hour
	}
	return Itoa(int64(min(max(share, 0), 1000)))
}

// ticks are lines across the day's line where it was canceled, one for all that would
// stand in one place.
func (p Page) ticks() string {
	var b strings.Builder
	begins := p.Window.DayCloses(p.Now).Add(-dayLine)
	last := int64(-1)
	for _, at := range p.Canceled {
		if x := int64(1000 * at.Sub(begins) / dayLine); x > last && x <= 1000 {
			b.WriteString("M" + Itoa(x) + " 0v6")
			last = x
		}
	}
	return b.String()
}
