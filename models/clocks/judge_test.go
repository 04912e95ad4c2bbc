package clocks

import (
	"testing"
	"time"
)

func TestWhoseClockIsWrong(t *testing.T) {
	t.Parallel()
	const s = time.Second
	odd := Standing{DatabaseDiffers, 90 * s}
	tests := []struct {
		fact   string
		ahead  time.Duration
		others []time.Duration
		before Standing
		want   Verdict
	}{
		{"the same time", 0, nil, Standing{}, Agree},
		{"two seconds mean nothing", 2 * s, []time.Duration{0}, Standing{}, Agree},
		{"nor two behind", -2 * s, []time.Duration{0}, Standing{}, Agree},
		{"a little more does", 2*s + 1, []time.Duration{0}, Standing{}, ServerDiffers},
		{"behind as well", -2*s - 1, []time.Duration{0}, Standing{}, ServerDiffers},
		{"alone, nobody can say whose, and the database's counts", 90 * s, nil, Standing{}, ServerDiffers},
		{"the other server agrees with the database", 90 * s, []time.Duration{0}, Standing{}, ServerDiffers},
		{"the other server is behind by as much", 90 * s, []time.Duration{-90 * s}, Standing{}, ServerDiffers},
		{"one of two others agrees with this one", 90 * s, []time.Duration{90 * s, 0}, Standing{}, ServerDiffers},
		{"all servers agree", 90 * s, []time.Duration{91 * s, 88 * s}, Standing{}, DatabaseDiffers},
		{"all of two", -90 * s, []time.Duration{-90 * s}, Standing{}, DatabaseDiffers},
		{"as far as clocks agree", 90 * s, []time.Duration{92 * s}, Standing{}, DatabaseDiffers},
		{"and no further", 90 * s, []time.Duration{92*s + 1}, Standing{}, ServerDiffers},
		{"the other one has stopped", 90 * s, nil, odd, DatabaseDiffers},
		{"and then this clock changed", 100 * s, nil, odd, ServerDiffers},
		{"or another came that does not agree", 90 * s, []time.Duration{0}, odd, ServerDiffers},
		{"the database's was put right", 0, nil, odd, Agree},
		{"this one's was wrong before, and is alone", 90 * s, nil, Standing{ServerDiffers, 90 * s}, ServerDiffers},
	}
	for _, tt := range tests {
		got := Judge(tt.ahead, tt.others, tt.before)
		if want := (Standing{tt.want, tt.ahead}); got != want {
			t.Errorf("%s: Judge(%s, %v, %+v) = %+v, want %+v", tt.fact, tt.ahead, tt.others, tt.before, got, want)
		}
	}
}

func TestTimeDoesNotGoBackAndForth(t *testing.T) {
	t.Parallel()
	const s = time.Second
	for _, tt := range []struct {
		fact    string
		verdict Verdict
		ahead   time.Duration
		before  time.Duration
		want    time.Duration
	}{
		{"no clock is wrong", Agree, s, 0, 0},
		{"this one is", ServerDiffers, 90 * s, 0, 90 * s},
		{"behind", ServerDiffers, -90 * s, 0, -90 * s},
		{"measured a little otherwise", ServerDiffers, 91 * s, 90 * s, 90 * s},
		{"and really otherwise", ServerDiffers, 91*s + 1, 90 * s, 91*s + 1},
		{"put right", Agree, 0, 90 * s, 0},
		{"the database's", DatabaseDiffers, 90 * s, 0, 0},
		{"not this one's after all", DatabaseDiffers, 90 * s, 90 * s, 0},
	} {
		if got := (Standing{tt.verdict, tt.ahead}).correct(tt.before); got != tt.want {
			t.Errorf("%s: correct(%s) of %s by %s = %s, want %s", tt.fact, tt.before, tt.verdict, tt.ahead, got, tt.want)
		}
	}
}

// A round trip is part of every measurement: what it may have taken is no difference.
func TestARoundTripIsNoDifference(t *testing.T) {
	t.Parallel()
	theirs := time.Date(2026, 11, 20, 18, 0, 0, 0, time.UTC)
	const s = time.Second
	for _, tt := range []struct {
		fact          string
		before, after time.Duration // this clock's, since theirs
		want          time.Duration
	}{
		{"at once", 0, 0, 0},
		{"a slow trip", -5 * s, 5 * s, 0},
		{"a slow answer", 0, 10 * s, 0},
		{"a slow question", -10 * s, 0, 0},
		{"ahead, however long it took", 90 * s, 95 * s, 90 * s},
		{"ahead at least", s, 30 * s, s},
		{"behind", -95 * s, -90 * s, -90 * s},
		{"behind at least", -30 * s, -s, -s},
	} {
		if got := difference(theirs.Add(tt.before), theirs, theirs.Add(tt.after)); got != tt.want {
			t.Errorf("%s: difference = %s, want %s", tt.fact, got, tt.want)
		}
	}
}
