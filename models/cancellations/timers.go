package cancellations

import (
	"context"
	"errors"
	"fmt"
	"time"

	"gorm.io/gorm"

	"veinte/models"
	"veinte/models/crashpoint"
	"veinte/models/database"
)

// Expire closes a cancellation that was not sent before the window closed. A
// positive wait means that it is too early: call again after it.
func (s *Service) Expire(ctx context.Context, id int64) (wait time.Duration, err error) {
	err = s.withLocked(ctx, id, func(l *Held) error {
		if l.c.State != models.Requested {
			return nil
		}
		if w := s.config.Rules.Window(); w.Open(&l.sale, l.now) {
			wait = max(w.Closes(&l.sale).Sub(l.now), time.Second)
			return nil
		}
		if wait = s.config.Clocks.Leaves(0); wait > 0 {
			return nil
		}
		return l.move(ctx, models.System("expire", l.c.Requester), move{to: models.Expired, detail: models.DetailTooLate})
	})
	return wait, err
}

// Recover finds an attempt without an outcome after its deadline: its process died
// or lost the database. Bytes may have been sent, so the cancellation becomes
// unknown.
func (s *Service) Recover(ctx context.Context, id int64, attempt int) (wait time.Duration, err error) {
	err = s.withLocked(ctx, id, func(l *Held) error {
		if l.c.State != models.Sending || l.c.Attempts != attempt {
			return nil
		}
		// The wait of the attempt's beginning applies, whatever the rules are now.
		var begun models.Attempt
		if err := database.TakeRow(l.tx.Where("cancellation_id = ? AND number = ?", id, attempt), &begun); err != nil {
			return fmt.Errorf("find attempt %d: %w", attempt, err)
		}
		due := begun.DeadlineAt.Add(models.InterruptedAfter)
		if wait = l.until(due); wait > 0 {
			return nil
		}
		err := l.tx.Model(&models.Attempt{}).Where("cancellation_id = ? AND number = ? AND meaning = ''", id, attempt).
			Updates(map[string]any{"meaning": models.MeaningUnknown, "detail": models.DetailInterrupted, "finished_at": l.now}).Error
		if err != nil {
			return fmt.Errorf("close interrupted attempt: %w", err)
		}
		// The process may have sent until its deadline.
		m := l.pushed(begun.DeadlineAt, s.config.Rules.Waits(), move{to: models.Unknown, detail: models.DetailInterrupted, attempt: attempt})
		return l.move(ctx, models.System("recover", l.c.Requester), m)
	})
	return wait, err
}

// EndResultWait moves a cancellation to unknown when its result has not arrived in
// time. The terminal may have canceled the sale nevertheless.
func (s *Service) EndResultWait(ctx context.Context, id int64, attempt int) (wait time.Duration, err error) {
	err = s.withLocked(ctx, id, func(l *Held) error {
		if l.c.State != models.Accepted || l.c.Attempts != attempt {
			return nil
		}
		if wait = l.until(l.c.ChangedAt.Add(s.config.Rules.Waits().Result)); wait > 0 {
			return nil
		}
		return l.move(ctx, models.System("resultWait", l.c.Requester), move{to: models.Unknown, detail: models.DetailNoResult, attempt: attempt})
	})
	return wait, err
}

// until returns how long it is until a time, at least a second; 0 when it has come.
func (l *Held) until(due time.Time) time.Duration {
	if !l.now.Before(due) {
		return 0
	}
	return max(due.Sub(l.now), time.Second)
}

// SweepOpen processes every open cancellation once, as if its tasks were due.
func (s *Service) SweepOpen(ctx context.Context) error {
	var open []models.Cancellation
	err := s.config.DB.Gorm().WithContext(ctx).Select("id", "state", "attempts").
		Where("state IN ?", []models.State{models.Requested, models.Sending, models.Accepted}).Order("id").Find(&open).Error
	if err != nil {
		return fmt.Errorf("list open cancellations: %w", err)
	}
	var failures []error
	for _, c := range open {
		switch c.State {
		case models.Requested:
			_, err = s.Expire(ctx, c.ID)
		case models.Sending:
			_, err = s.Recover(ctx, c.ID, c.Attempts)
		case models.Accepted:
			_, err = s.EndResultWait(ctx, c.ID, c.Attempts)
		}
		failures = append(failures, err)
		crashpoint.Here(crashpoint.BetweenMoves)
	}
	return errors.Join(failures...)
}

// idleAfter is how long a requested cancellation may be idle before the sweep
// enqueues it again. Together with the sweep's interval, and the time until another
// process takes over from one that died, it is the delay that a crash can cause.
const idleAfter = 10 * time.Second

// RedispatchIdle enqueues requested cancellations whose task was lost, or died with
// its process. A task that died counts as running and keeps an equal one out of the
// queue until the queue abandons it after minutes. So the sweep's own tasks
// alternate between two numbers: if one of them dies as well, the other follows.
func (s *Service) RedispatchIdle(ctx context.Context) error {
	now := s.config.Clock.Now()
	number := 1 + int(now.UnixNano()/int64(idleAfter)%2)
	return s.config.DB.InTx(ctx, func(t database.Tx) error {
		return s.redispatch(ctx, t, t.Where("state = ? AND changed_at < ?", models.Requested, now.Add(-idleAfter)), number)
	})
}

// redispatch enqueues the cancellations of a query. Number distinguishes the tasks
// from others about the same cancellation.
func (s *Service) redispatch(ctx context.Context, t database.Tx, q *gorm.DB, number int) error {
	var waiting []models.Cancellation
	if err := q.Select("id").Order("id").Find(&waiting).Error; err != nil {
		return fmt.Errorf("list waiting cancellations: %w", err)
	}
	for _, c := range waiting {
		task := models.Task{Kind: models.TaskDispatch, SubjectID: c.ID, Attempt: number, Once: true}
		if err := database.Enqueue(ctx, s.config.Queue, t, task); err != nil {
			return err
		}
	}
	return nil
}

// inquiryLost is how long an inquiry may be overdue before the sweep enqueues it
// again: longer than another push can occupy its terminal.
const inquiryLost = 5 * time.Minute

// ReinquireIdle enqueues inquiries whose task was lost: it may have failed until the
// queue abandoned it, for example when the trail could not be written for long.
func (s *Service) ReinquireIdle(ctx context.Context) error {
	return s.config.DB.InTx(ctx, func(t database.Tx) error {
		if err := s.reinquireSales(ctx, t); err != nil || s.config.Inquiries == nil {
			return err
		}
		var doubts []models.Cancellation
		if err := t.Where("state = ?", models.Unknown).Order("id").Find(&doubts).Error; err != nil {
			return fmt.Errorf("list doubts: %w", err)
		}
		ids := make([]int64, len(doubts))
		for i := range doubts {
			ids[i] = doubts[i].ID
		}
		asked, err := s.AskedOf(ctx, ids)
		if err != nil {
			return err
		}
		for i := range doubts {
			of := asked[doubts[i].ID]
			due := s.NextInquiry(&doubts[i], of)
			if due.IsZero() || s.config.Clock.Now().Before(due.Add(inquiryLost)) {
				continue
			}
			task := models.Task{Kind: models.TaskInquire, SubjectID: doubts[i].ID, Attempt: of.Tries + 1, Once: true}
			if err := database.Enqueue(ctx, s.config.Queue, t, task); err != nil {
				return err
			}
		}
		return nil
	})
}
