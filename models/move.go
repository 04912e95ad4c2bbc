package models

import (
	"context"
	"fmt"
	"time"
)

// move is one step in the life of a case.
type move struct {
	to       State
	detail   Detail
	reason   string // in a person's words, or evidence
	attempt  int    // which attempt led to it; 0 when none did
	conflict Conflict
	set      map[string]any // further columns that change with it
}

// stateOf is how the trail writes a state before and after.
type stateOf struct {
	State  State  `json:"state"`
	Detail Detail `json:"detail,omitempty"`
}

// move takes the locked case to another state: exactly one row, from the state
// and version that were read, with its audit entry and with the tasks that the
// new state waits for, all in the same transaction.
func (s *Cancellations) move(ctx context.Context, l *Held, actor Actor, now time.Time, m move) error {
	from := l.c.State
	if !from.CanMove(m.to) {
		return fmt.Errorf("move case %d from %s to %s: no such move", l.c.ID, from, m.to)
	}
	columns := map[string]any{"state": m.to, "detail": m.detail, "version": l.c.Version + 1, "changed_at": now}
	for name, value := range m.set {
		columns[name] = value
	}
	done := l.Model(&Cancellation{}).
		Where("id = ? AND state = ? AND version = ?", l.c.ID, from, l.c.Version).
		Updates(columns)
	if done.Error != nil {
		return fmt.Errorf("move case %d to %s: %w", l.c.ID, m.to, done.Error)
	}
	if done.RowsAffected != 1 {
		return fmt.Errorf("move case %d to %s: %w", l.c.ID, m.to, ErrStale)
	}
	before := stateOf{from, l.c.Detail}
	l.c.State, l.c.Detail, l.c.Version, l.c.ChangedAt = m.to, m.detail, l.c.Version+1, now
	if err := l.showInSale(m.to); err != nil {
		return err
	}
	if err := l.approve(actor, now, m.detail.approval()); err != nil {
		return err
	}
	err := l.record(actor, now, ActionCaseMoved, m.to.outcome(), about{
		store: &l.store, sale: &l.sale, caseID: l.c.ID, attempt: m.attempt,
		before: before, after: stateOf{m.to, m.detail}, reason: m.reason,
	})
	if err != nil {
		return err
	}
	if err := s.publish(l, eventOf(m.to), now, ""); err != nil {
		return err
	}
	if m.conflict != "" {
		if err := s.raise(l, actor, now, m.conflict, m.attempt); err != nil {
			return err
		}
	}
	if m.to == Confirmed {
		if err := s.withdrawOthers(ctx, l, actor, now); err != nil {
			return err
		}
	}
	return s.follow(ctx, l, from, now)
}

// withdrawOthers takes back a case that was about to be sent for a sale that
// turned out to be canceled. One that may have left waits for its own evidence.
func (s *Cancellations) withdrawOthers(ctx context.Context, l *Held, actor Actor, now time.Time) error {
	var other Cancellation
	err := take(l.Where("sale_id = ? AND state = ? AND id <> ?", l.sale.ID, Requested, l.c.ID), &other)
	if err == ErrNotFound {
		return nil
	}
	if err != nil {
		return fmt.Errorf("look for other cases: %w", err)
	}
	o := &Held{tx: l.tx, cases: s, sale: l.sale, store: l.store, c: other}
	return s.move(ctx, o, actor, now, move{to: Withdrawn, detail: DetailAlreadyCanceled})
}

// outcome is how the trail's outcome column reads a state.
func (s State) outcome() Outcome {
	switch s {
	case Rejected, Expired, NotCanceled:
		return OutcomeFailure
	case Unknown:
		return OutcomeUnknown
	default:
		return OutcomeSuccess
	}
}

// showInSale repeats the state in the sale's row, unless a later case speaks
// for the sale or the sale is already known to be canceled.
func (l *Held) showInSale(to State) error {
	if l.sale.State == SaleConfirmed {
		return nil
	}
	if to != Confirmed {
		var later int64
		if err := l.Model(&Cancellation{}).Where("sale_id = ? AND id > ?", l.sale.ID, l.c.ID).Count(&later).Error; err != nil {
			return fmt.Errorf("look for later cases: %w", err)
		}
		if later > 0 {
			return nil
		}
	}
	if to == Withdrawn {
		shown, err := l.before()
		if err != nil {
			return err
		}
		l.sale.State = shown
	} else {
		l.sale.State = SaleState(to)
	}
	if err := l.Model(&Sale{}).Where("id = ?", l.sale.ID).Update("state", l.sale.State).Error; err != nil {
		return fmt.Errorf("show state in sale %d: %w", l.sale.ID, err)
	}
	return nil
}

