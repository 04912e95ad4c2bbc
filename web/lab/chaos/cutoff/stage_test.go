package cutoff

import (
	"runtime"
	"strings"
	"sync"
	"time"

	"veinte/models"
)

// stage is the virtual time that the parts of one schedule share. It stands
// still while anybody is at work on it and moves, at once, to the next instant
// for which somebody waits when all do. One act is played at a time; what is due
// meanwhile begins late. So no delay takes real time, and what
// two parts do at one instant happens at exactly that instant.
type stage struct {
	mu       sync.Mutex
	resolved *sync.Cond
	now      time.Time
	working  int // goroutines at work, those that wait aside
	playing  int // acts begun and not ended
	acts     []act
	waiting  []waiter
	lapse    func() time.Duration // passes before somebody is told the time; nil: nothing
}

// act is something that begins at an instant.
type act struct {
	at  time.Time
	run func()
}

// waiter is somebody for whom time passes.
type waiter struct {
	until time.Time
	wake  chan struct{}
}

var _ models.Clock = (*stage)(nil)

func newStage(begins time.Time) *stage {
	s := &stage{now: begins}
	s.resolved = sync.NewCond(&s.mu)
	return s
}

// Now is the clock of the parts. A process may be stopped, or be slow, before
// every look at it: that is where a schedule lets time lapse.
func (s *stage) Now() time.Time {
	s.mu.Lock()
	lapse := s.lapse
	s.mu.Unlock()
	if lapse != nil && !afterWrite() {
		s.pass(lapse())
	}
	return s.peek()
}

// afterWrite reports whether the clock is looked at because bytes have just left. What
// lapses then lies between them and the judge, who reads the same clock when they come.
func afterWrite() bool {
	pc, _, _, _ := runtime.Caller(2)
	return strings.HasSuffix(runtime.FuncForPC(pc).Name(), "cancelapi.(*wire).Write")
}

// peek is the time as the judge reads it: nothing lapses.
func (s *stage) peek() time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.now
}

// letLapse sets what passes before each look at the clock.
func (s *stage) letLapse(lapse func() time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lapse = lapse
}

// at has something begin at an instant; one that is past means now.
func (s *stage) at(instant time.Time, run func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.acts = append(s.acts, act{instant, run})
	s.resolved.Broadcast()
}

// pass lets time go by for the caller, who is at work on the stage or on whose
// answer somebody at work waits.
func (s *stage) pass(d time.Duration) {
	if d <= 0 {
		return
	}
	s.mu.Lock()
	w := waiter{s.now.Add(d), make(chan struct{})}
	s.waiting = append(s.waiting, w)
	s.working--
	s.resolved.Broadcast()
	s.mu.Unlock()
	<-w.wake
}

// play moves the time until nothing is left to begin before the end and all that
// began has ended.
func (s *stage) play(end time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for {
		next, ok := s.next(end)
		switch {
		case s.working > 0, !ok && s.playing > 0:
			s.resolved.Wait()
			continue
		case !ok:
			return
		}
		if next.After(s.now) {
			s.now = next
		}
		s.wakeDue()
		s.beginDue(end)
	}
}

// next is the earliest instant for which somebody waits or an act may begin.
func (s *stage) next(end time.Time) (next time.Time, ok bool) {
	for _, w := range s.waiting {
		if !ok || w.until.Before(next) {
			next, ok = w.until, true
		}
	}
	if s.playing > 0 {
		return next, ok
	}
	for _, a := range s.acts {
		if !a.at.After(end) && (!ok || a.at.Before(next)) {
			next, ok = a.at, true
		}
	}
	return next, ok
}

func (s *stage) wakeDue() {
	var still []waiter
	for _, w := range s.waiting {
		if w.until.After(s.now) {
			still = append(still, w)
			continue
		}
		s.working++
		close(w.wake)
	}
	s.waiting = still
}

// beginDue begins the earliest of what is due.
func (s *stage) beginDue(end time.Time) {
	first := -1
	for i, a := range s.acts {
		if !a.at.After(s.now) && !a.at.After(end) && (first < 0 || a.at.Before(s.acts[first].at)) {
			first = i
		}
	}
	if first < 0 || s.playing > 0 {
		return
	}
	run := s.acts[first].run
	s.acts = append(s.acts[:first], s.acts[first+1:]...)
	s.working++
	s.playing++
	go func() {
		defer s.ended()
		run()
	}()
}

func (s *stage) ended() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.working--
	s.playing--
	s.resolved.Broadcast()
}
