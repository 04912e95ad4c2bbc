package rules

import (
	"fmt"
	"log/slog"
	"time"

	"veinte/models"
	"veinte/models/database"
)

// Service are the rules as they hold. It knows nothing of the life of a
// cancellation, which goes by them.
type Service struct {
	db    *database.DB
	clock models.Clock
	log   *slog.Logger
	// first are the rules until a version says otherwise.
	first *Schedule
	rules database.Cache[*Schedule]
	// ahead is what is possible of the service's clock, ackMeansCanceled the
	// merchant's word: both are no rules.
	ahead            func() time.Duration
	ackMeansCanceled bool
}

// New makes the service. window and waits hold until a version in the database
// says otherwise; the zone, Ahead and AckMeansCanceled stay as they are there.
func New(db *database.DB, clock models.Clock, log *slog.Logger, window models.Window, waits models.Waits) *Service {
	s := &Service{
		db: db, clock: clock, log: log,
		first: firstSchedule(window, waits), ahead: window.Ahead, ackMeansCanceled: waits.AckMeansCanceled,
	}
	s.rules.Value = s.first
	return s
}

// Terms are what decides whether a cancellation may be taken or sent, and how.
type Terms struct {
	Pause  *Pause // nil: there is none
	Window models.Window
	Waits  models.Waits
}

// Terms reads the terms as they are committed. Whatever this process still has
// in its memory, none of them changes until the transaction ends.
func (s *Service) Terms(t database.Tx, now time.Time) (Terms, error) {
	if err := t.LockShared(database.LockSending); err != nil {
		return Terms{}, fmt.Errorf("share the lock of sending: %w", err)
	}
	pause, err := OpenPause(t.DB)
	if err != nil {
		return Terms{}, err
	}
	versions, err := readVersions(t.DB)
	if err != nil {
		return Terms{}, err
	}
	schedule := s.first.with(versions, nil)
	return Terms{Pause: pause, Window: s.windowBy(schedule, now), Waits: s.waitsBy(schedule, now)}, nil
}

// StopSending has every request and attempt that comes wait for the transaction.
func StopSending(t database.Tx) error {
	if err := t.Lock(database.LockSending); err != nil {
		return fmt.Errorf("take the lock of sending: %w", err)
	}
	return nil
}

// windowBy is the window by a schedule, with what is known of the service's clock.
func (s *Service) windowBy(schedule *Schedule, now time.Time) models.Window {
	return models.Window{Calendar: schedule.Calendar(), Margin: schedule.times(now).Margin, Ahead: s.ahead}
}

func (s *Service) waitsBy(schedule *Schedule, now time.Time) models.Waits {
	r := schedule.times(now)
	return models.Waits{Answer: r.Answer, Result: r.Result, Quiet: r.Quiet, AckMeansCanceled: s.ackMeansCanceled}
}

// Window returns the rule that decides what can still be canceled, at most
// scheduleAge old: what is taken or sent is decided by terms.
func (s *Service) Window() models.Window { return s.windowBy(s.Schedule(), s.clock.Now()) }

// Waits returns the times after which something is done about silence, at most
// scheduleAge old.
func (s *Service) Waits() models.Waits { return s.waitsBy(s.Schedule(), s.clock.Now()) }
