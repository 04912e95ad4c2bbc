package cutoff

import (
	"errors"
	"fmt"
	"time"
)

// schedule plays one evening: a few clicks between 19:58:00 and 20:00:30, by a
// clock that differs from the service's, with delays at every point where the
// parts look at the time. One act at a time, so that nothing but the schedule
// moves the clock between the gate's look at it and the first byte. Those with a
// negative number leap exactly onto the last instant, or just before it.
func (r *run) schedule(n int) error {
	d := newDraw(r.seed, n)
	zone := zones[0]
	if d.chance(30) {
		zone = oneOf(d, zones...)
	}
	s := &evening{sharp: n < 0}
	t := terms{
		name: fmt.Sprintf("seed %d, schedule %d", r.seed, n), zone: zone, store: oneOf(d, zones...), secure: d.chance(50),
		day: firstDay + date(d.below(int(lastDay-firstDay)+1)), margin: oneOf[time.Duration](d, 5, 5, 5, 5, 0, 1, 30) * time.Second,
		ahead: d.difference(), manner: d.manner,
	}
	if d.chance(50) || s.sharp {
		t.tokens = func(fresh bool) (time.Duration, error) {
			s.hold(false)
			return d.token(fresh)
		}
	}
	var err error
	if s.world, err = r.newWorld(d, t); err != nil {
		return err
	}
	s.wire()
	if err = s.set(); err == nil {
		s.play(s.cutoff.Add(100 * time.Second))
	}
	s.service.close()
	if err == nil {
		err = s.audit()
	}
	for _, broken := range s.judge.broken {
		s.fault("%s", broken)
	}
	r.tally(func(f *figures) { f.played++ })
	return err
}

// difference is how far the service's clock is ahead.
func (d *draw) difference() time.Duration {
	switch d.below(5) {
	case 0:
		return d.span(-time.Second, time.Second)
	case 1:
		return oneOf[time.Duration](d, -120, 120, 0) * time.Second
	default:
		return d.span(-120*time.Second, 120*time.Second)
	}
}

// manner is how the service treats a connection: mostly well.
func (d *draw) manner() manner {
	m := manner{
		shake: d.slowness(20 * time.Second), breakOff: d.chance(12), transit: d.slowness(2 * time.Second),
		trip: d.slowness(9 * time.Second), dated: oneOf(d, 0, 50, 100), undated: d.chance(5),
	}
	if d.chance(8) {
		m.trip = d.span(11*time.Second, 28*time.Second)
	}
	switch n := d.below(100); {
	case n < 75:
		m.answer = answerSent
	case n < 80:
		m.answer = answerNoTerminal
	case n < 92:
		m.answer = answerInvalidToken
	case n < 96:
		m.answer = answerDown
	}
	return m
}

// token is how long one takes, or that there is none.
func (d *draw) token(fresh bool) (time.Duration, error) {
	if d.chance(3) {
		return d.slowness(5 * time.Second), errors.New("no token")
	}
	took := d.slowness(20 * time.Second)
	if fresh { // asked for over the network
		took = max(took, time.Millisecond)
	}
	return took, nil
}
