package cutoff

import (
	"fmt"
	"sync"
	"time"
)

// quickAnswer is how long a round trip may take for its Date to tell the
// difference of the clocks. Of a slower one counts only what it disproves.
const quickAnswer = 10 * time.Second

// judge compares what arrives at the service with the cut-off. It knows the true
// difference of the clocks, and how much of it our side could learn.
type judge struct {
	cutoff time.Time // by the table, of the sales on trial
	margin time.Duration

	mu      sync.Mutex
	ahead   time.Duration // the service's clock is ahead of ours, in truth
	lessons []lesson
	bytes   []firstByte
	broken  []string
	figures *figures
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
	FirstBytes  int // of cancellations
	Measured    int // of them: when the difference of the clocks was known
	Inquiries   int // of which the hour is no matter
	Tokens      int // asked for over the network
	Silent      int // connections that were closed without a byte: the gate on the wire
	NotShaken   int // handshakes that the service broke off
	ClosestOurs int // least time before the cut-off less margin, by our clock, in microseconds
	ClosestBoth int // the same with the known difference added
}

const unreached = 1 << 40 // more microseconds than a schedule has

func newJudge(f *figures, cutoff time.Time, margin, ahead time.Duration) *judge {
	return &judge{figures: f, cutoff: cutoff, margin: margin, ahead: ahead}
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
	known, measured := j.known(b.at)
	bound := j.cutoff.Add(-j.margin)
	ours, both := bound.Sub(b.at), bound.Sub(b.at.Add(known))
	if ours <= 0 {
		j.fault("first byte of %s at %s by our clock, %s after the cut-off less margin", b.order, stamp(b.at), -ours)
	}
	if both <= 0 {
		j.fault("first byte of %s at %s with the %s that the service was known to be ahead, %s after the cut-off less margin",
			b.order, stamp(b.at.Add(known)), known, -both)
	}
	j.figures.tally(func(f *figures) {
		f.wire.FirstBytes++
		if measured {
			f.wire.Measured++
		}
		f.wire.ClosestOurs = min(f.wire.ClosestOurs, int(ours.Microseconds()))
		f.wire.ClosestBoth = min(f.wire.ClosestBoth, int(both.Microseconds()))
	})

	past := !b.at.Add(j.ahead + transit).Before(j.cutoff)
	if unknown := j.ahead - known + transit; past && unknown <= j.margin {
		j.fault("the service read the first byte of %s at %s by its own clock, after the cut-off, with %s that the margin should have covered",
			b.order, stamp(b.at.Add(j.ahead+transit)), unknown)
	}
}

// known is how far ahead our side must assume the service to be, from what it
// received before an instant; what it receives at that very instant may count or
// not. An instant is a microsecond here: the books keep no less. A service that is
// behind gives it no extra time.
func (j *judge) known(at time.Time) (ahead time.Duration, measured bool) {
	at = at.Truncate(time.Microsecond)
	for _, l := range j.lessons {
		switch learned := l.at.Truncate(time.Microsecond); {
		case learned.Before(at):
			ahead, measured = l.ahead, true
		case learned.Equal(at):
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

// late reports whether an instant by our clock is at or past the bound, with what
// our side knew.
func (j *judge) late(at time.Time) bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	known, _ := j.known(at)
	return !at.Add(known).Before(j.cutoff.Add(-j.margin))
}
