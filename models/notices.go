package models

import (
	"context"
	"fmt"
	"time"
)

// Notices are what everyone should know before they rely on the service.
type Notices struct {
	Outage     *Outage       // nothing can be done at the moment; nil when it can
	Pause      *Pause        // an administrator has stopped the sending; nil when nobody has
	Unanswered *Unanswered   // the service does not answer; nil when it does
	Ahead      time.Duration // of the service's clock before ours; 0 when it may be ignored
	Endpoints  []string      // that were disabled by themselves; for those who keep them
	Sealing    *SealTrouble  // the trail is not sealed as it should be; for those who oversee. nil when it is
}

// Unanswered says since when the service has not answered.
type Unanswered struct {
	Since time.Time // of the first of the unbroken row
	Times int       // how many asked for something
}

// clockTolerance is the difference between the clocks that nobody is told of.
const clockTolerance = 2 * time.Second

// noticesAge is how old what is shown may be: every page asks, every few
// seconds of every open page.
const noticesAge = time.Second

// Notices returns what everyone should know now. What cannot be read at the
// moment is itself one of them.
func (s *Cancellations) Notices(ctx context.Context) Notices {
	return s.notices.get(noticesAge, func(known Notices) Notices { return s.look(ctx, known) })
}

// look reads the notices. What cannot be read stays as it was known.
func (s *Cancellations) look(ctx context.Context, known Notices) Notices {
	// The answer is for everyone, so that one reader's leaving must not end it.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
	defer cancel()
	n := Notices{Ahead: s.clockNotice(), Outage: OutageOf(s.Ready(ctx))}
	var err error
	if n.Pause, err = openPause(s.db.gorm.WithContext(ctx)); err != nil {
		n.Pause = known.Pause
	}
	if n.Unanswered, err = s.unanswered(ctx); err != nil {
		n.Unanswered = known.Unanswered
	}
	if s.deliveries != nil {
		if n.Endpoints, err = s.deliveries.disabledNames(ctx); err != nil {
			n.Endpoints = known.Endpoints
		}
	}
	if s.seals != nil {
		if n.Sealing, err = s.seals.notice(ctx); err != nil {
			n.Sealing = known.Sealing
		}
	}
	return n
}

// Ready reports why nothing can be done here at the moment: an Outage. nil when
// something can.
func (s *Cancellations) Ready(ctx context.Context) error {
	if err := s.db.Ready(ctx); err != nil {
		return err
	}
	if s.credential != nil {
		if err := s.credential(); err != nil {
			return fmt.Errorf("%w: %w", OutageCredential, err)
		}
	}
	return nil
}

// ClockAhead returns how far the service's clock is ahead of ours beyond doubt.
func (s *Cancellations) ClockAhead() time.Duration {
	if s.clockAhead == nil {
		return 0
	}
	return s.clockAhead()
}

func (s *Cancellations) clockNotice() time.Duration {
	if ahead := s.ClockAhead(); ahead.Abs() > clockTolerance {
		return ahead
	}
	return 0
}

// The service is said not to answer when the last unansweredAfter requests or
// more got no answer of it, the last of them within unansweredWithin: one alone
// may be bad luck, three in a row are not. One that is under way counts once it
// has waited for slowAnswer.
const (
	unansweredAfter  = 3
	unansweredWithin = 10 * time.Minute
	slowAnswer       = 15 * time.Second
)

// silences are the details that say that the service gave no answer of its own.
var silences = []Detail{
	DetailDialFailed, DetailTLSFailed, DetailTokenUnavailable, DetailTimeout,
	DetailConnectionLost, DetailCutAnswer, DetailNotJSON, DetailServerError,
}

// unasked are the details of what asked the service for nothing.
var unasked = []Detail{DetailTooLate, DetailInvalidOrder, DetailInterrupted}

// unanswered looks at the last requests of every process, newest first.
func (s *Cancellations) unanswered(ctx context.Context) (*Unanswered, error) {
	now := s.clock.Now()
	rows, err := s.db.pool.Query(ctx, `SELECT at, meaning, detail FROM (
			(SELECT started_at AS at, meaning, detail FROM attempts ORDER BY id DESC LIMIT 100)
			UNION ALL
			(SELECT sent_at, meaning, detail FROM inquiries ORDER BY id DESC LIMIT 100)) last
		WHERE (meaning <> '' OR at < $1) AND detail <> ALL($2) ORDER BY at DESC`, now.Add(-slowAnswer), unasked)
	if err != nil {
		return nil, fmt.Errorf("look at the last answers: %w", err)
	}
	defer rows.Close()
	var u Unanswered
	var last time.Time
	for rows.Next() {
		var at time.Time
		var meaning Meaning
		var detail Detail
		if err := rows.Scan(&at, &meaning, &detail); err != nil {
			return nil, fmt.Errorf("look at the last answers: %w", err)
		}
		if meaning != "" && !detail.silent() {
			break
		}
		if u.Times == 0 {
			last = at
		}
		u.Since, u.Times = at, u.Times+1
	}
	if err := rows.Err(); err != nil {
		return nil, fmt.Errorf("look at the last answers: %w", err)
	}
	if u.Times < unansweredAfter || now.Sub(last) > unansweredWithin {
		return nil, nil // too few, or nobody has tried for long
	}
	return &u, nil
}

func (d Detail) silent() bool {
	for _, s := range silences {
		if d == s {
			return true
		}
	}
	return false
}

// OpenCases counts the open cases by state; a state without any is 0.
func (s *Cancellations) OpenCases(ctx context.Context) (map[State]int, error) {
	open := map[State]int{Requested: 0, Sending: 0, Accepted: 0, Unknown: 0}
	rows, err := s.db.pool.Query(ctx, `SELECT state, count(*) FROM cancellations
		WHERE state IN `+OpenSQL+` GROUP BY state`)
	if err != nil {
		return nil, fmt.Errorf("count open cases: %w", err)
	}
	defer rows.Close()
	for rows.Next() {
		var state State
		var n int
		if err := rows.Scan(&state, &n); err != nil {
			return nil, fmt.Errorf("count open cases: %w", err)
		}
		open[state] = n
	}
	return open, rows.Err()
}
