package audit

import (
	"context"
	"time"
)

// The trail may have ten million entries, and a filter any combination of fields and
// words. No single plan is good for all of them: frequent matches are found by
// walking through time, rare ones by the index of marks, and it is not known
// beforehand which is the case. So the search for a page begins with a short walk
// and goes on in slices of time. The length of each slice follows from how long the
// last one took and what the page still needs. The database cancels a slice after
// some time, and all slices share a budget. When the budget is spent, the page
// states how far the search got; it never claims that there is nothing in what was
// not searched.
const (
	// searchBudget leaves time to render the page within a tenth of a second.
	searchBudget  = 55 * time.Millisecond
	scanBudget    = 25 * time.Millisecond // for one scan, beyond which the index is used
	maxScanned    = 500                   // entries
	splitAtOnce   = 60                    // entries, where each must be split into words
	minScanned    = 20                    // entries that a page scans in one go however long they take
	maxSlices     = 20                    // times as many, where that is likely to fill the page
	densePerSlice = 4000                  // matches, from which a slice is too long to sort
	timesThePage  = 8                     // as many matches as it needs may be in a slice, by the last one
)

// key is the position of an entry in the list.
type key struct {
	at time.Time
	id int64
}

// search is the search for one page.
type search struct {
	reader reader
	fields clause // without the words
	words  string // as a tsquery; "" when there are none
	marks  string // a tsquery of all; "" when nothing narrows
	direct bool   // an index finds all of it in order
	store  int64  // several do: those of the store, and moves away from it; 0: one does
	newer  bool   // reads towards the present
	edge   key
	end    time.Time // of the period in the direction of reading; zero: open
	limit  int

	found    []key         // in the direction of reading
	complete bool          // nothing is left to search
	level    int           // of the next slice
	scanned  int           // entries since the last slice
	matched  int           // of them
	pace     time.Duration // of the last walk, for an entry
	budget   time.Duration
	deadline time.Time
}

// run searches until the page is full, nothing is left, or the budget is spent.
func (q *search) run(ctx context.Context) error {
	q.deadline = time.Now().Add(q.budget)
	atOnce := maxScanned
	switch {
	case q.direct:
		atOnce = q.limit
	case q.words != "":
		atOnce = splitAtOnce
	}
	if err := q.firstScan(ctx, atOnce); err != nil {
		return err
	}
	if q.matched == 0 { // then it is rare
		q.level = len(daysOf)
	}
	for !q.done() && q.left() > 0 {
		if err := q.searchSlices(ctx, atOnce); err != nil {
			return err
		}
	}
	return nil
}

func (q *search) searchSlices(ctx context.Context, atOnce int) error {
	n, likely := q.toFill(atOnce)
	if !likely && q.marks != "" {
		dense, err := q.slice(ctx)
		if err != nil {
			return err
		}
		if !dense {
			return nil
		}
		if q.level > 0 {
			q.shorten()
			return nil
		}
		n = 2 * atOnce
	}
	err := q.scan(ctx, n, q.left())
	if timedOut(ctx, err) { // the rest of the budget is spent
		q.deadline = time.Time{}
		return nil
	}
	return err
}

// firstScan makes sure that every page gets further, be it by few entries.
func (q *search) firstScan(ctx context.Context, most int) error {
	err := q.scan(ctx, most, searchBudget)
	if timedOut(ctx, err) {
		q.direct = q.direct && q.marks == ""
		return q.scan(ctx, minScanned, maxScan)
	}
	return err
}

// maxScan is how long the few entries may take without which a page would not
// get further: from a disk that has other work.
const maxScan = 5 * time.Second

func (q *search) left() time.Duration { return time.Until(q.deadline) }

func (q *search) done() bool { return q.complete || len(q.found) >= q.limit }

// toFill is how many more entries must be walked to fill the page, judged by the
// last ones, and whether walking is likely to pay. It is never more than there is
// time for.
func (q *search) toFill(atOnce int) (n int, likely bool) {
	most := maxSlices * atOnce
	if q.pace > 0 {
		most = min(most, int(min(q.left(), scanBudget)/q.pace))
	}
	most = max(most, minScanned)
	if q.matched == 0 {
		return min(atOnce, most), false
	}
	n = (q.limit - len(q.found)) * q.scanned / q.matched * 5 / 4
	return min(max(n, atOnce/4), most), n <= most
}

// shorten chooses a shorter slice. Word prefixes are collected from a whole month
// however short the slice is, so a search with words stays at months while it can.
func (q *search) shorten() {
	q.scanned, q.matched = 0, 0
	if q.words != "" && q.level > len(daysOf) {
		q.level = max(q.level-2, len(daysOf))
		return
	}
	q.level = max(q.level-2, 0)
}

// lengthen chooses the next slice by how many days the last one had, how long it
// took and how much it found. With slices of some days most of the time is the
// statement's own overhead, so the next one is longer in any case.
func (q *search) lengthen(days float64, took time.Duration, matches int) {
	q.scanned, q.matched = 0, 0
	least := q.level
	switch {
	case q.words != "":
		least = max(least, len(daysOf))
	case q.level < len(daysOf):
		least++
	}
	for q.level = lastLevel; q.level > least; q.level-- {
		longer := daysIn(q.level) / days
		if float64(took)*longer <= float64(q.left())/2 && float64(matches)*longer <= float64(timesThePage*(q.limit-len(q.found))) {
			return
		}
	}
}

// scan reads the next entries in order and collects those that match.
func (q *search) scan(ctx context.Context, most int, atMost time.Duration) error {
	begin := time.Now()
	sql, args := q.scanSQL(most)
	keys, matched, err := q.reader.keys(ctx, settings{atMost, "on"}, sql, args)
	if err != nil {
		return err
	}
	for i, k := range keys {
		if matched[i] > 0 && len(q.found) < q.limit {
			q.found, q.matched = append(q.found, k), q.matched+1
		}
	}
	if len(keys) > 0 {
		q.edge = keys[len(keys)-1]
		q.pace = time.Since(begin) / time.Duration(len(keys))
	}
	q.scanned += len(keys)
	q.complete = len(keys) < most
	return nil
}

// slice searches the next slice of time by the index. A dense slice, whose first
// matches cannot be found in time, counts as not searched.
func (q *search) slice(ctx context.Context) (dense bool, err error) {
	s, begin := q.next(), time.Now()
	sql, args := q.sliceSQL(s)
	keys, matches, err := q.reader.keys(ctx, settings{q.left() * 2 / 3, "off"}, sql, args)
	if timedOut(ctx, err) {
		return true, nil
	}
	if err != nil {
		return false, err
	}
	n := 0
	if len(keys) > 0 {
		n = int(matches[0])
	}
	if n > densePerSlice {
		return true, nil
	}
	q.found = append(q.found, keys...)
	q.complete, q.edge = s.last, key{at: s.lo}
	if q.newer {
		q.edge.at = s.hi
	}
	q.lengthen(max(s.hi.Sub(s.lo).Hours()/24, 1), time.Since(begin), n)
	return false, nil
}

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
		if s.lo = q.end; s.lo.Before(beforeAll) {
			s.lo = beforeAll
		}
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

func daysFrom(first, last int64) []int64 {
	days := make([]int64, 0, last-first+1)
	for d := first; d <= last; d++ {
		days = append(days, d)
	}
	return days
}
