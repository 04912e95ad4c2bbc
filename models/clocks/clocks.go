package clocks

import (
	"context"
	"crypto/rand"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"veinte/models"
	"veinte/models/crashpoint"
	"veinte/models/database"
)

const (
	measureEvery = 5 * time.Second
	measureTime  = 10 * time.Second // after which a measurement is given up
	// quickTrip is a round trip to the database that is exact enough; otherwise it is
	// made again, up to maxTrips times, and the quickest counts.
	quickTrip = 100 * time.Millisecond
	maxTrips  = 3
)

// HandedBack is how soon work is tried again that this server leaves to the others. It
// may find it again.
const HandedBack = 2 * time.Second

// Service is the clock of this server. A nil one never differs.
type Service struct {
	db    *database.DB
	clock models.Clock
	log   *slog.Logger
	id    string // of this process, among those that measure
	state atomic.Pointer[state]

	measuring sync.Mutex
	before    *reading // of the last measurement; nil before the first
	jump      *jump    // that is not in the trail yet; nil for none
}

// state is what the last measurement came to.
type state struct {
	Standing
	correction time.Duration
}

var _ models.Clock = (*Service)(nil)

// New makes the service of a server whose own clock is given.
func New(db *database.DB, clock models.Clock, log *slog.Logger) *Service {
	s := &Service{db: db, clock: clock, log: log, id: rand.Text()}
	s.state.Store(&state{})
	return s
}

// Now is the time by which everything goes: the server's own, or while that is wrong the
// database's.
func (s *Service) Now() time.Time { return s.own().Add(-s.state.Load().correction) }

// own is what the server's own clock shows.
func (s *Service) own() time.Time { return s.clock.Now().Add(crashpoint.ClockError) }

// Shift is how far the clock is from the real one on purpose.
func (s *Service) Shift() time.Duration {
	if shifted, ok := s.clock.(interface{ Shift() time.Duration }); ok {
		return shifted.Shift()
	}
	return 0
}

// Standing returns how the server's clock stood when it was last measured.
func (s *Service) Standing() Standing {
	if s == nil {
		return Standing{}
	}
	return s.state.Load().Standing
}

// Differs reports whether this server's clock is wrong: then it leaves to the others
// what goes by the clock and cannot be undone.
func (s *Service) Differs() bool { return s.Standing().Verdict == ServerDiffers }

// Early is how much sooner than others this server stops sending.
func (s *Service) Early() time.Duration { return s.Standing().Early() }

// Leaves returns how soon work is looked at again that this server leaves to the others,
// because its clock is wrong and the window closes so soon, or has closed. Zero: it need
// not be left.
func (s *Service) Leaves(closesIn time.Duration) time.Duration {
	if !s.Differs() || closesIn > s.Early() {
		return 0
	}
	return HandedBack
}

// Run measures until ctx ends. What cannot be measured stays as it was.
func (s *Service) Run(ctx context.Context) {
	ticker := time.NewTicker(measureEvery)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		if err := s.Measure(ctx); err != nil && ctx.Err() == nil {
			s.log.DebugContext(ctx, "the clocks are not compared", "error", err)
		}
	}
}

// Measure compares the clocks once, and says so in the log when it comes to something
// else than before.
func (s *Service) Measure(ctx context.Context) error {
	if crashpoint.ClockBlind {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, measureTime)
	defer cancel()
	s.measuring.Lock()
	defer s.measuring.Unlock()
	ahead, theirs, err := s.ahead(ctx)
	if err != nil {
		return err
	}
	others, err := s.others(ctx, ahead)
	if err != nil {
		return err
	}
	before := s.state.Load()
	now := Judge(ahead, others, before.Standing)
	s.state.Store(&state{now, now.correct(before.correction)})
	if now.Verdict != before.Verdict {
		s.say(ctx, now)
	}
	return s.tellJump(ctx, theirs)
}

// ahead measures how far the server's clock is ahead of the database's and the offset,
// and returns what that one showed.
func (s *Service) ahead(ctx context.Context) (ahead time.Duration, theirs time.Time, err error) {
	quickest := time.Duration(-1)
	for range maxTrips {
		before, began := s.own(), time.Now()
		err := s.db.Pool().QueryRow(ctx, `SELECT clock_timestamp() + coalesce((SELECT clock_offset FROM installation), '0')`).Scan(&theirs)
		trip, after := time.Since(began), s.own()
		if err != nil {
			return 0, theirs, fmt.Errorf("read the database's clock: %w", err)
		}
		if quickest < 0 || trip < quickest {
			quickest, ahead = trip, difference(before, theirs, after)
		}
		if quickest <= quickTrip {
			break
		}
	}
	return ahead, theirs, nil
}

// others tells the other servers how far this one is ahead, and returns how far they
// are that told it within half a minute, by the database's clock.
func (s *Service) others(ctx context.Context, ahead time.Duration) ([]time.Duration, error) {
	rows, err := database.Rows[struct{ AheadMS int64 }](ctx, s.db.Pool(), `
		WITH gone AS (DELETE FROM server_clocks WHERE seen_at < clock_timestamp() - interval '1 day'),
		own AS (INSERT INTO server_clocks (server, ahead_ms, seen_at) VALUES ($1, $2, clock_timestamp())
			ON CONFLICT (server) DO UPDATE SET ahead_ms = excluded.ahead_ms, seen_at = excluded.seen_at)
		SELECT ahead_ms FROM server_clocks WHERE server <> $1 AND seen_at > clock_timestamp() - interval '30 seconds'`,
		s.id, ahead.Milliseconds())
	if err != nil {
		return nil, fmt.Errorf("compare the clocks of the servers: %w", err)
	}
	others := make([]time.Duration, len(rows))
	for i, r := range rows {
		others[i] = time.Duration(r.AheadMS) * time.Millisecond
	}
	return others, nil
}

// say logs a change.
func (s *Service) say(ctx context.Context, now Standing) {
	switch now.Verdict {
	case ServerDiffers:
		s.log.WarnContext(ctx, "this server's clock differs from the database's: it goes by the database's, stops sending early, "+
			"and leaves expiring and closing days to others", "ahead", now.Ahead, "stopsEarlierBy", now.Early())
	case DatabaseDiffers:
		s.log.WarnContext(ctx, "the database's clock differs from that of all servers, which agree: they go by their own", "ahead", now.Ahead)
	default:
		s.log.InfoContext(ctx, "this server's clock and the database's agree again")
	}
}
