package cutoff

import (
	"fmt"
	"time"

	"veinte/models"
)

// Days are the figures of the calendar.
type Days struct {
	Days      int `json:"days"`      // looked at, in each zone
	Zones     int `json:"zones"`     // as the cut-off's zone, and as a store's
	Decisions int `json:"decisions"` // of the window, each compared with the table by hand
	Closed    int `json:"closed"`    // of them: too late
}

// aheads are the differences with which every day is tried; the last two are a
// service that is behind, and one that nobody has measured.
var aheads = []time.Duration{0, time.Millisecond, 2500 * time.Millisecond, 120 * time.Second, -120 * time.Second, -1}

// lookAtDays asks the window about every step-th day of five years and, because
// that is where mistakes are, about each of the days around a change of clocks.
func (r *run) lookAtDays(step int) error {
	for _, z := range zones {
		calendar, err := models.NewCalendar("20:00", z.name)
		if err != nil {
			return err
		}
		c := &calendarCheck{run: r, zone: z, calendar: calendar}
		days := 0
		for d := firstDay; d <= lastDay; d++ {
			if int(d-firstDay)%step != 0 && !nearChange(d) {
				continue
			}
			days++
			c.edges(d)
			for _, store := range zones {
				c.sales(d, store)
			}
		}
		r.report.Days.Days = days
	}
	r.report.Days.Zones = len(zones)
	return nil
}

// nearChange reports whether clocks change somewhere within a day of d, or would
// have by the rule that Mexico gave up.
func nearChange(d date) bool {
	year := d.year()
	for _, change := range []date{sunday(year, 3, 2), sunday(year, 11, 1), sunday(year, 4, 1), sunday(year, 11, 1) - 7, dateOf(year, 1, 1), dateOf(year, 12, 31), dateOf(year, 3, 1)} {
		if d >= change-1 && d <= change+1 {
			return true
		}
	}
	return false
}

// calendarCheck compares the window of one cut-off zone with the table.
type calendarCheck struct {
	run      *run
	zone     zone
	calendar models.Calendar
}

// edges looks at the last instants of the window and at the ends of the day.
func (c *calendarCheck) edges(d date) {
	cutoff, begins, ends := c.zone.cutoff(d), c.zone.midnight(d), c.zone.midnight(d+1)
	for _, margin := range []time.Duration{0, 5 * time.Second, time.Minute} {
		for i, ahead := range aheads {
			w := models.Window{Calendar: c.calendar, Margin: margin, Ahead: func() time.Duration { return ahead }}
			if i == len(aheads)-1 {
				w.Ahead, ahead = nil, 0
			}
			closes := cutoff.Add(-margin - max(ahead, 0))
			for _, sold := range []time.Time{begins, begins.Add(12 * time.Hour), closes.Add(-time.Hour)} {
				c.want(w, sold, closes.Add(-time.Millisecond), true)
				c.want(w, sold, closes.Add(-1), true)
				c.want(w, sold, closes, false)
				c.want(w, sold, cutoff, false)
				c.want(w, sold, ends.Add(-1), false)
				c.want(w, sold, ends, false)
				c.want(w, sold, ends.Add(12*time.Hour), false)
			}
			// Of tomorrow, by a clock that went back; of the evening before; never in time.
			c.want(w, begins, begins.Add(-1), false)
			c.want(w, begins.Add(-1), begins, false)
			c.want(w, begins.Add(-1), closes.Add(-1), false)
			c.want(w, cutoff, cutoff, false)
			c.want(w, cutoff.Add(time.Minute), cutoff.Add(time.Minute), false)
		}
	}
}

// sales looks at what a store of another zone sells on a day of its own: part of
// it belongs to the next day, or to the one before, where the cut-off is.
func (c *calendarCheck) sales(d date, store zone) {
	w := models.Window{Calendar: c.calendar, Margin: 5 * time.Second}
	for sold := store.midnight(d); sold.Before(store.midnight(d + 1)); sold = sold.Add(90 * time.Minute) {
		day := d - 1
		for !sold.Before(c.zone.midnight(day + 1)) {
			day++
		}
		cutoff := c.zone.cutoff(day)
		closes := cutoff.Add(-w.Margin)
		inTime := sold.Before(cutoff)
		c.want(w, sold, closes.Add(-time.Millisecond), inTime)
		c.want(w, sold, closes, false)
		c.want(w, sold, sold, sold.Before(closes))
		c.want(w, sold, c.zone.cutoff(day+1).Add(-time.Hour), false)
		sale := models.Sale{SoldAt: sold, CutoffAt: w.Calendar.Cutoff(sold), State: models.SaleCancelable}
		if got := sale.Shown(w, closes); got != models.SaleTooLate {
			c.run.violation("%s: the page shows a sale of %s as %s at %s, want tooLate", c.zone.name, sold, got, closes)
		}
	}
}

func (c *calendarCheck) want(w models.Window, sold, now time.Time, open bool) {
	c.run.report.Days.Decisions++
	if !open {
		c.run.report.Days.Closed++
	}
	if got := w.Open(&models.Sale{SoldAt: sold, CutoffAt: w.Calendar.Cutoff(sold)}, now); got != open {
		c.run.violation("%s, margin %s: a sale of %s is open=%t at %s, want %t", c.zone.name, w.Margin, sold, got, stamp(now), open)
	}
}

// stamp writes an instant to the nanosecond.
func stamp(t time.Time) string { return fmt.Sprint(t.UTC().Format("2006-01-02T15:04:05.000000000Z")) }
