package models

import (
	"context"
	"errors"
	"fmt"
	"time"

	"veinte/models/crashpoint"
)

// Expire closes a case that was not sent before the window closed. A positive
// wait means that it is too early: call again after it.
func (s *Cancellations) Expire(ctx context.Context, caseID int64) (wait time.Duration, err error) {
	err = s.inCase(ctx, caseID, func(l *Held) error {
		now := s.clock.Now()
		if l.c.State != Requested {
			return nil
		}
		if w := s.Window(); w.Open(&l.sale, now) {
			wait = max(w.Closes(&l.sale).Sub(now), time.Second)
			return nil
		}
		return s.move(ctx, l, System("expire", l.c.Requester), now, move{to: Expired, detail: DetailTooLate})
	})
	return wait, err
}

// Recover finds an attempt without an outcome after its time: its process died
// or lost the database. Bytes may have left, so the case becomes unknown.
func (s *Cancellations) Recover(ctx context.Context, caseID int64, attempt int) (wait time.Duration, err error) {
	err = s.inCase(ctx, caseID, func(l *Held) error {
		if l.c.State != Sending || l.c.Attempts != attempt {
			return nil
		}
		now := s.clock.Now()
		// The wait that it began with holds to its end, whatever the rules say now.
		var begun Attempt
		if err := take(l.Where("cancellation_id = ? AND number = ?", caseID, attempt), &begun); err != nil {
			return fmt.Errorf("find attempt %d: %w", attempt, err)
		}
		due := begun.DeadlineAt.Add(interruptedAfter)
		if now.Before(due) {
			wait = max(due.Sub(now), time.Second)
			return nil
		}
		err := l.Model(&Attempt{}).Where("cancellation_id = ? AND number = ? AND meaning = ''", caseID, attempt).
			Updates(map[string]any{"meaning": MeaningUnknown, "detail": DetailInterrupted, "finished_at": now}).Error
		if err != nil {
			return fmt.Errorf("close interrupted attempt: %w", err)
		}
		// The process may have sent until its deadline.
		return s.move(ctx, l, System("recover", l.c.Requester), now, l.pushed(begun.DeadlineAt, s.Waits(), move{to: Unknown, detail: DetailInterrupted, attempt: attempt}))
	})
	return wait, err
}

// EndResultWait makes a case unknown whose result has not come in time. The
// terminal may have canceled the sale all the same.
func (s *Cancellations) EndResultWait(ctx context.Context, caseID int64, attempt int) (wait time.Duration, err error) {
	err = s.inCase(ctx, caseID, func(l *Held) error {
		if l.c.State != Accepted || l.c.Attempts != attempt {
			return nil
		}
		now := s.clock.Now()
		due := l.c.ChangedAt.Add(s.Waits().Result)
		if now.Before(due) {
			wait = max(due.Sub(now), time.Second)
			return nil
		}
		return s.move(ctx, l, System("resultWait", l.c.Requester), now, move{to: Unknown, detail: DetailNoResult, attempt: attempt})
	})
	return wait, err
}

// sweepOpen looks after every open case once, as if its tasks had just come due.
func (s *Cancellations) sweepOpen(ctx context.Context) error {
	var open []Cancellation
	err := s.db.gorm.WithContext(ctx).Select("id", "state", "attempts").
		Where("state IN ?", []State{Requested, Sending, Accepted}).Order("id").Find(&open).Error
	if err != nil {
		return fmt.Errorf("list open cases: %w", err)
	}
	var failures []error
	for _, c := range open {
		switch c.State {
		case Requested:
			_, err = s.Expire(ctx, c.ID)
		case Sending:
			_, err = s.Recover(ctx, c.ID, c.Attempts)
		case Accepted:
			_, err = s.EndResultWait(ctx, c.ID, c.Attempts)
		}
		failures = append(failures, err)
		crashpoint.Here(crashpoint.BetweenMoves)
	}
	return errors.Join(failures...)
}

// idleAfter is how long a requested case may wait untouched before the sweep
// enqueues it again. With the sweep's own pace, and the time until another
// process takes over from one that died, it is what a case may lose by a crash.
const idleAfter = 10 * time.Second

// redispatchIdle enqueues requested cases whose task was lost, or died with its
// process: that one counts as worked on, and keeps an equal one out of the queue,
// until the queue gives it up after minutes. So the sweep's own tasks have one
// of two numbers in turn; should one of them die as well, the other follows.
func (s *Cancellations) redispatchIdle(ctx context.Context) error {
	now := s.clock.Now()
	number := 1 + int(now.UnixNano()/int64(idleAfter)%2)
	return s.db.transaction(ctx, func(t tx) error {
		var idle []Cancellation
		err := t.Select("id").Where("state = ? AND changed_at < ?", Requested, now.Add(-idleAfter)).Order("id").Find(&idle).Error
		if err != nil {
			return err
		}
		for _, c := range idle {
			if err := s.enqueue(ctx, t, Task{Kind: TaskDispatch, CaseID: c.ID, Attempt: number, Once: true}); err != nil {
				return err
			}
		}
		return nil
	})
}

// inquiryLost is how long an inquiry may be overdue before the sweep enqueues it
// again: longer than its terminal can be busy with another's push.
const inquiryLost = 5 * time.Minute

// reinquireIdle enqueues inquiries whose task was lost: it may have failed until
// the queue gave it up, as when the trail could not be written for long.
func (s *Cancellations) reinquireIdle(ctx context.Context) error {
	if s.inquiries == nil {
		return nil
	}
	return s.db.transaction(ctx, func(t tx) error {
		var doubts []Cancellation
		if err := t.Select("id", "state", "changed_at").Where("state = ?", Unknown).Order("id").Find(&doubts).Error; err != nil {
			return fmt.Errorf("list doubts: %w", err)
		}
		ids := make([]int64, len(doubts))
		for i := range doubts {
			ids[i] = doubts[i].ID
		}
		tries, err := s.triesOf(ctx, ids)
		if err != nil {
			return err
		}
		for i := range doubts {
			due := s.nextInquiry(&doubts[i], tries[doubts[i].ID])
			if due.IsZero() || s.clock.Now().Before(due.Add(inquiryLost)) {
				continue
			}
			if err := s.enqueue(ctx, t, Task{Kind: TaskInquire, CaseID: doubts[i].ID, Attempt: tries[doubts[i].ID] + 1, Once: true}); err != nil {
				return err
			}
		}
		return nil
	})
}
