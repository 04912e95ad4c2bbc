package operations

import (
	"context"
	"time"

	"veinte/models/database"
)

const (
	// awayBeat is how often it is asked whether the database is there.
	awayBeat = 2 * time.Second
	// AwayTime is how long it may be away before requests are better sent elsewhere: pages
	// say what is out, and a restart or a failover is over sooner.
	AwayTime = 10 * time.Second
)

// Away is an Outage when the database has been away for AwayTime; see Watch.
func (s *Service) Away() error {
	if since := s.away.Load(); since != nil && time.Since(*since) >= AwayTime {
		return database.OutageDatabase
	}
	return nil
}

// Watch notes since when the database is away, until ctx ends.
func (s *Service) Watch(ctx context.Context) {
	ticker := time.NewTicker(awayBeat)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		asked := time.Now()
		switch out := database.OutageOf(s.db.Ready(ctx)); {
		// Busy is also what a database looks like that has stopped answering.
		case out != database.OutageDatabase && out != database.OutageBusy:
			s.away.Store(nil)
		case s.away.Load() == nil:
			s.away.Store(&asked)
		}
	}
}
