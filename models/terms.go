package models

import (
	"fmt"
	"time"
)

// terms are what decides whether a cancellation may be taken or sent, and how.
type terms struct {
	pause  *Pause // nil: there is none
	window Window
	waits  Waits
}

// terms reads the terms as they are committed. Whatever this process still has
// in its memory, none of them changes until the transaction ends.
func (s *Cancellations) terms(t tx, now time.Time) (terms, error) {
	if err := t.lockShared(LockSending); err != nil {
		return terms{}, fmt.Errorf("share the lock of sending: %w", err)
	}
	pause, err := openPause(t.DB)
	if err != nil {
		return terms{}, err
	}
	versions, err := readVersions(t.DB)
	if err != nil {
		return terms{}, err
	}
	schedule := s.first.with(versions, nil)
	return terms{pause: pause, window: s.windowBy(schedule, now), waits: s.waitsBy(schedule, now)}, nil
}

// stopSending has every request and attempt that comes wait for the transaction.
func (t tx) stopSending() error {
	if err := t.lock(LockSending); err != nil {
		return fmt.Errorf("take the lock of sending: %w", err)
	}
	return nil
}

// windowBy is the window by a schedule, with what is known of the service's clock.
func (s *Cancellations) windowBy(schedule *Schedule, now time.Time) Window {
	return Window{Calendar: schedule.Calendar(), Margin: schedule.times(now).Margin, Ahead: s.ahead}
}

func (s *Cancellations) waitsBy(schedule *Schedule, now time.Time) Waits {
	r := schedule.times(now)
	return Waits{Answer: r.Answer, Result: r.Result, Quiet: r.Quiet, AckMeansCanceled: s.ackMeansCanceled}
}

// Window returns the rule that decides what can still be canceled, at most
// scheduleAge old: what is taken or sent is decided by terms.
func (s *Cancellations) Window() Window { return s.windowBy(s.Schedule(), s.clock.Now()) }

// Waits returns the times after which something is done about silence, at most
// scheduleAge old.
func (s *Cancellations) Waits() Waits { return s.waitsBy(s.Schedule(), s.clock.Now()) }
