package rules

import (
	"fmt"
	"log/slog"
	"time"

	"veinte/models"
	"veinte/models/database"
)

// Service reads and changes the rules. It does not know the states of a
// cancellation.
type Service struct {
	db    *database.DB
	clock models.Clock
	log   *slog.Logger
	// first is used until there is a version.
	first *Schedule
	rules database.Cache[*Schedule]
	// ahead is how far the service's clock may be ahead, ackMeansCanceled the
	// merchant's configuration. Both are settings of the server and not part of
	// the rules.
	ahead            func() time.Duration
	ackMeansCanceled bool
}

// New returns a Service. window and waits hold until a version in the database
// replaces them; the zone, Ahead and AckMeansCanceled are never replaced.
func New(db *database.DB, clock models.Clock, log *slog.Logger, window models.Window, waits models.Waits) *Service {
	s := &Service{
		db: db, clock: clock, log: log,
		first: firstSchedule(window, waits), ahead: window.Ahead, ackMeansCanceled: waits.AckMeansCanceled,
	}
	s.rules.Value = s.first
	return s
}

// Terms decide whether and how a cancellation may be accepted or sent.
type Terms struct {
	Pause  *Pause // nil: there is none
	Window models.Window
	Waits  models.Waits
}

// Terms reads the committed terms from the database, not from this process's cache.
// They cannot change until the transaction ends.
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

// StopSending makes every new request and attempt wait for the transaction.
func StopSending(t database.Tx) error {
	if err := t.Lock(database.LockSending); err != nil {
		return fmt.Errorf("take the lock of sending: %w", err)
	}
	return nil
}

// windowBy returns the window of a schedule, with the known offset of the service's
// clock.
func (s *Service) windowBy(schedule *Schedule, now time.Time) models.Window {
	return models.Window{Calendar: schedule.Calendar(), Margin: schedule.times(now).Margin, Ahead: s.ahead}
}

func (s *Service) waitsBy(schedule *Schedule, now time.Time) models.Waits {
	r := schedule.times(now)
	return models.Waits{Answer: r.Answer, Result: r.Result, Quiet: r.Quiet, AckMeansCanceled: s.ackMeansCanceled}
}

// Window returns the rule that decides what can still be canceled, at most
// scheduleAge old. Accepting and sending use Terms instead.
func (s *Service) Window() models.Window { return s.windowBy(s.Schedule(), s.clock.Now()) }

// Waits returns the timeouts, at most scheduleAge old.
func (s *Service) Waits() models.Waits { return s.waitsBy(s.Schedule(), s.clock.Now()) }
