package operations

import (
	"context"
	"fmt"
	"slices"
	"time"

	"veinte/models"
	"veinte/models/audit/sealing"
	"veinte/models/clocks"
	"veinte/models/database"
	"veinte/models/lineage"
	"veinte/models/rules"
)

// Notices are what every user should know before they rely on the service.
type Notices struct {
	Outage     *database.Outage    // the system is unavailable at the moment; nil when it is available
	Pause      *rules.Pause        // an administrator has paused sending; nil when it is not paused
	Unanswered *Unanswered         // the service does not reply; nil when it does
	Access     *AccessRefused      // the service refuses our access; nil when it does not
	Clock      clocks.Standing     // of this server's own clock and the database's
	Ahead      time.Duration       // of the service's clock over ours; 0 when it may be ignored
	Endpoints  []string            // that were disabled automatically; for users who manage them
	Database   *lineage.Change     // the database is another one, or an older state of itself; nil when it is the one of before
	Unkept     bool                // commits do not wait for a standby although that was promised; for administrators
	Sealing    *sealing.Trouble    // the trail is not sealed as it should be; for users with oversight; nil when it is
	Signing    *sealing.Trouble    // who signs the trail beside us refuses, or has been away for long; for the same; nil when nobody is
	Blocked    map[string]int64    // names that no page shows, with whose they are
	Ended      []models.EndedDoubt // doubts that ended, for whoever asked for the cancellation, see EndedFor
}

// EndedFor returns the doubts of the actor's own cancellations that ended, the latest
// first.
func (n *Notices) EndedFor(actor models.Actor) []models.EndedDoubt {
	var own []models.EndedDoubt
	for i := range n.Ended {
		if n.Ended[i].Tells(actor) {
			own = append(own, n.Ended[i])
		}
	}
	return own
}

// Unanswered states since when the service has not replied.
type Unanswered struct {
	Since time.Time // of the first request of the unbroken series
	Times int       // requests without a reply
	TLS   bool      // the last one came no further than the handshake: most likely a certificate
}

// clockTolerance is the largest difference between the clocks that is not shown.
const clockTolerance = 2 * time.Second

// noticesAge is how old the notices may be: every open page reads them every few
// seconds.
const noticesAge = time.Second

// Notices returns the present notices. A failure to read them is itself a notice.
func (s *Service) Notices(ctx context.Context) Notices {
	return s.notices.Get(noticesAge, func(known Notices) Notices { return s.readNotices(ctx, known) })
}

// readNotices reads the notices. What cannot be read keeps its last known value.
func (s *Service) readNotices(ctx context.Context, known Notices) Notices {
	// The result is for everyone, so it must not be canceled when one user leaves, nor wait
	// for the connections of pages that everyone waits for.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(database.ForAct(database.Alone(ctx))), 2*time.Second)
	defer cancel()
	n := Notices{Clock: s.clocks.Standing(), Ahead: s.clockNotice(), Outage: database.OutageOf(s.Ready(ctx))}
	var err error
	if n.Pause, err = rules.OpenPause(s.db.Gorm().WithContext(ctx)); err != nil {
		n.Pause = known.Pause
	}
	if n.Unanswered, n.Access, err = s.replies(ctx); err != nil {
		n.Unanswered, n.Access = known.Unanswered, known.Access
	}
	if n.Database, err = s.lineage.Latest(ctx); err != nil {
		n.Database = known.Database
	}
	n.Unkept = s.lineage.Unkept()
	if s.deliveries != nil {
		if n.Endpoints, err = s.deliveries.DisabledNames(ctx); err != nil {
			n.Endpoints = known.Endpoints
		}
	}
	if s.ended != nil {
		if n.Ended, err = s.ended(ctx); err != nil {
			n.Ended = known.Ended
		}
	}
	if s.blocked != nil {
		if n.Blocked, err = s.blocked(ctx); err != nil {
			n.Blocked = known.Blocked
		}
	}
	if s.seals != nil {
		if n.Sealing, err = s.seals.Notice(ctx); err != nil {
			n.Sealing = known.Sealing
		}
	}
	if s.signing != nil {
		if n.Signing, err = s.signing(ctx); err != nil {
			n.Signing = known.Signing
		}
	}
	return n
}

