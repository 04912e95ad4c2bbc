package table

import (
	"math"
	"strconv"
	"strings"
	"time"
)

// Time is an instant. A text without a zone is in the given zone, and so is a date
// as the workbook stores it. Days come before months: 01/02/2026 is the first of
// February, as in Mexico. A date without a time of day is an error.
func (c Cell) Time(zone *time.Location) (time.Time, *Error) {
	at, clock, wrong := c.moment(zone)
	if wrong == nil && !clock && !at.IsZero() {
		return time.Time{}, ErrNoClock.with(c.raw)
	}
	return at, wrong
}

// Day is a date, with or without a time of day, as its midnight in zone.
func (c Cell) Day(zone *time.Location) (time.Time, *Error) {
	at, _, wrong := c.moment(zone)
	if wrong != nil || at.IsZero() {
		return at, wrong
	}
	y, m, d := at.In(zone).Date()
	return time.Date(y, m, d, 0, 0, 0, 0, zone), nil
}

// moment reads the cell; clock reports whether it has the time of day. An empty cell
// is the zero time.
func (c Cell) moment(zone *time.Location) (at time.Time, clock bool, wrong *Error) {
	m, wrong := c.Moment()
	if wrong != nil {
		return at, false, wrong
	}
	at, wrong = m.In(zone)
	if wrong != nil && c.kind == Text {
		wrong = wrong.with(c.raw)
	}
	return at, m.Clock, wrong
}

// Moment is a date as it is written. Most files state no zone: what they hold is
// known once the zone is.
type Moment struct {
	Wall  time.Time // what the clock on the wall shows, as if it were UTC; zero for an empty cell
	At    time.Time // the instant where the zone is written; else zero
	Clock bool      // it has the time of day
}

// In is the instant in the zone of the clock on the wall; the zero time for an empty
// cell. A time that the zone's clocks skipped or showed twice is an error.
func (m Moment) In(zone *time.Location) (time.Time, *Error) {
	if m.Wall.IsZero() || !m.At.IsZero() {
		return m.At, nil
	}
	at, wrong := inZone(m.Wall, zone)
	if wrong != nil {
		return at, wrong.with(m.Wall.Format(time.DateTime))
	}
	return at, nil
}

// WithClock adds the time of day of another column, Hora beside Fecha. If the date
// has a time of its own, other than midnight, both must be the same.
func (m Moment) WithClock(hour Cell) (Moment, *Error) {
	d, has, wrong := hour.timeOfDay()
	if wrong != nil || !has || m.Wall.IsZero() {
		return m, wrong
	}
	midnight := m.Wall.Truncate(24 * time.Hour)
	switch own := m.Wall.Sub(midnight); {
	case m.Clock && (own == d || own.Truncate(time.Minute) == d):
		return m, nil
	case m.Clock && (own != 0 || !m.At.IsZero()):
		return m, ErrTwoHours.with(hour.Raw())
	}
	m.Wall, m.Clock = midnight.Add(d), true
	return m, nil
}

// Moment reads the cell as a date, with or without a time of day.
func (c Cell) Moment() (m Moment, wrong *Error) {
	if c.wrong != nil {
		return m, c.wrong
	}
	switch c.kind {
	case Number, Date:
		return c.serial()
	case Text:
		s := unescape(tidy(c.raw))
		if s == "" {
			return m, c.onlyEmpty(ErrNoTime)
		}
		if m, wrong = parseTime(s); wrong != nil {
			return Moment{}, wrong.with(c.raw)
		}
		return m, nil
	}
	return m, ErrNoTime.with(c.raw)
}

// dayFraction is the time of day of a number of days. Fifteen digits are accurate to
// about ten microseconds; people write milliseconds.
func dayFraction(days float64) time.Duration {
	return time.Duration(math.Round((days-math.Floor(days))*24*60*60*1000)) * time.Millisecond
}

