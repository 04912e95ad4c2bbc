package cutoff

import "time"

// zone is a place's time, written down by hand from the decrees and not read
// from the time zone database, which is on trial here.
type zone struct {
	name   string
	offset int  // hours from UTC, in winter
	summer bool // an hour more by the rule of the United States
}

// The zones of stores. Mexico gave up summer time in October 2022, but for the
// municipalities on the border, which keep their neighbours' time; Quintana Roo
// and Sonora had gone before.
var zones = []zone{
	{"America/Mexico_City", -6, false},
	{"America/Cancun", -5, false},
	{"America/Hermosillo", -7, false},
	{"America/Tijuana", -8, true},
	{"America/Chihuahua", -6, false},
	{"America/Mazatlan", -7, false},
	{"America/Ciudad_Juarez", -7, true},
	{"America/Merida", -6, false},
	{"America/Monterrey", -6, false},
	{"UTC", 0, false},
}

// date is a calendar day, counted from 1970-01-01.
type date int

// dateOf counts by the proleptic Gregorian calendar.
func dateOf(year, month, day int) date {
	days := 365*(year-1970) + leaps(year-1) - leaps(1969)
	for m := 1; m < month; m++ {
		days += [...]int{31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31}[m-1]
		if m == 2 && leaps(year) > leaps(year-1) {
			days++
		}
	}
	return date(days + day - 1)
}

// leaps counts the leap years from year 1 on.
func leaps(year int) int { return year/4 - year/100 + year/400 }

// weekday is 0 on Sundays; 1970-01-01 was a Thursday.
func (d date) weekday() int { return int((d + 4) % 7) }

// sunday returns the n-th Sunday on or after a day of a month.
func sunday(year, month, n int) date {
	first := dateOf(year, month, 1)
	return first + date((7-first.weekday())%7+7*(n-1))
}

// year returns the year of a day between 1970 and 2099.
func (d date) year() int {
	year := 1970 + int(d)/366
	for dateOf(year+1, 1, 1) <= d {
		year++
	}
	return year
}

// at returns the instant at which clocks of the zone show an hour, from 4 to 23,
// of a day: summer time begins on the second Sunday in March and ends on the
// first in November, both before four in the morning.
func (z zone) at(d date, hour int) time.Time {
	offset := z.offset
	if z.summer && d >= sunday(d.year(), 3, 2) && d < sunday(d.year(), 11, 1) {
		offset++
	}
	return time.Unix(int64(d)*86400+int64(hour-offset)*3600, 0).UTC()
}

// midnight returns the instant at which a day begins in the zone: before the
// clocks are changed on that day, so as they stood the evening before.
func (z zone) midnight(d date) time.Time { return z.at(d-1, 23).Add(time.Hour) }

// cutoff is 20:00 in the zone; the instant itself is too late.
func (z zone) cutoff(d date) time.Time { return z.at(d, 20) }

// The days of the experiment.
var firstDay, lastDay = dateOf(2026, 1, 1), dateOf(2030, 12, 31)