// before returns what the sale showed before its latest case, which was taken
// back: a supervisor's "not canceled" must not be forgotten by asking again and
// taking that back.
func (l *Held) before() (SaleState, error) {
	var earlier Cancellation
	err := take(l.Where("sale_id = ? AND id < ? AND state <> ?", l.sale.ID, l.c.ID, Withdrawn).Order("id DESC"), &earlier)
	if err == ErrNotFound {
		return SaleCancelable, nil
	}
	if err != nil {
		return "", fmt.Errorf("look for earlier cases: %w", err)
	}
	return SaleState(earlier.State), nil
}

// raise notes what contradicts the case, for a supervisor.
func (s *Cancellations) raise(l *Held, actor Actor, now time.Time, conflict Conflict, attempt int) error {
	return s.raiseBy(l, actor, now, conflict, attempt, "")
}

// raiseBy is raise with the evidence that a person brought.
func (s *Cancellations) raiseBy(l *Held, actor Actor, now time.Time, conflict Conflict, attempt int, evidence string) error {
	if l.c.ReviewedAt == nil && l.c.Conflict.ofCase() && !conflict.ofCase() {
		// The result stands in the inbox by itself; of the other only the case tells.
		return s.conflict(l, actor, now, conflict, attempt, evidence)
	}
	columns := map[string]any{"conflict": conflict, "conflict_at": now, "reviewed_at": nil}
	if err := l.Model(&Cancellation{}).Where("id = ?", l.c.ID).Updates(columns).Error; err != nil {
		return fmt.Errorf("raise conflict: %w", err)
	}
	l.c.Conflict, l.c.ConflictAt, l.c.ReviewedAt = conflict, &now, nil
	return s.conflict(l, actor, now, conflict, attempt, evidence)
}

// conflict records and tells what contradicts the case.
func (s *Cancellations) conflict(l *Held, actor Actor, now time.Time, conflict Conflict, attempt int, evidence string) error {
	if err := s.publish(l, EventConflict, now, conflict); err != nil {
		return err
	}
	return l.record(actor, now, ActionCaseConflict, OutcomeUnknown, about{
		store: &l.store, sale: &l.sale, caseID: l.c.ID, attempt: attempt, reason: evidence, after: map[string]Conflict{"conflict": conflict},
	})
}

// follow enqueues what the new state waits for, and wakes the next case of the
// terminal when this one has let go of it.
func (s *Cancellations) follow(ctx context.Context, l *Held, from State, now time.Time) error {
	switch l.c.State {
	case Accepted:
		return s.enqueue(ctx, l.tx, Task{Kind: TaskResultWait, CaseID: l.c.ID, Attempt: l.c.Attempts, After: s.Waits().Result})
	case Requested:
		// Sent back by proof that nothing left: again soon, each time later.
		again := time.Duration(l.c.Attempts) * resendPause
		return s.enqueue(ctx, l.tx, Task{Kind: TaskDispatch, CaseID: l.c.ID, After: again})
	case Unknown:
		if err := s.inquireNext(ctx, l, 0); err != nil {
			return err
		}
		return s.wakeNext(ctx, l, quietLeft(&l.c, s.Waits(), now))
	case Sending:
		return nil
	}
	if from.Open() {
		// From requested too: the case may have been woken in another's place.
		return s.wakeNext(ctx, l, 0)
	}
	return nil
}

// resendPause is the wait before a case is sent again after proof that nothing
// of it left, times the attempts so far.
const resendPause = 2 * time.Second

// quietLeft is how long the terminal may still act on the case's last push.
func quietLeft(c *Cancellation, waits Waits, now time.Time) time.Duration {
	if c.LastPushAt == nil {
		return 0
	}
	return max(c.QuietEnd(waits.Quiet).Sub(now), 0)
}

// wakeNext enqueues the oldest case that waits for the terminal.
func (s *Cancellations) wakeNext(ctx context.Context, l *Held, after time.Duration) error {
	var next Cancellation
	err := take(l.Select("id").Where("terminal_id = ? AND state = ? AND id <> ?", l.c.TerminalID, Requested, l.c.ID).Order("id"), &next)
	if err == ErrNotFound {
		return nil
	}
	if err != nil {
		return fmt.Errorf("look for the next case: %w", err)
	}
	return s.enqueue(ctx, l.tx, Task{Kind: TaskDispatch, CaseID: next.ID, After: after})
}

func (s *Cancellations) enqueue(ctx context.Context, t tx, task Task) error {
	if err := s.queue.Enqueue(ctx, t.sql, task); err != nil {
		return fmt.Errorf("enqueue %s of case %d: %w", task.Kind, task.CaseID, err)
	}
	return nil
}
