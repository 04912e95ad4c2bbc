package verify

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"gorm.io/gorm/clause"

	"veinte/models"
	"veinte/models/audit"
	"veinte/models/audit/trailfile"
	"veinte/models/database"
	"veinte/models/goroutine"
)

// ErrVerifying refuses a second verification beside one that is under way.
var ErrVerifying = &models.Error{Kind: models.KindConflict, Code: "verification.running"}

const (
	// runPause is how long a verification may go without reporting before it counts
	// as interrupted; runLockWait, how long it may wait for a process.
	runPause    = 30 * time.Second
	runLockWait = 3 * time.Minute
	// verificationBeat is how often its progress is stored.
	verificationBeat = time.Second
)

// StartVerification enqueues a verification of the whole trail, and records the
// request in the trail.
//
// Errors: ErrForbidden, ErrVerifying.
func (s *Service) StartVerification(ctx context.Context, actor models.Actor) (*Verification, error) {
	if !actor.May(models.ReadAudit) {
		return nil, models.ErrForbidden
	}
	if err := s.SweepVerifications(ctx); err != nil {
		return nil, err
	}
	return s.enqueue(ctx, actor)
}

// enqueue is StartVerification for whoever may.
func (s *Service) enqueue(ctx context.Context, actor models.Actor) (*Verification, error) {
	by, err := models.EncodeActor(actor)
	if err != nil {
		return nil, err
	}
	now := s.clock.Now().UTC().Truncate(time.Microsecond)
	v := &Verification{State: RunRunning, Actor: by, ActorID: actor.UserID, ActorName: actor.Name, StartedAt: now, SeenAt: now}
	err = s.db.InTx(ctx, func(t database.Tx) error {
		stored := t.Clauses(clause.OnConflict{DoNothing: true}).Create(v)
		if stored.Error != nil {
			return fmt.Errorf("store verification: %w", stored.Error)
		}
		if stored.RowsAffected == 0 {
			return ErrVerifying
		}
		if err := database.Enqueue(ctx, s.queue, t, models.Task{Kind: models.TaskVerify, SubjectID: v.ID}); err != nil {
			return err
		}
		return audit.Record(t, actor, now, models.ActionAuditVerified, models.OutcomeSuccess,
			audit.About{After: map[string]any{"verification": v.ID, "verificationState": RunRunning}})
	})
	if errors.Is(err, ErrVerifying) {
		writing := s.audit.RecordCounted(ctx, actor, models.ActionAuditVerified, models.OutcomeFailure,
			audit.About{Reason: ErrVerifying.Code, After: map[string]any{"verificationState": RunRunning}}, ErrVerifying.Code)
		if writing != nil {
			return nil, writing
		}
		return nil, models.Recorded(err)
	}
	return v, err
}

// The hours of the shops' night in which the trail is verified by itself: after the days of
// all zones have ended, and before anybody opens.
const nightBegins, nightEnds = 3, 6

// VerifyNightly enqueues the verification of this night, once it has begun: nobody has to
// remember to ask. It is skipped where somebody asked for one since, and while nothing is
// sealed; a night in which no server runs has none.
func (s *Service) VerifyNightly(ctx context.Context, zone *time.Location) error {
	now := s.clock.Now().In(zone)
	if now.Hour() < nightBegins || now.Hour() >= nightEnds {
		return nil
	}
	y, m, d := now.Date()
	var due bool
	err := s.db.Pool().QueryRow(ctx, `SELECT EXISTS (SELECT FROM checkpoints)
		AND NOT EXISTS (SELECT FROM trail_checks WHERE started_at >= $1)`,
		time.Date(y, m, d, nightBegins, 0, 0, 0, zone)).Scan(&due)
	if err != nil {
		return fmt.Errorf("look for the verification of this night: %w", err)
	}
	if !due {
		return nil
	}
	_, err = s.enqueue(ctx, models.System("verification", ""))
	if errors.Is(err, ErrVerifying) {
		return nil // another server was quicker
	}
	return err
}

// RunVerification verifies the trail. A job calls it, perhaps again: only the first
// call does it. If its process ends on the way, the verification counts as
// interrupted and is not begun again, because the part that it has verified may have
// changed since.
func (s *Service) RunVerification(ctx context.Context, id int64) error {
	actor, mine, err := s.takeVerification(ctx, id)
	if err != nil || !mine {
		return err
	}
	run, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var p atomic.Pointer[progress]
	p.Store(&progress{})
	var beats sync.WaitGroup
	beats.Go(func() {
		defer goroutine.Recover(s.log, "storing the progress of a verification", cancel)
		s.beatVerification(run, id, &p, cancel)
	})
	verdict, err := s.verifyAll(run, &p)
	if err == nil {
		err = context.Cause(run)
	}
	cancel(nil)
	beats.Wait()
	end := context.WithoutCancel(ctx)
	switch {
	case err == nil:
		return s.endVerification(end, actor, id, RunState(verdict.State), &p, storedVerdict(verdict))
	case ctx.Err() != nil:
		return s.endVerification(end, actor, id, RunInterrupted, &p, nil)
	}
	s.log.ErrorContext(ctx, "the trail could not be verified", "verification", id, "error", err)
	return s.endVerification(end, actor, id, RunFailed, &p, nil)
}

