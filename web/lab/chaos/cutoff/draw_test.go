package cutoff

import (
	"math/rand/v2"
	"sync"
	"time"
)

// draw is the chance of one schedule: all of it comes from the seed and the
// schedule's number. Several goroutines may draw.
type draw struct {
	mu  sync.Mutex
	rng *rand.Rand
}

func newDraw(seed uint64, number int) *draw {
	return &draw{rng: rand.New(rand.NewPCG(seed, uint64(number)))}
}

// chance is true in so many of a hundred cases.
func (d *draw) chance(percent int) bool { return d.below(100) < percent }

func (d *draw) below(n int) int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.rng.IntN(n)
}

// span is a duration between two, both included.
func (d *draw) span(from, to time.Duration) time.Duration {
	d.mu.Lock()
	defer d.mu.Unlock()
	return from + time.Duration(d.rng.Int64N(int64(to-from)+1))
}

// slowness is a delay as they are: mostly none or short, now and then very long.
func (d *draw) slowness(most time.Duration) time.Duration {
	switch n := d.below(10); {
	case n < 4:
		return 0
	case n < 7:
		return d.span(0, most/100)
	case n < 9:
		return d.span(0, most/10)
	default:
		return d.span(0, most)
	}
}

// oneOf picks one of several, all as likely.
func oneOf[T any](d *draw, of ...T) T { return of[d.below(len(of))] }
