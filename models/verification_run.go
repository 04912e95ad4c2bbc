package models

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"gorm.io/gorm/clause"

	"veinte/models/goroutine"
	"veinte/models/trail"
)

// ErrVerifying refuses a second verification beside one that is under way.
var ErrVerifying = &Error{Kind: KindConflict, Code: "verification.running"}

const (
	// verificationQuiet is how long a verification may be silent before it is
	// taken for interrupted; verificationWaits, how long it may wait for a process.
	verificationQuiet = 30 * time.Second
	verificationWaits = 3 * time.Minute
	// verificationBeat is how often its progress is told.
	verificationBeat = time.Second
)

// StartVerification has the whole trail verified by a job, and tells the trail
// that it was asked for.
//
// Errors: ErrForbidden, ErrVerifying.
func (s *Cancellations) StartVerification(ctx context.Context, actor Actor) (*Verification, error) {
	if !actor.May(ReadAudit) {
		return nil, ErrForbidden
	}
	if err := s.sweepVerifications(ctx); err != nil {
		return nil, err
	}
	by, err := encodeActor(actor)
	if err != nil {
		return nil, err
	}
	now := s.clock.Now().UTC().Truncate(time.Microsecond)
	v := &Verification{State: VerificationRunning, Actor: by, ActorID: actor.UserID, ActorName: actor.Name, StartedAt: now, SeenAt: now}
	err = s.db.transaction(ctx, func(t tx) error {
		kept := t.Clauses(clause.OnConflict{DoNothing: true}).Create(v)
		if kept.Error != nil {
			return fmt.Errorf("keep verification: %w", kept.Error)
		}
		if kept.RowsAffected == 0 {
			return ErrVerifying
		}
		if err := s.enqueue(ctx, t, Task{Kind: TaskVerify, CaseID: v.ID}); err != nil {
			return err
		}
		return t.record(actor, now, ActionAuditVerified, OutcomeSuccess, about{after: map[string]any{"verification": v.ID, "verificationState": VerificationRunning}})
	})
	if errors.Is(err, ErrVerifying) {
		if writing := s.refusedVerification(ctx, actor); writing != nil {
			return nil, writing
		}
		return nil, Recorded(err)
	}
	return v, err
}

func (s *Cancellations) refusedVerification(ctx context.Context, actor Actor) error {
	return s.db.transaction(ctx, func(t tx) error {
		return t.record(actor, s.clock.Now(), ActionAuditVerified, OutcomeFailure, about{reason: ErrVerifying.Code, after: map[string]any{"verificationState": VerificationRunning}})
	})
}

