package models

import (
	"time"
)

// Clock returns the time. Rules take an instant or a Clock, never time.Now.
type Clock interface {
	Now() time.Time
}

// TimeLeft is the time from now until an instant, by the wall clock or by the monotonic
// one where both instants carry it, whichever leaves less: a suspended machine's
// monotonic clock stands still, and a wall clock may be set back.
func TimeLeft(now, until time.Time) time.Duration {
	return min(until.Sub(now), until.Round(0).Sub(now.Round(0)))
}

// ShiftedClock runs beside the real clock at a fixed distance; zero is the real
// time. The demo's --at uses it to try 19:59 at any hour.
type ShiftedClock time.Duration

// Now returns the shifted instant.
func (c ShiftedClock) Now() time.Time { return time.Now().Add(time.Duration(c)) }

// Shift is the deliberate distance from the real clock.
func (c ShiftedClock) Shift() time.Duration { return time.Duration(c) }
