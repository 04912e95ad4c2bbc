package models

import (
	"fmt"
	"log/slog"
	"time"
)

// inForce are the rules as they hold. It knows nothing of the life of a
// cancellation, which goes by them.
type inForce struct {
	db    *DB
	clock Clock
	log   *slog.Logger
	// first are the rules until a version says otherwise.
	first *Schedule
	rules board[*Schedule]
	// ahead is what is possible of the service's clock, ackMeansCanceled the
	// merchant's word: both are no rules.
	ahead            func() time.Duration
	ackMeansCanceled bool
}

// Waits are the times after which something is done about silence.
type Waits struct {
	Answer time.Duration // for the service's acknowledgement (CANCEL_TIMEOUT)
	Result time.Duration // for the terminal's result after it (RESULT_WAIT)
	Quiet  time.Duration // after a push, how long the terminal may still act on it (QUIET_TIME)
	// AckMeansCanceled is the merchant's word that an acknowledgement is
	// enough, where no terminal posts results (CANCEL_ACK_MEANS).
	AckMeansCanceled bool
}

// terms are what decides whether a cancellation may be taken or sent, and how.
type terms struct {
	pause  *Pause // nil: there is none
	window Window
	waits  Waits
}

// terms reads the terms as they are committed. Whatever this process still has
// in its memory, none of them changes until the transaction ends.
func (s *inForce) terms(t tx, now time.Time) (terms, error) {
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
func (s *inForce) windowBy(schedule *Schedule, now time.Time) Window {
	return Window{Calendar: schedule.Calendar(), Margin: schedule.times(now).Margin, Ahead: s.ahead}
}

func (s *inForce) waitsBy(schedule *Schedule, now time.Time) Waits {
	r := schedule.times(now)
	return Waits{Answer: r.Answer, Result: r.Result, Quiet: r.Quiet, AckMeansCanceled: s.ackMeansCanceled}
}

// Window returns the rule that decides what can still be canceled, at most
// scheduleAge old: what is taken or sent is decided by terms.
func (s *inForce) Window() Window { return s.windowBy(s.Schedule(), s.clock.Now()) }

// Waits returns the times after which something is done about silence, at most
// scheduleAge old.
func (s *inForce) Waits() Waits { return s.waitsBy(s.Schedule(), s.clock.Now()) }
