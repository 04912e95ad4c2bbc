package sales

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"time"
)

// Span is a part of the day, from an instant until before another, since midnight.
type Span struct{ From, To time.Duration }

// nearest is how far the minute that a ticket prints may be behind the sale: half a
// minute, as one clock cuts the seconds off and another rounds them.
const nearest = 30 * time.Second

// Minute returns the minute that was typed; whole is false for several of them.
func (s Span) Minute() (minute time.Duration, whole bool) {
	minute = (s.From + nearest).Truncate(time.Minute)
	return minute, s.To-s.From < 2*time.Minute
}

// readTime reads a time of the day: 15:42, 3:42 pm, 3 p. m.; 3:42 alone may be of
// either half of the day, and 15:4 is ten minutes.
func readTime(text string) (p Part, length int) {
	if m := halfDay.FindStringSubmatch(text); m != nil {
		hour, _ := strconv.Atoi(m[1])
		if hour >= 1 && hour <= 12 {
			hour %= 12
			if m[4] == "p" || m[4] == "P" {
				hour += 12
			}
		}
		p = Part{Text: typed(m), Times: spans(m[2], m[3], hour)}
		return p, lengthIf(p, m[0])
	}
	m := clock.FindStringSubmatch(text)
	if m == nil {
		return p, 0
	}
	hour, _ := strconv.Atoi(m[1])
	hours := []int{hour}
	switch {
	case hour >= 1 && hour < 12:
		hours = append(hours, hour+12)
	case hour == 12:
		hours = append(hours, 0)
	}
	p = Part{Text: typed(m), Times: spans(m[2], m[3], hours...)}
	return p, lengthIf(p, m[0])
}

// lengthIf is 0 where the text has the looks of a time and is none.
func lengthIf(p Part, text string) int {
	if len(p.Times) == 0 {
		return 0
	}
	return len(text)
}

// spans returns the minute in each of the hours, the whole hour without minutes, and
// ten minutes of it with their first digit.
func spans(minute, second string, hours ...int) (all []Span) {
	for _, hour := range hours {
		from := time.Duration(hour) * time.Hour
		n, _ := strconv.Atoi(minute)
		s, _ := strconv.Atoi(second)
		if hour > 23 || n > 59 || s > 59 || len(minute) == 1 && n > 5 {
			return nil
		}
		switch len(minute) {
		case 0:
			all = append(all, Span{From: from, To: from + time.Hour})
		case 1:
			from += time.Duration(n) * 10 * time.Minute
			all = append(all, Span{From: from, To: from + 10*time.Minute})
		default:
			from += time.Duration(n)*time.Minute + time.Duration(s)*time.Second
			to := from + time.Minute
			if second != "" {
				to = from + nearest
			}
			all = append(all, Span{From: max(from-nearest, 0), To: min(to, 24*time.Hour)})
		}
	}
	return all
}

// bounds are the beginnings and ends of the part's times in a row, as PostgreSQL writes
// them: its day ends at 24:00:00.
func (p *Part) bounds() (all []string) {
	for _, t := range slices.SortedFunc(slices.Values(p.Times), func(a, b Span) int { return cmp.Compare(a.From, b.From) }) {
		for _, d := range []time.Duration{t.From, t.To} {
			all = append(all, fmt.Sprintf("%02d:%02d:%02d", int(d.Hours()), int(d.Minutes())%60, int(d.Seconds())%60))
		}
	}
	return all
}
