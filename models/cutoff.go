package models

import (
	"fmt"
	"time"
	_ "time/tzdata"
)

// Next is the day after.
func (d Day) Next() Day { return Day(d.Time(time.UTC).AddDate(0, 0, 1).Format(time.DateOnly)) }

// Noon is an instant of the day that no change of clocks moves out of it.
func (d Day) Noon(zone *time.Location) time.Time { return d.Time(zone).Add(12 * time.Hour) }

// Calendar determines the business day of a sale and when it can no longer be
// canceled. The service's rule is 20:00 in Mexico City on the day of the sale; hour
// and zone are settings because "same day" is not defined further.
type Calendar struct {
	zone     *time.Location
	Standard TimeOfDay      // until the first change takes effect
	changes  []CutoffChange // in the order in which they take effect
}

// CutoffChange is a cut-off that replaces another one.
type CutoffChange struct {
	From   time.Time
	Cutoff TimeOfDay
}

// NewCalendar takes the cut-off, such as "20:00", and the name of its zone.
func NewCalendar(cutoff, zone string) (Calendar, error) {
	at, err := ParseTimeOfDay(cutoff)
	if err != nil {
		return Calendar{}, fmt.Errorf("cut-off %q: want HH:MM", cutoff)
	}
	loc, err := time.LoadLocation(zone)
	if err != nil || zone == "" || zone == "Local" {
		return Calendar{}, fmt.Errorf("zone %q: not a name of the time zone database", zone)
	}
	return Calendar{zone: loc, Standard: at}, nil
}

// With returns the calendar with changes of its cut-off, in the order in which they
// take effect.
func (c Calendar) With(changes ...CutoffChange) Calendar {
	c.changes = changes
	return c
}

// Zone returns the cut-off's time zone.
func (c Calendar) Zone() *time.Location { return c.zone }

// Cutoff returns the instant from which a sale made at t can no longer be canceled:
// 20:00 in Mexico City on the day of the sale there. The service requires a request
// before it, so the instant itself is already too late.
//
// The cut-off of a day is the one in force when the day begins. A change that takes
// effect during the day applies to that day only if it makes the cut-off earlier; a
// later cut-off applies from the next day.
func (c Calendar) Cutoff(t time.Time) time.Time {
	y, m, d := t.In(c.zone).Date()
	at := c.Standard
	if len(c.changes) > 0 {
		at = c.ofDay(time.Date(y, m, d, 0, 0, 0, 0, c.zone), time.Date(y, m, d+1, 0, 0, 0, 0, c.zone))
	}
	return time.Date(y, m, d, int(at/60), int(at%60), 0, 0, c.zone)
}

// ofDay returns the cut-off of the day between two midnights.
func (c Calendar) ofDay(begins, ends time.Time) TimeOfDay {
	at := c.Standard
	for _, change := range c.changes {
		switch {
		case !change.From.After(begins):
			at = change.Cutoff
		case change.From.Before(ends):
			at = min(at, change.Cutoff)
		default:
			return at
		}
	}
	return at
}

// Day returns the calendar day of an instant in the cut-off's zone.
func (c Calendar) Day(t time.Time) Day {
	return Day(t.In(c.zone).Format(time.DateOnly))
}

// SameDay reports whether two instants are on the same day. It formats no dates:
// lists call it for every row.
func (c Calendar) SameDay(a, b time.Time) bool {
	ay, am, ad := a.In(c.zone).Date()
	by, bm, bd := b.In(c.zone).Date()
	return ad == bd && am == bm && ay == by
}

// Day is a calendar day, written 2026-11-20.
type Day string

// firstYear is far before any sale, and far enough from the beginning of PostgreSQL's
// calendar, which has no year 0, that weeks can be taken from a day.
const firstYear = 1900

// ParseDay reads a day from a form or an address.
func ParseDay(s string) (Day, error) {
	if t, err := time.Parse(time.DateOnly, s); err != nil || t.Year() < firstYear {
		return "", Invalid("date", "date.invalid")
	}
	return Day(s), nil
}

// Valid reports whether it is a day, or none at all.
func (d Day) Valid() bool {
	_, err := ParseDay(string(d))
	return d == "" || err == nil
}

// Time returns the day's midnight in a zone, for display.
func (d Day) Time(zone *time.Location) time.Time {
	t, _ := time.ParseInLocation(time.DateOnly, string(d), zone)
	return t
}

// Window decides whether a sale can still be canceled. It is checked when a page is
// drawn, when a request is accepted and before the first byte is sent.
type Window struct {
	Calendar Calendar
	// Margin is reserved before the cut-off for delays that cannot be measured.
	Margin time.Duration
	// Ahead is the most that the service's clock can be ahead of ours; nil when
	// unknown.
	Ahead func() time.Duration
}

// Cutoff returns the instant from which a sale can no longer be canceled: the one
// stored when the sale arrived, or the one of its day by the current rules,
// whichever is earlier. So a later cut-off never reopens a sale, and an earlier one
// applies to the sales that exist already. The day of a sale whose ticket has another
// date is that date.
func (w Window) Cutoff(s *Sale) time.Time {
	made := s.SoldAt
	if s.OfAnotherDay() {
		made = s.TicketDate.Noon(w.Calendar.zone)
	}
	return earlier(s.CutoffAt, w.Calendar.Cutoff(made))
}

// Limit returns the instant from which nothing more may be sent for a sale, by
// our clock or the service's, whichever is ahead: its cut-off less the margin.
func (w Window) Limit(s *Sale) time.Time { return w.Cutoff(s).Add(-w.Margin) }

// Closes returns the limit by our clock. It is earlier by the difference known now
// when the service's clock is ahead of ours. A service clock that is behind does not
// extend it.
func (w Window) Closes(s *Sale) time.Time { return w.Cutoff(s).Add(-w.Before()) }

// Open reports whether a sale can be canceled now: it was made today and its window
// has not closed.
func (w Window) Open(s *Sale, now time.Time) bool {
	cutoff := w.Cutoff(s)
	return w.Calendar.SameDay(s.SoldAt, now) && s.SoldAt.Before(cutoff) && now.Before(cutoff.Add(-w.Before()))
}

// DayCloses returns when the window closes for the sales of a day.
func (w Window) DayCloses(day time.Time) time.Time {
	return w.Calendar.Cutoff(day).Add(-w.Before())
}

// DayOpen reports whether any sale of today can still be canceled.
func (w Window) DayOpen(now time.Time) bool { return now.Before(w.DayCloses(now)) }

// Before is how long before a cut-off, by our clock, sending stops.
func (w Window) Before() time.Duration {
	if w.Ahead == nil {
		return w.Margin
	}
	return w.Margin + max(w.Ahead(), 0)
}

func earlier(a, b time.Time) time.Time {
	if a.Before(b) {
		return a
	}
	return b
}

// MexicoCity is the zone of the service's rule, and of every day that is not a
// store's own. CheckZoneData is called before anything relies on it.
var MexicoCity = func() *time.Location {
	loc, err := time.LoadLocation("America/Mexico_City")
	if err != nil {
		panic(err) // time/tzdata is part of the program
	}
	return loc
}()

// Plus returns the day that many days later.
func (d Day) Plus(days int) Day {
	return Day(d.Time(time.UTC).AddDate(0, 0, days).Format(time.DateOnly))
}
