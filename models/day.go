package models

import (
	"database/sql/driver"
	"fmt"
	"strings"
	"time"
)

// Scan reads a date column.
func (d *Day) Scan(src any) error {
	switch v := src.(type) {
	case time.Time:
		*d = Day(v.Format(time.DateOnly))
	case string:
		*d = Day(v)
	default:
		return fmt.Errorf("scan day: unexpected %T", src)
	}
	return nil
}

// Value writes a date column.
func (d Day) Value() (driver.Value, error) { return string(d), nil }

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

// instantLayouts are the ways in which people and files write a date, with or
// without a time.
var instantLayouts = []string{
	"2006-01-02T15:04", "2006-01-02T15:04:05", "2006-01-02 15:04", "2006-01-02 15:04:05", time.DateOnly,
}

// instantAhead is how far ahead anything can be planned. Anything later is a
// mistyped year.
const instantAhead = 2 * 366 * 24 * time.Hour

// ParseInstant reads a local date and time of the zone from a form field or a cell
// of a file; a date alone is its midnight. An instant with an offset (RFC 3339)
// is read by that offset. "" is the zero time.
//
// Errors: instant.invalid, or instant.implausible before 2000 or more than two years
// after now.
func ParseInstant(field, s string, now time.Time, zone *time.Location) (time.Time, error) {
	s = strings.TrimSpace(s)
	if s == "" {
		return time.Time{}, nil
	}
	at, err := time.Parse(time.RFC3339, s)
	for i := 0; err != nil && i < len(instantLayouts); i++ {
		at, err = time.ParseInLocation(instantLayouts[i], s, zone)
	}
	switch {
	case err != nil:
		return time.Time{}, Invalid(field, "instant.invalid")
	case at.Year() < 2000 || at.After(now.Add(instantAhead)):
		return time.Time{}, Invalid(field, "instant.implausible")
	}
	return at.Truncate(time.Microsecond), nil // PostgreSQL's precision
}
