package cancellations

import (
	"context"
	"fmt"
	"time"

	"veinte/models"
	"veinte/models/audit"
	"veinte/models/database"
	"veinte/models/webhooks"
)

// move is one change of a cancellation's state.
type move struct {
	to       models.State
	detail   models.Detail
	reason   string // a person's reason, or evidence
	attempt  int    // the attempt that led to it; 0 when none did
	conflict models.Conflict
	set      map[string]any // further columns that change with it
}

// stateOf is a state as the trail records it before and after a move.
type stateOf struct {
	State  models.State  `json:"state"`
	Detail models.Detail `json:"detail,omitempty"`
}

// move moves the locked cancellation to another state. It updates exactly one row,
// if it still has the state and version that were read, and writes the audit entry
// and enqueues the new state's tasks in the same transaction.
func (s *Service) move(ctx context.Context, l *Held, actor models.Actor, now time.Time, m move) error {
	from := l.c.State
	if !from.CanMove(m.to) {
		return fmt.Errorf("move case %d from %s to %s: no such move", l.c.ID, from, m.to)
	}
	columns := map[string]any{"state": m.to, "detail": m.detail, "version": l.c.Version + 1, "changed_at": now}
	for name, value := range m.set {
		columns[name] = value
	}
	done := l.Model(&models.Cancellation{}).
		Where("id = ? AND state = ? AND version = ?", l.c.ID, from, l.c.Version).
		Updates(columns)
	if done.Error != nil {
		return fmt.Errorf("move case %d to %s: %w", l.c.ID, m.to, done.Error)
	}
	if done.RowsAffected != 1 {
		return fmt.Errorf("move case %d to %s: %w", l.c.ID, m.to, models.ErrStale)
	}
	before := stateOf{from, l.c.Detail}
	l.c.State, l.c.Detail, l.c.Version, l.c.ChangedAt = m.to, m.detail, l.c.Version+1, now
	if err := l.showInSale(m.to); err != nil {
		return err
	}
	if err := l.approve(actor, now, approvalOf(m.detail)); err != nil {
		return err
	}
	err := audit.Record(l.Tx, actor, now, models.ActionCancellationMoved, m.to.Outcome(), audit.About{
		Store: &l.store, Sale: &l.sale, CancellationID: l.c.ID, Attempt: m.attempt,
		Before: before, After: stateOf{m.to, m.detail}, Reason: m.reason,
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
	if m.to == models.Confirmed {
		if err := s.withdrawOthers(ctx, l, actor, now); err != nil {
			return err
		}
	}
	return s.follow(ctx, l, from, now)
}

// withdrawOthers withdraws a cancellation that was about to be sent for a sale that
// turned out to be canceled. One that may have been sent waits for its own evidence.
func (s *Service) withdrawOthers(ctx context.Context, l *Held, actor models.Actor, now time.Time) error {
	var other models.Cancellation
	err := database.TakeRow(l.Where("sale_id = ? AND state = ? AND id <> ?", l.sale.ID, models.Requested, l.c.ID), &other)
	if err == models.ErrNotFound {
		return nil
	}
	if err != nil {
		return fmt.Errorf("look for other cases: %w", err)
	}
	o := &Held{Tx: l.Tx, cases: s, sale: l.sale, store: l.store, c: other}
	return s.move(ctx, o, actor, now, move{to: models.Withdrawn, detail: models.DetailAlreadyCanceled})
}

// showInSale copies the state to the sale's row, unless a later cancellation
// determines the sale's state or the sale is already known to be canceled.
func (l *Held) showInSale(to models.State) error {
	if l.sale.State == models.SaleConfirmed {
		return nil
	}
	if to != models.Confirmed {
		var later int64
		if err := l.Model(&models.Cancellation{}).Where("sale_id = ? AND id > ?", l.sale.ID, l.c.ID).Count(&later).Error; err != nil {
			return fmt.Errorf("look for later cases: %w", err)
		}
		if later > 0 {
			return nil
		}
	}
	if to == models.Withdrawn {
		shown, err := l.before()
		if err != nil {
			return err
		}
		l.sale.State = shown
	} else {
		l.sale.State = models.SaleState(to)
	}
	if err := l.Model(&models.Sale{}).Where("id = ?", l.sale.ID).Update("state", l.sale.State).Error; err != nil {
		return fmt.Errorf("show state in sale %d: %w", l.sale.ID, err)
	}
	return nil
}

// before returns the sale's state before its latest cancellation, which was
// withdrawn. A supervisor's "not canceled" must not be lost by requesting again and
// withdrawing that.
func (l *Held) before() (models.SaleState, error) {
	var earlier models.Cancellation
	err := database.TakeRow(l.Where("sale_id = ? AND id < ? AND state <> ?", l.sale.ID, l.c.ID, models.Withdrawn).Order("id DESC"), &earlier)
	if err == models.ErrNotFound {
		return models.SaleCancelable, nil
	}
	if err != nil {
		return "", fmt.Errorf("look for earlier cases: %w", err)
	}
	return models.SaleState(earlier.State), nil
}

// raise records a conflict with the cancellation, for a supervisor.
func (s *Service) raise(l *Held, actor models.Actor, now time.Time, conflict models.Conflict, attempt int) error {
	return s.raiseBy(l, actor, now, conflict, attempt, "")
}

// raiseBy is raise with a person's evidence.
func (s *Service) raiseBy(l *Held, actor models.Actor, now time.Time, conflict models.Conflict, attempt int, evidence string) error {
	if l.c.ReviewedAt == nil && l.c.Conflict.OfCancellation() && !conflict.OfCancellation() {
		// A result is in the inbox itself; other conflicts are recorded only with
		// the cancellation.
		return s.conflict(l, actor, now, conflict, attempt, evidence)
	}
	columns := map[string]any{"conflict": conflict, "conflict_at": now, "reviewed_at": nil}
	if err := l.Model(&models.Cancellation{}).Where("id = ?", l.c.ID).Updates(columns).Error; err != nil {
		return fmt.Errorf("raise conflict: %w", err)
	}
	l.c.Conflict, l.c.ConflictAt, l.c.ReviewedAt = conflict, &now, nil
	return s.conflict(l, actor, now, conflict, attempt, evidence)
}

// conflict records a conflict with the cancellation, and publishes it.
func (s *Service) conflict(l *Held, actor models.Actor, now time.Time, conflict models.Conflict, attempt int, evidence string) error {
	if err := s.publish(l, webhooks.EventConflict, now, conflict); err != nil {
		return err
	}
	return audit.Record(l.Tx, actor, now, models.ActionCancellationConflict, models.OutcomeUnknown, audit.About{
		Store: &l.store, Sale: &l.sale, CancellationID: l.c.ID, Attempt: attempt, Reason: evidence, After: map[string]models.Conflict{"conflict": conflict},
	})
}

// follow enqueues the tasks of the new state, and dispatches the terminal's next
// cancellation when this one no longer occupies it.
func (s *Service) follow(ctx context.Context, l *Held, from models.State, now time.Time) error {
	switch l.c.State {
	case models.Accepted:
		return database.Enqueue(ctx, s.queue, l.Tx, models.Task{Kind: models.TaskResultWait, CaseID: l.c.ID, Attempt: l.c.Attempts, After: s.rules.Waits().Result})
	case models.Requested:
		// Nothing was sent, by proof: try again soon, each time later.
		again := time.Duration(l.c.Attempts) * resendPause
		return database.Enqueue(ctx, s.queue, l.Tx, models.Task{Kind: models.TaskDispatch, CaseID: l.c.ID, After: again})
	case models.Unknown:
		if err := s.inquireNext(ctx, l, 0); err != nil {
			return err
		}
		return s.dispatchNext(ctx, l, quietLeft(&l.c, s.rules.Waits(), now))
	case models.Sending:
		return nil
	}
	if from.Open() {
		// From requested too: it may have been dispatched in place of another one.
		return s.dispatchNext(ctx, l, 0)
	}
	return nil
}

// resendPause is the wait before sending again after proof that nothing was sent,
// times the number of attempts so far.
const resendPause = 2 * time.Second

// quietLeft returns how long the terminal may still act on the last push.
func quietLeft(c *models.Cancellation, waits models.Waits, now time.Time) time.Duration {
	if c.LastPushAt == nil {
		return 0
	}
	return max(c.QuietEnd(waits.Quiet).Sub(now), 0)
}

// dispatchNext enqueues the oldest cancellation that waits for the terminal.
func (s *Service) dispatchNext(ctx context.Context, l *Held, after time.Duration) error {
	var next models.Cancellation
	err := database.TakeRow(l.Select("id").Where("terminal_id = ? AND state = ? AND id <> ?", l.c.TerminalID, models.Requested, l.c.ID).Order("id"), &next)
	if err == models.ErrNotFound {
		return nil
	}
	if err != nil {
		return fmt.Errorf("look for the next case: %w", err)
	}
	return database.Enqueue(ctx, s.queue, l.Tx, models.Task{Kind: models.TaskDispatch, CaseID: next.ID, After: after})
}
