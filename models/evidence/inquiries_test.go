package evidence_test

import (
	"testing"
	"time"

	"veinte/models/evidence"
)

func TestWhenADoubtIsAskedAbout(t *testing.T) {
	t.Parallel()
	began := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	const s, never = time.Second, time.Duration(-1)
	tests := []struct {
		fact        string
		quiet, last time.Duration // since the doubt began; never: nothing was pushed, nobody has asked
		want        time.Duration
	}{
		{"the first time", 180 * s, never, 30 * s},
		{"the second", 180 * s, 30 * s, 60 * s},
		{"of what was never pushed, there is no quiet time", never, 120 * s, 240 * s},
		{"soon after the quiet time", 180 * s, 120 * s, 185 * s},
		{"and then as ever", 180 * s, 185 * s, 240 * s},
		{"up to the last", 180 * s, 480 * s, never},
		{"the quiet time had ended before the doubt began", -s, never, 30 * s},
		{"or at that instant, and the first one is soon after", 0, never, 30 * s},
		{"a regular one is soon after the quiet time", 210 * s, 120 * s, 240 * s},
		{"but not soon enough", 210*s - 1, 120 * s, 215*s - 1},
		{"a quiet time as long as a regular one takes", 240 * s, 120 * s, 240 * s},
		{"or a little longer", 240*s + 1, 240 * s, 245*s + 1},
		{"a quiet time after the last regular one", 500 * s, 480 * s, 505 * s},
		{"and then no more", 500 * s, 505 * s, never},
		{"prolonged when it was asked about already", 600 * s, 480 * s, 605 * s},
		{"one that was late takes the place of those before", 180 * s, 130 * s, 185 * s},
		{"one that was early is the same one", 180 * s, 28 * s, 60 * s},
		{"but not so early", 180 * s, 26 * s, 30 * s},
	}
	at := func(d time.Duration) time.Time {
		if d == never {
			return time.Time{}
		}
		return began.Add(d)
	}
	for _, tt := range tests {
		if got := evidence.NextInquiry(began, at(tt.quiet), at(tt.last)); !got.Equal(at(tt.want)) {
			t.Errorf("%s: NextInquiry(quiet for %s, last after %s) = %s, want %s", tt.fact, tt.quiet, tt.last, got.Sub(began), tt.want)
		}
	}
}
