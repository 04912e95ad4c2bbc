package cutoff

import (
	"fmt"
	"sync"
	"time"
)

// quickAnswer is how long a round trip may take for its Date to tell the
// difference of the clocks. Of a slower one counts only what it disproves.
const quickAnswer = 10 * time.Second

// judge holds what arrives at the service against the cut-off. It knows the true
// difference of the clocks, and how much of it our side has been told.
type judge struct {
	cutoff time.Time // by the table, of the sales on trial
	margin time.Duration

	mu      sync.Mutex
	ahead   time.Duration // the service's clock is ahead of ours, in truth
	lessons []lesson
	bytes   []firstByte
	broken  []string
	figures Wire
}

// lesson is what our side can have learned by an instant of the difference: it
// is at least this.
type lesson struct {
	at    time.Time
	ahead time.Duration
}

// firstByte is the arrival of a request.
type firstByte struct {
	at      time.Time // by our clock
	order   string
	attempt string // the attempt id it carried
}

// Wire are the figures of what arrived, or did not.
type Wire struct {
	FirstBytes  int `json:"firstBytes"`  // of cancellations
	Measured    int `json:"measured"`    // of them: when the difference of the clocks had been told
	Inquiries   int `json:"inquiries"`   // of which the hour is no matter
	Tokens      int `json:"tokens"`      // asked for over the network
	Silent      int `json:"silent"`      // connections that were closed without a byte: the gate on the wire
	NotShaken   int `json:"notShaken"`   // handshakes that the service broke off
	ClosestOurs int `json:"closestOurs"` // least time before the cut-off less margin, by our clock, in microseconds
	ClosestBoth int `json:"closestBoth"` // the same with the difference that had been told added
	// What nobody could know: the service's own clock was past the cut-off.
	UntoldFirst int `json:"untoldFirst"` // nothing had been measured yet
	UntoldGrown int `json:"untoldGrown"` // the difference had grown by more than the margin since
}

const unreached = 1 << 40 // more microseconds than a schedule has

func newJudge(cutoff time.Time, margin, ahead time.Duration) *judge {
	return &judge{cutoff: cutoff, margin: margin, ahead: ahead, figures: Wire{ClosestOurs: unreached, ClosestBoth: unreached}}
}

// theirs is the service's clock when ours shows an instant.
func (j *judge) theirs(ours time.Time) time.Time {
	j.mu.Lock()
	defer j.mu.Unlock()
	return ours.Add(j.ahead)
}

// drift makes the difference another.
func (j *judge) drift(by time.Duration) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.ahead += by
}

// arrived judges the first byte of a cancellation. transit is how long it is
// under way: the service reads it that much later.
func (j *judge) arrived(b firstByte, transit time.Duration) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.bytes = append(j.bytes, b)
	j.figures.FirstBytes++
	told, measured := j.told(b.at)
	if measured {
		j.figures.Measured++
	}
	bound := j.cutoff.Add(-j.margin)
	ours, both := bound.Sub(b.at), bound.Sub(b.at.Add(told))
	if ours <= 0 {
		j.fault("first byte of %s at %s by our clock, %s after the cut-off less margin", b.order, stamp(b.at), -ours)
	}
	if both <= 0 {
		j.fault("first byte of %s at %s with the %s that the service was known to be ahead, %s after the cut-off less margin",
			b.order, stamp(b.at.Add(told)), told, -both)
	}
	j.figures.ClosestOurs = min(j.figures.ClosestOurs, int(ours.Microseconds()))
	j.figures.ClosestBoth = min(j.figures.ClosestBoth, int(both.Microseconds()))

	past := !b.at.Add(j.ahead + transit).Before(j.cutoff)
	switch untold := j.ahead - told + transit; {
	case past && untold <= j.margin:
		j.fault("the service read the first byte of %s at %s by its own clock, after the cut-off, with %s that the margin should have covered",
			b.order, stamp(b.at.Add(j.ahead+transit)), untold)
	case past && measured:
		j.figures.UntoldGrown++
	case past:
		j.figures.UntoldFirst++
	}
}

// told is how far ahead our side must take the service to be, by what reached it
// before an instant; of what reaches it at that very instant, it may know or not
// know. A service that is behind gains it nothing.
func (j *judge) told(at time.Time) (ahead time.Duration, measured bool) {
	for _, l := range j.lessons {
		switch {
		case l.at.Before(at):
			ahead, measured = l.ahead, true
		case l.at.Equal(at):
			ahead = min(ahead, l.ahead)
		}
	}
	return max(ahead, 0), measured
}

// answered notes an answer that went out whole: the request came at one instant
// by our clock, the answer at another, and it was dated in between, when the
// service was ahead by so much.
func (j *judge) answered(came, went, dated time.Time, ahead time.Duration) {
	j.mu.Lock()
	defer j.mu.Unlock()
	learned := ahead
	if went.Sub(came) > quickAnswer {
		before := time.Duration(0)
		if n := len(j.lessons); n > 0 {
			before = j.lessons[n-1].ahead
		}
		// The service was ahead by no less than its Date, in whole seconds, is
		// ahead of the instant at which it reached us.
		proven := dated.Add(ahead).Truncate(time.Second).Sub(went)
		learned = max(proven, min(before, ahead))
	}
	j.lessons = append(j.lessons, lesson{went, learned})
}

func (j *judge) fault(format string, args ...any) {
	j.broken = append(j.broken, fmt.Sprintf(format, args...))
}

// count adds to a figure.
func (j *judge) count(figure *int) {
	j.mu.Lock()
	defer j.mu.Unlock()
	*figure++
}

// late reports whether an instant by our clock is at or past the bound, with what
// our side had been told.
func (j *judge) late(at time.Time) bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	told, _ := j.told(at)
	return !at.Add(told).Before(j.cutoff.Add(-j.margin))
}

// toldBy is told for those who do not judge.
func (j *judge) toldBy(at time.Time) (time.Duration, bool) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.told(at)
}
