package operations

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"veinte/models"
	"veinte/models/audit"
	"veinte/models/database"
)

// ProbeStep is one step of a test of the connection to the service.
type ProbeStep struct {
	Step   string `json:"step"`           // dns, connect, tls, token, answer
	OK     bool   `json:"ok"`             // whether the next step could be tried
	Code   string `json:"code"`           // the result, as a code to translate
	Note   string `json:"note,omitempty"` // an address, a date, a status: nothing secret
	Millis int64  `json:"ms"`
}

func failed(step ProbeStep) bool { return !step.OK }

// TokenState is what is known about the access token, without the token.
type TokenState struct {
	Fetched bool      // there is a token operation; else the token is configured
	Cached  bool      // there is a valid one now
	Ends    time.Time // as stated by the service; zero when it stated nothing
	// FailedAt is when the last try to get one failed; zero when it did not.
	FailedAt time.Time
}

// ClockState is the measured difference between the service's clock and ours.
type ClockState struct {
	Least, Max time.Duration // it is ahead by at least and at most; negative: behind
	MeasuredAt time.Time     // zero: never
}

// ReplyCount is how often the service gave one reply within a week.
type ReplyCount struct {
	Operation string // cancel, inquiry
	Meaning   models.Meaning
	Detail    models.Detail
	Code      string // the service's own
	Last      time.Time
	Day, Week int64
}

// maxReplies limits the replies on a page: codes come from outside.
const maxReplies = 40

// ReplyCounts counts the service's replies in the last seven days, the most recent
// kind first.
//
// Errors: ErrForbidden.
func (s *Service) ReplyCounts(ctx context.Context, actor models.Actor) ([]ReplyCount, error) {
	if !actor.May(models.ManageSettings) {
		return nil, models.ErrForbidden
	}
	now := s.clock.Now()
	counts, err := database.Rows[ReplyCount](ctx, s.db, `
		SELECT operation, meaning, detail, code, max(at) AS last, count(*) FILTER (WHERE at > $1) AS day, count(*) AS week FROM (
			SELECT 'cancel' AS operation, meaning, detail, code, started_at AS at FROM attempts WHERE started_at > $2
			UNION ALL
			SELECT 'inquiry', meaning, detail, '', sent_at FROM inquiries WHERE sent_at > $2) replies
		WHERE meaning <> '' GROUP BY operation, meaning, detail, code ORDER BY max(at) DESC LIMIT $3`,
		now.Add(-24*time.Hour), now.Add(-7*24*time.Hour), maxReplies)
	if err != nil {
		return nil, fmt.Errorf("count replies: %w", err)
	}
	return counts, nil
}

// The refusals of a test of the connection.
var (
	errTestRunning = &models.Error{Kind: models.KindTooMany, Code: "connection.running"}
	errTestTooSoon = &models.Error{Kind: models.KindTooMany, Code: "connection.tooSoon"}
)

// testPause is the minimum time between two tests by anyone: the token operation of
// a service locks out clients that call it too often.
const testPause = 5 * time.Second

// ConnectionTest is a test that was made.
type ConnectionTest struct {
	At    time.Time
	By    string
	Steps []ProbeStep
}

// TestConnection tests the connection, one test at a time, and records the result in
// the trail. probe must cancel nothing.
//
// Errors: ErrForbidden, connection.running, connection.tooSoon.
func (s *Service) TestConnection(ctx context.Context, actor models.Actor, probe func(context.Context) []ProbeStep) error {
	if !actor.May(models.ManageSettings) {
		return models.ErrForbidden
	}
	if !s.testing.TryLock() {
		return errTestRunning
	}
	defer s.testing.Unlock()
	last, err := s.LastConnectionTest(ctx)
	if err != nil {
		return err
	}
	now := s.clock.Now()
	if since := now.Sub(last.At); since >= 0 && since < testPause {
		return errTestTooSoon
	}
	steps := probe(ctx)
	outcome := models.OutcomeSuccess
	if slices.ContainsFunc(steps, failed) {
		outcome = models.OutcomeFailure
	}
	// The user may have left; the test is recorded all the same.
	return s.db.InTx(context.WithoutCancel(ctx), func(t database.Tx) error {
		a := audit.About{After: map[string]any{"steps": steps}}
		return audit.Record(t, actor, s.clock.Now(), models.ActionConnectionTested, outcome, a)
	})
}

// LastConnectionTest returns the last test by any process; a zero value when there
// is none.
func (s *Service) LastConnectionTest(ctx context.Context) (ConnectionTest, error) {
	test, err := database.Row[ConnectionTest](ctx, s.db, `SELECT at, actor_name AS by, after::jsonb->'steps' AS steps
		FROM audit_entries WHERE action = $1 ORDER BY at DESC, id DESC LIMIT 1`, models.ActionConnectionTested)
	if err != nil && !errors.Is(err, models.ErrNotFound) {
		return test, fmt.Errorf("read the last test of the connection: %w", err)
	}
	return test, nil
}
