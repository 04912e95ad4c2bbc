package audit

import (
	"time"
)

// timeSlice is a period [lo, hi) next to the search's position.
type timeSlice struct {
	lo, hi time.Time
	days   []int64 // the days whose marks it has; nil when it ends with a month, as the trail's partitions do
	last   bool    // it is the last slice
}

// daysOf and monthsOf are the length of a slice at each level: some days, then to
// the end of a month and some more months; the last level is all that is left.
var (
	daysOf   = []int{1, 4, 16}
	monthsOf = []int{0, 2, 8}
)

const lastLevel = 6

// daysIn is about how many days a slice of a level has; for the last level, the
// length of a trail of which nothing was archived.
func daysIn(level int) float64 {
	switch l := level - len(daysOf); {
	case l < 0:
		return float64(daysOf[level])
	case l < len(monthsOf):
		return 30 * float64(monthsOf[l]+1)
	}
	return 400
}

// Times that PostgreSQL and Go both accept, before and after every entry.
var (
	beforeAll = time.Date(1, 1, 1, 0, 0, 0, 0, time.UTC)
	afterAll  = time.Date(9999, 12, 31, 0, 0, 0, 0, time.UTC)
)

// next is the next slice to search.
func (q *search) next() timeSlice {
	if q.newer {
		return q.nextNewer()
	}
	s := timeSlice{lo: beforeAll, hi: q.edge.at}
	if q.level < len(daysOf) {
		today := s.hi.Unix() / 86400
		first := today - int64(daysOf[q.level]) + 1
		s.lo, s.days = time.Unix(first*86400, 0).UTC(), daysFrom(first, today)
		if !s.lo.Before(s.hi) { // at midnight the day behind has begun
			s.lo, s.days = s.lo.AddDate(0, 0, -1), append(s.days, first-1)
		}
	} else if l := q.level - len(daysOf); l < len(monthsOf) {
		y, m, _ := s.hi.Add(-time.Microsecond).Date()
		s.lo = time.Date(y, m-time.Month(monthsOf[l]), 1, 0, 0, 0, 0, time.UTC)
	}
	if s.lo.Before(beforeAll) {
		s.lo = beforeAll
	}
	if !s.lo.After(q.end) || s.lo.Equal(beforeAll) {
		s.last = true
		s.lo = later(q.end, beforeAll)
	}
	return s
}

func (q *search) nextNewer() timeSlice {
	s := timeSlice{lo: q.edge.at, hi: afterAll}
	if q.level < len(daysOf) {
		today := s.lo.Unix() / 86400
		last := today + int64(daysOf[q.level]) - 1
		s.hi, s.days = time.Unix((last+1)*86400, 0).UTC(), daysFrom(today, last)
	} else if l := q.level - len(daysOf); l < len(monthsOf) {
		y, m, _ := s.lo.Date()
		s.hi = time.Date(y, m+1+time.Month(monthsOf[l]), 1, 0, 0, 0, 0, time.UTC)
	}
	if end := q.end; !end.IsZero() && !s.hi.Before(end) {
		s.hi, s.last = end, true
	}
	s.last = s.last || !s.hi.Before(afterAll)
	return s
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

func daysFrom(first, last int64) []int64 {
	days := make([]int64, 0, last-first+1)
	for d := first; d <= last; d++ {
		days = append(days, d)
	}
	return days
}