// RunVerification verifies the trail. A job calls it, perhaps again: the first
// call does it. One whose process ends on the way is interrupted and not begun
// again, because what it looked at may have changed since.
func (s *Cancellations) RunVerification(ctx context.Context, id int64) error {
	actor, mine, err := s.takeVerification(ctx, id)
	if err != nil || !mine {
		return err
	}
	run, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var p progress
	var beats sync.WaitGroup
	beats.Go(func() {
		defer goroutine.Recover(s.log, "telling how far a verification is", cancel)
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
		return s.endVerification(end, actor, id, VerificationState(verdict.State), &p, keptVerdict(verdict))
	case ctx.Err() != nil:
		return s.endVerification(end, actor, id, VerificationInterrupted, &p, nil)
	}
	s.log.ErrorContext(ctx, "the trail could not be verified", "verification", id, "error", err)
	return s.endVerification(end, actor, id, VerificationFailed, &p, nil)
}

// takeVerification takes up a verification that no process has taken up.
func (s *Cancellations) takeVerification(ctx context.Context, id int64) (actor Actor, mine bool, err error) {
	var by []byte
	err = s.db.pool.QueryRow(ctx, `UPDATE trail_checks SET begun_at = $2, seen_at = $2
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

// progress is how far a verification is; several goroutines tell and ask it.
type progress struct {
	sync.Mutex
	done, total int64
}

func (p *progress) tell(done, total int64) {
	p.Lock()
	defer p.Unlock()
	p.done, p.total = done, total
}

func (p *progress) said() (done, total int64) {
	p.Lock()
	defer p.Unlock()
	return p.done, p.total
}

// verifyAll verifies everything by the keys of this process and the checkpoints
// that it has kept outside the database.
func (s *Cancellations) verifyAll(ctx context.Context, p *progress) (*TrailVerdict, error) {
	s.sealFirst(ctx)
	check := TrailCheck{Progress: p.tell}
	if s.seals != nil {
		if keys := s.seals.PublicKeys(); len(keys) > 0 {
			var err error
			if check.Keys, err = trail.ParsePublic(keys...); err != nil {
				return nil, err
			}
		}
		kept, err := s.seals.Kept()
		if err != nil {
			return nil, err
		}
		check.Checkpoints = kept
	}
	return s.db.VerifyTrail(ctx, check)
}

// beatVerification tells the progress until ctx ends, and stops a verification
// that was taken for interrupted.
func (s *Cancellations) beatVerification(ctx context.Context, id int64, p *progress, stop context.CancelCauseFunc) {
	ticks := time.NewTicker(verificationBeat)
	defer ticks.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticks.C:
		}
		done, total := p.said()
		told, err := s.db.pool.Exec(ctx, `UPDATE trail_checks SET done = $2, total = $3, seen_at = $4
			WHERE id = $1 AND state = `+verificationRunningSQL, id, done, total, s.clock.Now())
		if err == nil && told.RowsAffected() == 0 {
			stop(errVerificationLost)
		}
	}
}

var errVerificationLost = errors.New("it was taken for interrupted")

// endVerification notes what a verification came to, unless it was taken for
// interrupted before.
func (s *Cancellations) endVerification(ctx context.Context, actor Actor, id int64, state VerificationState, p *progress, result *Verified) error {
	ctx, cancel := context.WithTimeout(ctx, 15*time.Second)
	defer cancel()
	now := s.clock.Now().UTC().Truncate(time.Microsecond)
	done, total := p.said()
	change := map[string]any{"state": state, "done": done, "total": total, "seen_at": now, "ended_at": now}
	if result != nil {
		text, err := json.Marshal(result)
		if err != nil {
			return fmt.Errorf("encode result: %w", err)
		}
		change["result"] = string(text)
	}
	err := s.db.transaction(ctx, func(t tx) error {
		kept := t.Model(&Verification{}).Where("id = ? AND state = "+verificationRunningSQL, id).Updates(change)
		if kept.Error != nil || kept.RowsAffected == 0 {
			return kept.Error
		}
		return t.recordVerified(actor, now, id, state, result)
	})
	if err != nil {
		return fmt.Errorf("end verification %d: %w", id, err)
	}
	return nil
}

func (t tx) recordVerified(actor Actor, now time.Time, id int64, state VerificationState, r *Verified) error {
	after := map[string]any{"verification": id, "verificationState": state}
	if r != nil {
		after["entries"], after["root"] = r.Size, r.Root
	}
	if r != nil && r.First != nil {
		after["found"], after["foundIn"], after["wrong"] = r.First.Code, r.First.EntryID, r.Wrong
	}
	return t.record(actor, now, ActionAuditVerified, state.outcome(), about{before: map[string]any{"verificationState": VerificationRunning}, after: after})
}

// sweepVerifications ends verifications of which nothing was heard: their process
// was killed, or there is none that would take them up.
func (s *Cancellations) sweepVerifications(ctx context.Context) error {
	now := s.clock.Now().UTC().Truncate(time.Microsecond)
	err := s.db.transaction(ctx, func(t tx) error {
		var lost []Verification
		err := t.Model(&lost).Clauses(clause.Returning{}).
			Where("state = "+verificationRunningSQL+" AND (seen_at < ? OR begun_at IS NOT NULL AND seen_at < ?)",
				now.Add(-verificationWaits), now.Add(-verificationQuiet)).
			Updates(map[string]any{"state": VerificationInterrupted, "ended_at": now}).Error
		if err != nil {
			return err
		}
		for i := range lost {
			if err := t.recordVerified(System("verification", lost[i].ActorName), now, lost[i].ID, VerificationInterrupted, nil); err != nil {
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
