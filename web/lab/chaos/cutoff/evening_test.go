package cutoff

import (
	"sync"
	"time"
)

// evening is the plan of a schedule.
type evening struct {
	*world
	sharp bool // the clock leaps exactly onto the last instant, or just before it, when the gate is about to look

	mu   sync.Mutex
	held bool // from a first byte to the next connection or token: only the service lets time pass
}

// wire ties the evening's chances to the parts.
func (s *evening) wire() {
	s.late = func() time.Duration { return s.slowness(10 * time.Second) }
	s.lapses = s.lapsesFor
	s.service.accepting = func() { s.hold(false) }
	s.service.arriving = func() { s.hold(true) }
	s.service.acked = func(o wanted) {
		if s.chance(60) {
			s.at(s.peek().Add(s.span(time.Second, 20*time.Second)), func() { s.result(o) })
		}
	}
}

// early is how long before 19:58:00 the clock is left alone.
const early = 5 * time.Minute

// set plans the sales and the clicks.
func (s *evening) set() error {
	var serials []string
	for range 1 + s.below(2) {
		serial, err := s.run.office.terminal(s.run.ctx, s.storeID)
		if err != nil {
			return err
		}
		serials = append(serials, serial)
	}
	open := s.cutoff.Add(-2 * time.Minute) // 19:58:00
	if s.chance(70) {
		// Somebody has canceled earlier, so the difference is known.
		s.plan(serials[0], 0, s.cutoff.Add(-s.span(2*time.Hour, 5*time.Hour)), open.Add(-s.span(early, time.Hour)))
	}
	for i := range 1 + s.below(4) {
		click := open.Add(s.span(0, oneOf[time.Duration](s.draw, 100, 115, 150)*time.Second)) // to 20:00:30 at the latest
		sold := s.cutoff.Add(-s.span(5*time.Minute, 17*time.Hour))
		switch n := s.below(20); {
		case n == 0 && click.After(s.cutoff):
			sold = s.cutoff.Add(s.span(0, click.Sub(s.cutoff))) // never in time
		case n == 1:
			sold = s.begins.Add(-s.span(time.Microsecond, 20*time.Minute)) // of yesterday
		}
		s.plan(oneOf(s.draw, serials...), i+1, sold, click)
		if s.chance(30) {
			s.at(click.Add(s.span(-time.Minute, time.Minute)), func() { s.judge.drift(s.span(-8*time.Second, 8*time.Second)) })
		}
	}
	return nil
}

// plan has a terminal sell something at an instant, and its cancellation be
// asked for at another.
func (s *evening) plan(serial string, n int, sold, click time.Time) {
	sale := &sale{order: orderNumber(serial, n), serial: serial, amount: 125000}
	s.at(sold, func() { s.sell(sale) })
	s.at(click, func() { s.click(sale) })
	if s.chance(15) { // and once more
		s.at(click.Add(s.slowness(time.Minute)), func() { s.click(sale) })
	}
}

// lapsesFor draws what passes before each look at the clock while a sale's
// cancellation is asked for or sent: nothing, a little each time, or once a leap
// to the neighbourhood of the last instant, to either side of it.
func (s *evening) lapsesFor(of *sale) func() time.Duration {
	s.hold(false)
	if s.peek().Before(s.cutoff.Add(-2*time.Minute - early/2)) {
		return nil
	}
	if s.sharp {
		// What is left is also the time for writing: with a nanosecond nothing arrives.
		return s.leap(of, gateLook, oneOf(s.draw, 0, 0, 1, -1, -20*time.Millisecond, -40*time.Millisecond))
	}
	switch n := s.below(100); {
	case n < 20:
		return nil
	case n < 40:
		return func() time.Duration {
			if s.holding() || !s.chance(30) {
				return 0
			}
			return s.slowness(30 * time.Second)
		}
	}
	look := oneOf(s.draw, 1, 2, 3, 4, 5, 6, gateLook, gateLook, 8, 8, 9)
	beside := oneOf(s.draw, 0, 1, -1, s.span(-3*time.Millisecond, 3*time.Millisecond), s.span(-50*time.Millisecond, 50*time.Millisecond),
		s.span(-50*time.Millisecond, 0), s.span(-5*time.Second, time.Second))
	return s.leap(of, look, beside)
}

// gateLook is the number of the last check's clock read, counted from when a job
// takes the cancellation, if the token is cached; one later if it must be fetched.
const gateLook = 7

// leap lets time pass once, before the n-th clock read, to a point near the window's
// close.
func (s *evening) leap(of *sale, n int, beside time.Duration) func() time.Duration {
	look := 0
	return func() time.Duration {
		if s.holding() {
			return 0
		}
		if look++; look != n {
			return 0
		}
		// The window is asked only in order to come close to it.
		return s.window.DayCloses(of.soldAt).Add(beside).Sub(s.peek())
	}
}

func (s *evening) hold(held bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.held = held
}

func (s *evening) holding() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.held
}