// Ready returns an Outage when the system is unavailable here at the moment; nil
// when it is available.
func (s *Service) Ready(ctx context.Context) error {
	if err := s.db.Ready(ctx); err != nil {
		return err
	}
	if s.credential != nil {
		if err := s.credential(); err != nil {
			return fmt.Errorf("%w: %w", database.OutageCredential, err)
		}
	}
	return nil
}

// ClockAhead returns how far the service's clock is at least ahead of ours.
func (s *Service) ClockAhead() time.Duration {
	if s.clockAhead == nil {
		return 0
	}
	return s.clockAhead()
}

func (s *Service) clockNotice() time.Duration {
	if ahead := s.ClockAhead(); ahead.Abs() > clockTolerance {
		return ahead
	}
	return 0
}

// The service counts as not replying when at least the last minUnanswered requests
// got no reply from it, the last of them within unansweredWithin: a single one may
// be chance, but no handshake that failed. A request that is under way counts once it has waited for slowReply.
const (
	minUnanswered    = 3
	unansweredWithin = 10 * time.Minute
	slowReply        = 15 * time.Second
)

// silences are the details that mean that the service itself gave no reply.
var silences = []models.Detail{
	models.DetailDialFailed, models.DetailTLSFailed, models.DetailTokenUnavailable, models.DetailTimeout,
	models.DetailConnectionLost, models.DetailTruncatedReply, models.DetailNotJSON, models.DetailServerError,
}

// neverAsked are the details of attempts that never reached the service.
var neverAsked = []models.Detail{models.DetailTooLate, models.DetailInvalidOrder, models.DetailInterrupted}

// lastReply is one of the last requests of any process, and what came of it.
type lastReply struct {
	Operation string // cancel, inquiry
	At        time.Time
	Meaning   models.Meaning
	Detail    models.Detail
}

// replies concludes from the last requests of every process whether the service
// answers, and whether it accepts our access.
func (s *Service) replies(ctx context.Context) (*Unanswered, *AccessRefused, error) {
	now := s.clock.Now()
	last, err := database.Rows[lastReply](ctx, s.db, `SELECT operation, at, meaning, detail FROM (
			(SELECT 'cancel' AS operation, started_at AS at, meaning, detail FROM attempts ORDER BY id DESC LIMIT 100)
			UNION ALL
			(SELECT 'inquiry', sent_at, meaning, detail FROM inquiries ORDER BY id DESC LIMIT 100)) last
		WHERE (meaning <> '' OR at < $1) AND detail <> ALL($2) ORDER BY at DESC`, now.Add(-slowReply), neverAsked)
	if err != nil {
		return nil, nil, fmt.Errorf("read the last replies: %w", err)
	}
	access := accessRefused(last)
	if access != nil {
		if access.Call, err = s.administrators(ctx); err != nil {
			return nil, nil, err
		}
	}
	return unanswered(last, now), access, nil
}

func unanswered(last []lastReply, now time.Time) *Unanswered {
	var u Unanswered
	for _, x := range last {
		if x.Meaning != "" && !slices.Contains(silences, x.Detail) {
			break
		}
		u.Since, u.Times = x.At, u.Times+1
	}
	u.TLS = u.Times > 0 && last[0].Detail == models.DetailTLSFailed
	if u.Times < minUnanswered && !u.TLS || now.Sub(last[0].At) > unansweredWithin {
		return nil // too few, or none for a long time
	}
	return &u
}

// CountOpen counts the open cancellations by state; a state without any is 0.
func (s *Service) CountOpen(ctx context.Context) (map[models.State]int, error) {
	open := map[models.State]int{models.Requested: 0, models.Sending: 0, models.Accepted: 0, models.Unknown: 0}
	counts, err := database.Rows[struct {
		State models.State
		Count int
	}](ctx, s.db, `SELECT state, count(*) AS count FROM cancellations WHERE state IN `+models.OpenSQL+` GROUP BY state`)
	if err != nil {
		return nil, fmt.Errorf("count open cancellations: %w", err)
	}
	for _, c := range counts {
		open[c.State] = c.Count
	}
	return open, nil
}
