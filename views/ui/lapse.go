package ui

import (
	"context"
	"time"

	"veinte/views/locale"
)

// Lapse words a span of time as people say it: 12 s, 3 min 4 s, 2 h 5 min, 3 d 4 h.
func Lapse(d time.Duration) string {
	if d < time.Minute {
		return Itoa(int64(d/time.Second)) + " s"
	}
	units := []struct {
		of   time.Duration
		name string
	}{{24 * time.Hour, " d"}, {time.Hour, " h"}, {time.Minute, " min"}, {time.Second, " s"}}
	for i, u := range units {
		if d < u.of {
			continue
		}
		text := Itoa(int64(d/u.of)) + u.name
		if i+1 < len(units) && d%u.of >= units[i+1].of {
			text += " " + Itoa(int64(d%u.of/units[i+1].of)) + units[i+1].name
		}
		return text
	}
	return ""
}

// Between is the time from one instant to another as their clocks to the second are
// shown: what a reader reckons from what stands beside it.
func Between(from, to time.Time) time.Duration {
	return to.Truncate(time.Second).Sub(from.Truncate(time.Second))
}

// Later says how long after the step before something came.
func Later(ctx context.Context, from, to time.Time) string {
	d := Between(from, to)
	if d < time.Second {
		return locale.T(ctx, "lapse.atOnce")
	}
	return locale.T(ctx, "lapse.later", "Time", Lapse(d))
}