// serial reads a date as workbooks store it: days since the end of 1899, or since
// 1904, with the time of day as a fraction. Only days of this century are accepted
// as dates.
func (c Cell) serial() (Moment, *Error) {
	days, err := parseNumber(c.raw)
	epoch := time.Date(1899, 12, 30, 0, 0, 0, 0, time.UTC)
	if c.from04 {
		epoch = time.Date(1904, 1, 1, 0, 0, 0, 0, time.UTC)
	}
	if err != nil || days < 30_000 || days > 80_000 {
		return Moment{}, ErrNoTime.with(c.raw)
	}
	clock := dayFraction(days)
	wall := epoch.AddDate(0, 0, int(math.Floor(days))).Add(clock)
	if wall.Year() < 2000 || wall.Year() > 2099 {
		return Moment{}, ErrNoTime.with(c.raw)
	}
	return Moment{Wall: wall, Clock: c.clock || clock != 0}, nil
}

// timeOfDay reads a time of day: 13:45, a time cell of a workbook, or the digits
// 134500. It returns false for an empty cell.
func (c Cell) timeOfDay() (d time.Duration, has bool, wrong *Error) {
	if c.wrong != nil {
		return 0, false, c.wrong
	}
	s := unescape(tidy(c.raw))
	switch {
	case s == "":
		return 0, false, c.onlyEmpty(ErrNoHour)
	case c.kind == Date || c.kind == Number && strings.HasPrefix(s, "0"):
		if days, err := parseNumber(s); err == nil && days >= 0 {
			return dayFraction(days) % (24 * time.Hour), true, nil
		}
	case c.kind == Number && len(s) == 5: // 93005 lost its zero
		d, has = parseClock(s[:1] + ":" + s[1:3] + ":" + s[3:])
	case c.kind == Text && len(s) == 4 && strings.Trim(s, "0123456789") == "":
		d, has = parseClock(s[:2] + ":" + s[2:])
	case (c.kind == Text || c.kind == Number) && len(s) == 6 && strings.Trim(s, "0123456789") == "":
		d, has = parseClock(s[:2] + ":" + s[2:4] + ":" + s[4:])
	case c.kind == Text:
		d, has = parseClock(s)
	}
	if !has {
		return 0, false, ErrNoHour.with(c.raw)
	}
	return d, true, nil
}

// parseTime reads a date with or without a time of day.
func parseTime(s string) (Moment, *Error) {
	for _, layout := range []string{
		time.RFC3339Nano,
		"2006-01-02 15:04:05.999999999Z07:00",
		"2006-01-02 15:04:05.999999999 Z07:00",
		"2006-01-02T15:04Z07:00",
		"2006-01-02T15:04:05.999999999Z0700",
	} {
		if at, err := time.Parse(layout, s); err == nil {
			_, offset := at.Zone()
			return Moment{Wall: at.UTC().Add(time.Duration(offset) * time.Second), At: at, Clock: true}, plausible(at)
		}
	}
	if strings.Trim(s, "0123456789.,") == "" {
		return Moment{}, ErrSerialDate
	}
	date, rest := splitDate(s)
	wall, wrong := parseDate(date)
	if wrong != nil || rest == "" {
		return Moment{Wall: wall}, wrong
	}
	d, ok := parseClock(rest)
	if !ok {
		return Moment{}, ErrNoTime
	}
	return Moment{Wall: wall.Add(d), Clock: true}, nil
}

// plausible refuses years that are probably typing errors.
func plausible(at time.Time) *Error {
	if at.Year() < 2000 || at.Year() > 2099 {
		return ErrNoTime
	}
	return nil
}

// inZone sets the zone of a wall clock's time. A time that the zone's clocks
// skipped, or showed twice, is refused.
func inZone(wall time.Time, zone *time.Location) (time.Time, *Error) {
	y, m, d := wall.Date()
	at := time.Date(y, m, d, wall.Hour(), wall.Minute(), wall.Second(), wall.Nanosecond(), zone)
	same := func(t time.Time) bool {
		t = t.In(zone)
		return t.Day() == d && t.Hour() == wall.Hour() && t.Minute() == wall.Minute()
	}
	switch {
	case !same(at):
		return time.Time{}, ErrNeverWas
	case same(at.Add(-time.Hour)) || same(at.Add(time.Hour)):
		return time.Time{}, ErrTwice
	}
	return at, nil
}