// takeVerification begins a verification that no process has begun.
func (s *Service) takeVerification(ctx context.Context, id int64) (actor models.Actor, mine bool, err error) {
	var by []byte
	err = s.db.Pool().QueryRow(ctx, `UPDATE trail_checks SET begun_at = $2, seen_at = $2
		WHERE id = $1 AND state = `+verificationRunningSQL+` AND begun_at IS NULL RETURNING actor`,
		id, s.clock.Now()).Scan(&by)
	if errors.Is(err, pgx.ErrNoRows) {
		return actor, false, nil
	}
	if err == nil {
		err = json.Unmarshal(by, &actor)
	}
	if err != nil {
		return actor, false, fmt.Errorf("take up verification %d: %w", id, err)
	}
	return actor, true, nil
}

// progress is how many leaves of how many were verified.
type progress struct{ done, total int64 }

// verifyAll verifies everything by the keys of this process and the checkpoints that
// it has stored outside the database.
func (s *Service) verifyAll(ctx context.Context, p *atomic.Pointer[progress]) (*Verdict, error) {
	s.sealing.SealFirst(ctx)
	check := TrailCheck{Progress: func(done, total int64) { p.Store(&progress{done, total}) }}
	var err error
	if keys := s.sealing.PublicKeys(); len(keys) > 0 {
		if check.Keys, err = trailfile.ParsePublic(keys...); err != nil {
			return nil, err
		}
	}
	if check.Checkpoints, err = s.sealing.PublishedCheckpoints(); err != nil {
		return nil, err
	}
	return s.VerifyTrail(ctx, check)
}

// beatVerification stores the progress until ctx ends, and stops a verification that
// counts as interrupted.
func (s *Service) beatVerification(ctx context.Context, id int64, p *atomic.Pointer[progress], stop context.CancelCauseFunc) {
	ticks := time.NewTicker(verificationBeat)
	defer ticks.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticks.C:
		}
		now := p.Load()
		stored, err := s.db.Pool().Exec(ctx, `UPDATE trail_checks SET done = $2, total = $3, seen_at = $4
			WHERE id = $1 AND state = `+verificationRunningSQL, id, now.done, now.total, s.clock.Now())
		if err == nil && stored.RowsAffected() == 0 {
			stop(errVerificationLost)
		}
	}
}

var errVerificationLost = errors.New("it was taken for interrupted")

// endVerification records the result of a verification, unless it counted as
// interrupted before.
func (s *Service) endVerification(
	ctx context.Context, actor models.Actor, id int64, state RunState, p *atomic.Pointer[progress], result *Verified,
) error {
	ctx, cancel := context.WithTimeout(ctx, 15*time.Second)
	defer cancel()
	now := s.clock.Now().UTC().Truncate(time.Microsecond)
	verified := p.Load()
	change := map[string]any{"state": state, "done": verified.done, "total": verified.total, "seen_at": now, "ended_at": now}
	if result != nil {
		text, err := json.Marshal(result)
		if err != nil {
			return fmt.Errorf("encode result: %w", err)
		}
		change["result"] = string(text)
	}
	err := s.db.InTx(ctx, func(t database.Tx) error {
		ended := t.Model(&Verification{}).Where("id = ? AND state = "+verificationRunningSQL, id).Updates(change)
		if ended.Error != nil || ended.RowsAffected == 0 {
			return ended.Error
		}
		return recordVerified(t, actor, now, id, state, result)
	})
	if err != nil {
		return fmt.Errorf("end verification %d: %w", id, err)
	}
	return nil
}

func recordVerified(t database.Tx, actor models.Actor, now time.Time, id int64, state RunState, r *Verified) error {
	after := map[string]any{"verification": id, "verificationState": state}
	if r != nil {
		after["entries"], after["root"] = r.Size, r.Root
	}
	if r != nil && r.First != nil {
		after["found"], after["foundIn"], after["wrong"] = r.First.Code, r.First.EntryID, r.Wrong
	}
	return audit.Record(t, actor, now, models.ActionAuditVerified, state.outcome(),
		audit.About{Before: map[string]any{"verificationState": RunRunning}, After: after})
}

// SweepVerifications ends verifications that have stopped reporting: their process
// was killed, or no process has begun them.
func (s *Service) SweepVerifications(ctx context.Context) error {
	now := s.clock.Now().UTC().Truncate(time.Microsecond)
	err := s.db.InTx(ctx, func(t database.Tx) error {
		var lost []Verification
		err := t.Model(&lost).Clauses(clause.Returning{}).
			Where("state = "+verificationRunningSQL+" AND (seen_at < ? OR begun_at IS NOT NULL AND seen_at < ?)",
				now.Add(-runLockWait), now.Add(-runPause)).
			Updates(map[string]any{"state": RunInterrupted, "ended_at": now}).Error
		if err != nil {
			return err
		}
		for i := range lost {
			if err := recordVerified(t, models.System("verification", lost[i].ActorName), now, lost[i].ID, RunInterrupted, nil); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("end lost verifications: %w", err)
	}
	return nil
}
