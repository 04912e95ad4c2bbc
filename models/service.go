package models

import (
	"log/slog"
	"sync"
	"sync/atomic"
	"time"
)

// Cancellations is the life of cancellations: what people ask for, what jobs
// carry out, what terminals answer.
type Cancellations struct {
	inForce // the rules

	db        *DB
	queue     Queue
	api       CancelAPI
	inquiries InquiryAPI // nil when the merchant has none
	clock     Clock
	log       *slog.Logger
	// clockAhead is what is certain of the service's clock; nil: nothing is.
	clockAhead func() time.Duration
	// credential reports why there is no key to the service; nil when none is
	// needed or it cannot be known beforehand.
	credential func() error
	notices    board[Notices]
	turns      turns
	testing    sync.Mutex  // held while the connection is tested
	deliveries *Deliveries // nil: nothing is forwarded
	seals      *Seals      // nil: nobody is told how sealing stands
	intakes    intakeGroups
	onPlaced   OnPlaced
	onRecorded OnRecorded
	sweepers   []Sweeper
	exports    atomic.Int64 // of the trail, under way in this process
	readings   readings
	hurry      time.Duration // taken from the budget of a search of the trail; tests starve it
}

// interruptedAfter is how long past its deadline an attempt without an outcome
// is taken for one whose process died.
const interruptedAfter = 10 * time.Second

// CancellationsConfig is what the service is made of.
type CancellationsConfig struct {
	DB        *DB
	Queue     Queue
	API       CancelAPI
	Inquiries InquiryAPI // nil: none
	Clock     Clock
	// Window and Waits are the rules until a version in the database says
	// otherwise. The zone, Ahead and AckMeansCanceled stay as they are here.
	Window Window
	Waits  Waits
	Logger *slog.Logger
	// ClockAhead returns how far the service's clock is ahead of ours beyond
	// doubt, for people to be told; nil: nothing is known. The window goes by what
	// is possible, see Window.Ahead.
	ClockAhead func() time.Duration
	// Credential reports why the key to the service cannot be read; nil: it is
	// not asked.
	Credential func() error
	// Deliveries forwards results and events; nil: nothing is forwarded.
	Deliveries *Deliveries
	// Seals seals the trail; nil: nothing is sealed, and nobody told.
	Seals *Seals
}

// NewCancellations makes the service.
func NewCancellations(c CancellationsConfig) *Cancellations {
	s := &Cancellations{
		db: c.DB, queue: c.Queue, api: c.API, inquiries: c.Inquiries,
		clock: c.Clock, log: c.Logger, credential: c.Credential, clockAhead: c.ClockAhead,
		deliveries: c.Deliveries, seals: c.Seals,
		inForce: inForce{
			db: c.DB, clock: c.Clock, log: c.Logger,
			first: firstSchedule(c.Window, c.Waits), ahead: c.Window.Ahead, ackMeansCanceled: c.Waits.AckMeansCanceled,
		},
	}
	s.rules.known = s.first
	s.wire()
	return s
}

// CanInquire reports whether terminals can be asked for the state of a sale.
func (s *Cancellations) CanInquire() bool { return s.inquiries != nil }