// splitDate separates the date from what follows: at a T, at a comma, or at the
// space before the last part that has a colon.
func splitDate(s string) (date, rest string) {
	colon := strings.IndexByte(s, ':')
	if colon < 0 {
		return s, ""
	}
	at := strings.LastIndexFunc(s[:colon], func(r rune) bool { return r == 'T' || unseen(r) })
	if at < 0 {
		return s, ""
	}
	date = strings.TrimFunc(s[:at], func(r rune) bool { return r == ',' || unseen(r) })
	return date, strings.TrimFunc(s[at:], func(r rune) bool { return r == 'T' || unseen(r) })
}

// months are the first letters of their names, in Spanish and English.
var months = map[string]time.Month{
	"ene": 1, "jan": 1, "feb": 2, "mar": 3, "abr": 4, "apr": 4, "may": 5, "jun": 6, "jul": 7,
	"ago": 8, "aug": 8, "sep": 9, "set": 9, "oct": 10, "nov": 11, "dic": 12, "dec": 12,
}

// parseDate reads 2026-11-20, 20/11/2026 and 20 nov 2026.
func parseDate(s string) (time.Time, *Error) {
	parts := strings.FieldsFunc(strings.ToLower(s), func(r rune) bool { return strings.ContainsRune("/-. ", r) })
	if len(parts) == 5 && parts[1] == "de" && parts[3] == "de" {
		parts = []string{parts[0], parts[2], parts[4]}
	}
	if len(parts) != 3 {
		return time.Time{}, ErrNoTime
	}
	if len(parts[0]) == 4 {
		parts[0], parts[2] = parts[2], parts[0]
	}
	var month int
	if name := parts[1]; len(name) >= 3 && (name[0] < '0' || name[0] > '9') {
		month = int(months[name[:3]])
	} else {
		month = whole(parts[1], 2)
	}
	day, year := whole(parts[0], 2), whole(parts[2], 4)
	switch {
	case month < 0 || day < 0 || year < 0:
		return time.Time{}, ErrNoTime
	case len(parts[2]) == 2:
		return time.Time{}, ErrShortYear
	case month > 12 && month <= 31 && day <= 12 && len(parts[2]) == 4:
		return time.Time{}, ErrMonthFirst
	case month == 0 || year < 2000 || year > 2099:
		return time.Time{}, ErrNoTime
	}
	at := time.Date(year, time.Month(month), day, 0, 0, 0, 0, time.UTC)
	if at.Day() != day || int(at.Month()) != month {
		return time.Time{}, ErrNoSuchDay
	}
	return at, nil
}

// whole is a number of a few digits; -1 for anything else.
func whole(s string, most int) int {
	if len(s) == 0 || len(s) > most || strings.Trim(s, "0123456789") != "" {
		return -1
	}
	n, _ := strconv.Atoi(s)
	return n
}

// parseClock reads 13:45, 13:45:05.250, 1:45 PM and 01:45:05 p. m.
func parseClock(s string) (time.Duration, bool) {
	s = strings.ToLower(strings.Map(func(r rune) rune {
		if unseen(r) {
			return -1
		}
		return r
	}, s))
	half := ""
	for _, end := range []string{"a.m.", "p.m.", "am", "pm"} {
		if cut, ok := strings.CutSuffix(s, end); ok {
			s, half = cut, end[:1]
			break
		}
	}
	for _, layout := range []string{"15:04:05.999999999", "15:04:05", "15:04", "3:04:05", "3:04"} {
		t, err := time.Parse(layout, s)
		if err != nil {
			continue
		}
		hour := t.Hour()
		if half != "" && (hour < 1 || hour > 12) {
			return 0, false
		}
		if half != "" {
			hour %= 12
		}
		if half == "p" {
			hour += 12
		}
		return time.Duration(hour)*time.Hour + time.Duration(t.Minute())*time.Minute +
			time.Duration(t.Second())*time.Second + time.Duration(t.Nanosecond()), true
	}
	return 0, false
}
