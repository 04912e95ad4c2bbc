package models

import (
	"fmt"
	"strings"
	"time"
)

// TimeOfDay is a time on a wall clock, in minutes after midnight.
type TimeOfDay int

// ParseTimeOfDay reads 24-hour time with two digits each, 20:00.
func ParseTimeOfDay(s string) (TimeOfDay, error) {
	at, err := time.Parse("15:04", strings.TrimSpace(s))
	if err != nil {
		return 0, Invalid("time", "time.invalid")
	}
	return TimeOfDay(at.Hour()*60 + at.Minute()), nil
}

// String writes 20:00.
func (t TimeOfDay) String() string { return fmt.Sprintf("%02d:%02d", t/60, t%60) }
