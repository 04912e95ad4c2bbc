package models

import (
	"context"
	"fmt"
	"time"
	_ "time/tzdata" // a bare container has no zone files
)

// Calendar says whose day a sale belongs to and when it can no longer be
// canceled. The service's rule is 20:00 in Mexico City on the day of the sale;
// hour and zone are settings because "same day" is not defined further.
type Calendar struct {
	zone         *time.Location
	hour, minute int
}

// NewCalendar takes the cut-off as "20:00" and the name of its zone.
func NewCalendar(cutoff, zone string) (Calendar, error) {
	at, err := time.Parse("15:04", cutoff)
	if err != nil {
		return Calendar{}, fmt.Errorf("cut-off %q: want HH:MM", cutoff)
	}
	loc, err := time.LoadLocation(zone)
	if err != nil || zone == "" || zone == "Local" {
		return Calendar{}, fmt.Errorf("zone %q: not a name of the time zone database", zone)
	}
	return Calendar{zone: loc, hour: at.Hour(), minute: at.Minute()}, nil
}

// Zone returns the zone that rules the cut-off.
func (c Calendar) Zone() *time.Location { return c.zone }

// Cutoff returns the instant from which a sale made at t can no longer be
// canceled: 20:00 in Mexico City on the day of the sale there. The service asks
// for a request made before it, so the instant itself is already too late.
func (c Calendar) Cutoff(t time.Time) time.Time {
	y, m, d := t.In(c.zone).Date()
	return time.Date(y, m, d, c.hour, c.minute, 0, 0, c.zone)
}

// Day returns the calendar day of an instant in the cut-off's zone.
func (c Calendar) Day(t time.Time) Day {
	return Day(t.In(c.zone).Format(time.DateOnly))
}

// sameDay compares without writing the days out: every row of a list asks.
func (c Calendar) sameDay(a, b time.Time) bool {
	ay, am, ad := a.In(c.zone).Date()
	by, bm, bd := b.In(c.zone).Date()
	return ad == bd && am == bm && ay == by
}

// Day is a calendar day, written 2026-11-20.
type Day string

// ParseDay reads a day as a form or an address gives it.
func ParseDay(s string) (Day, error) {
	if t, err := time.Parse(time.DateOnly, s); err != nil || t.Year() == 0 { // PostgreSQL has no year 0
		return "", Invalid("date", "date.invalid")
	}
	return Day(s), nil
}

// Time returns the day's midnight in a zone, for showing it.
func (d Day) Time(zone *time.Location) time.Time {
	t, _ := time.ParseInLocation(time.DateOnly, string(d), zone)
	return t
}

// Window decides whether a sale can still be canceled. It is asked when a page
// is drawn, when a request is accepted and before the first byte leaves.
type Window struct {
	Calendar Calendar
	// Margin is kept before the cut-off for what cannot be measured.
	Margin time.Duration
	// Ahead is how far the service's clock is ahead of ours at most; nil when
	// unknown.
	Ahead func() time.Duration
}

// Limit returns the instant from which nothing more may be sent for a sale made
// at soldAt, by our clock or the service's, whichever is ahead: the cut-off less
// the margin.
func (w Window) Limit(soldAt time.Time) time.Time {
	return w.Calendar.Cutoff(soldAt).Add(-w.Margin)
}

// Closes returns the limit by our clock: less the difference, as it is known
// now, when the service's clock is ahead of ours. A service that is behind gains
// us nothing.
func (w Window) Closes(soldAt time.Time) time.Time {
	closes := w.Limit(soldAt)
	if w.Ahead != nil {
		closes = closes.Add(-max(w.Ahead(), 0))
	}
	return closes
}

// Open reports whether a sale made at soldAt can be canceled now: made today,
// before its cut-off, and asked for before the window closes.
func (w Window) Open(soldAt, now time.Time) bool {
	return w.Calendar.sameDay(soldAt, now) &&
		soldAt.Before(w.Calendar.Cutoff(soldAt)) &&
		now.Before(w.Closes(soldAt))
}

// CheckZoneData refuses zone data that predates October 2022, when Mexico City
// gave up daylight saving: with it every summer cut-off would be an hour early.
// It asks Go and, when db is not nil, PostgreSQL, which keeps its own data.
func CheckZoneData(ctx context.Context, db *DB) error {
	loc, err := time.LoadLocation("America/Mexico_City")
	if err != nil {
		return fmt.Errorf("load zone of Mexico City: %w", err)
	}
	const instant, want = "2026-07-15T12:00:00Z", "2026-07-15 06:00"
	at, _ := time.Parse(time.RFC3339, instant)
	if got := at.In(loc).Format("2006-01-02 15:04"); got != want {
		return fmt.Errorf("zone data of this program: %s is %s in Mexico City, want %s: update it", instant, got, want)
	}
	if db == nil {
		return nil
	}
	var got string
	err = db.pool.QueryRow(ctx, `SELECT to_char($1::timestamptz AT TIME ZONE 'America/Mexico_City', 'YYYY-MM-DD HH24:MI')`, at).Scan(&got)
	if err != nil {
		return fmt.Errorf("check zone data of the database: %w", err)
	}
	if got != want {
		return fmt.Errorf("zone data of the database: %s is %s in Mexico City, want %s: update PostgreSQL or its tzdata", instant, got, want)
	}
	return nil
}
