package sandbox

import (
	"context"
	"errors"
	"math/rand/v2"
	"time"
	_ "time/tzdata"
)

// cancelHour is the daily cut-off of cancellations, in Mexico City.
const cancelHour = 20

var mexicoCity = func() *time.Location {
	zone, err := time.LoadLocation("America/Mexico_City")
	if err != nil {
		panic(err) // cannot happen: time/tzdata is linked in
	}
	return zone
}()

// checkZone refuses zone data older than October 2022, which still has
// daylight saving in Mexico City.
func checkZone() error {
	noon := time.Date(2026, 7, 15, 12, 0, 0, 0, time.UTC)
	if noon.In(mexicoCity).Hour() != 6 {
		return errors.New("zone data is out of date: Mexico City is UTC-6 all year")
	}
	return nil
}

// now is the service's clock.
func (s *Sandbox) now() time.Time { return time.Now().Add(s.config.ClockOffset) }

// sameDay reports whether both instants fall on one calendar day in Mexico City.
func sameDay(a, b time.Time) bool {
	return a.In(mexicoCity).Format(time.DateOnly) == b.In(mexicoCity).Format(time.DateOnly)
}

// tooLate reports whether t is at or after the cut-off.
func tooLate(t time.Time) bool { return t.In(mexicoCity).Hour() >= cancelHour }

var monthNames = [...]string{"ENE", "FEB", "MAR", "ABR", "MAY", "JUN", "JUL", "AGO", "SEP", "OCT", "NOV", "DIC"}

// ticketDate writes t as it is printed on tickets, with the trailing space: "JUN.
// 27, 25 13:49:38 ". Spanish months are our choice; the published examples are all
// from June.
func ticketDate(t time.Time) string {
	t = t.In(mexicoCity)
	return monthNames[t.Month()-1] + t.Format(". 02, 06 15:04:05 ")
}

// transDate writes t as "2025-06-27 11:02:41.CST".
func transDate(t time.Time) string { return t.In(mexicoCity).Format("2006-01-02 15:04:05.MST") }

// orderNumber is the number a terminal gives a sale: YYMMDDhhmmss-<serial>.
func orderNumber(t time.Time, serial string) string {
	return t.In(mexicoCity).Format("060102150405-") + serial
}

// jitter spreads d evenly between half and one and a half.
func jitter(d duration) time.Duration {
	return time.Duration(float64(d) * (0.5 + rand.Float64()))
}

// wait returns true after d, or false as soon as ctx ends.
func wait(ctx context.Context, d time.Duration) bool {
	if d <= 0 {
		return ctx.Err() == nil
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}
