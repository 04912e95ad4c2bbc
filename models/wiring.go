package models

import "context"

// wire ties together what must not know of each other: who is told by whom, and
// who is swept.
func (s *Cancellations) wire() {
	s.onPlaced, s.onRecorded = s.rereadStrays, s.rereadFor
	s.sweepers = []Sweeper{
		s.sweepOpen, s.interpretPending, s.rereadExplained, s.redispatchIdle, s.reinquireIdle,
		s.sweepImports, s.sweepExports, s.sweepVerifications,
		func(ctx context.Context) error { return s.db.SweepAPI(ctx, s.clock.Now()) },
		func(ctx context.Context) error { return s.db.sweepSessions(ctx, s.clock.Now()) },
	}
}
