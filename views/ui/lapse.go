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

// Later says how long after the step before something came.
func Later(ctx context.Context, d time.Duration) string {
	if d < time.Second {
		return locale.T(ctx, "lapse.atOnce")
	}
	return locale.T(ctx, "lapse.later", "Time", Lapse(d))
}
