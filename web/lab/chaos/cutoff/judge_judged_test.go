package cutoff

import (
	"testing"
	"time"
)

// The judge is judged: by its own words in broken.
func TestJudge(t *testing.T) {
	t.Parallel()
	const margin = 5 * time.Second
	cutoff := zones[0].cutoff(firstDay)
	bound := cutoff.Add(-margin)
	tests := []struct {
		fact    string
		ahead   time.Duration
		learned bool          // from a quick answer an hour before
		trip    time.Duration // of that answer
		drift   time.Duration // since
		at      time.Time
		transit time.Duration
		broken  int
	}{
		{fact: "a microsecond before the bound", at: bound.Add(-time.Microsecond)},
		{fact: "at the bound", at: bound, broken: 2},
		{fact: "after the cut-off, by every clock", at: cutoff, broken: 3},
		{fact: "a service ahead of which nothing is known", ahead: time.Minute, at: bound.Add(-1)},
		{fact: "one ahead by less than the margin", ahead: margin - 1, at: bound.Add(-1)},
		{fact: "known to be ahead, and in time", ahead: time.Minute, learned: true, at: bound.Add(-time.Minute - 1)},
		{fact: "known to be ahead, and late", ahead: time.Minute, learned: true, at: bound.Add(-time.Minute), broken: 1},
		{fact: "known to be ahead, and past the cut-off", ahead: time.Minute, learned: true, at: cutoff.Add(-time.Minute), broken: 2},
		{fact: "a service behind gains nothing", ahead: -time.Minute, learned: true, at: bound, broken: 2},
		{
			fact: "a slow answer proves a part", ahead: time.Minute, learned: true, trip: 20 * time.Second, at: bound.Add(-39 * time.Second),
			broken: 1,
		},
		{fact: "and no more than that part", ahead: time.Minute, learned: true, trip: 20 * time.Second, at: bound.Add(-41 * time.Second)},
		{
			fact: "what the margin covers: drift and transit", ahead: time.Minute, learned: true, drift: 3 * time.Second,
			transit: margin - 3*time.Second, at: bound.Add(-time.Minute - 1),
		},
		{fact: "what it does not cover", ahead: time.Minute, learned: true, drift: margin + 1, at: bound.Add(-time.Minute - 1)},
	}
	for _, tt := range tests {
		j := newJudge(&figures{}, cutoff, margin, tt.ahead)
		if tt.learned {
			came := bound.Add(-time.Hour)
			j.answered(came, came.Add(tt.trip), came, tt.ahead)
		}
		j.drift(tt.drift)
		j.arrived(firstByte{at: tt.at, order: "V-1"}, tt.transit)
		if len(j.broken) != tt.broken {
			t.Errorf("%s: %q, want %d violations", tt.fact, j.broken, tt.broken)
		}
	}
}

// A job that began within the microsecond in which an answer said that the service is
// less far ahead may have known it: the books cannot say which was first.
func TestJudgeOfTheSameMicrosecond(t *testing.T) {
	t.Parallel()
	cutoff := zones[0].cutoff(firstDay)
	answered := cutoff.Add(-20 * time.Second).Add(851 * time.Nanosecond)
	for began, late := range map[time.Duration]bool{-time.Microsecond: true, 0: false, time.Microsecond: false} {
		j := newJudge(&figures{}, cutoff, 5*time.Second, 4*time.Second)
		j.answered(cutoff.Add(-time.Hour), cutoff.Add(-time.Hour), cutoff.Add(-time.Hour), 17*time.Second)
		j.answered(answered, answered, answered, 4*time.Second)
		if at := answered.Truncate(time.Microsecond).Add(began); j.late(at) != late {
			t.Errorf("%s after the answer: late = %v, want %v", began, !late, late)
		}
	}
}

func TestTableOfZones(t *testing.T) {
	t.Parallel()
	for d := firstDay; d <= lastDay; d++ {
		want := time.Unix(int64(d)*86400, 0).UTC()
		if got := dateOf(want.Year(), int(want.Month()), want.Day()); got != d || d.year() != want.Year() || d.weekday() != int(want.Weekday()) {
			t.Fatalf("day %d is %s: dateOf = %d, year %d, weekday %d", d, want, got, d.year(), d.weekday())
		}
	}
	for want, got := range map[string]time.Time{
		"2026-03-09T02:00:00Z": zones[0].cutoff(dateOf(2026, 3, 8)), // no summer time in Mexico City
		"2026-03-08T04:00:00Z": zones[3].cutoff(dateOf(2026, 3, 7)), // Tijuana, the evening before
		"2026-03-09T03:00:00Z": zones[3].cutoff(dateOf(2026, 3, 8)), // and that of the change
		"2030-11-04T04:00:00Z": zones[3].cutoff(dateOf(2030, 11, 3)),
		"2026-03-08T08:00:00Z": zones[3].midnight(dateOf(2026, 3, 8)),
	} {
		if got.Format(time.RFC3339) != want {
			t.Errorf("the table says %s, want %s", got.Format(time.RFC3339), want)
		}
	}
}
