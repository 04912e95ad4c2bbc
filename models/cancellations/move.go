package cancellations

import (
	"context"
	"fmt"
	"maps"
	"time"

	"veinte/models"
	"veinte/models/audit"
	"veinte/models/webhooks"
)

// move is one change of a cancellation's state.
type move struct {
	to       models.State
	detail   models.Detail
	reason   string // a person's reason, or evidence
	attempt  int    // the attempt that led to it; 0 when none did
	conflict models.Conflict
	sends    string         // the merchant's own object that goes to the service; "" is none
	set      map[string]any // further columns that change with it
}

// stateOf is a state as the trail records it before and after a move.
type stateOf struct {
	State  models.State  `json:"state"`
	Detail models.Detail `json:"detail,omitempty"`
	Sends  string        `json:"traceability,omitempty"`
	// Sequence, of the state after it, is the number of the move: 1 opens the
	// cancellation. Verification goes by it, see audit/trailfile/FORMAT.md.
	Sequence int `json:"sequence,omitempty"`
}

// move moves the locked cancellation to another state. It updates exactly one row,
// if it still has the state and version that were read, and writes the audit entry
// and enqueues the new state's tasks in the same transaction.
func (l *Held) move(ctx context.Context, actor models.Actor, m move) error {
	from := l.c.State
	if from == models.Requested && (m.to == models.Expired || m.to == models.Withdrawn) {
		if here, err := l.isHere(ctx); err != nil || !here {
			return err
		}
		if older, err := l.question(); err != nil {
			return err
		} else if older != (question{}) && m.to == models.Expired {
			m = mayBeCanceled
		}
	}
	at := l.At()
	if !from.CanMove(m.to) {
		return fmt.Errorf("move cancellation %d from %s to %s: no such move", l.c.ID, from, m.to)
	}
	columns := map[string]any{"state": m.to, "detail": m.detail, "version": l.c.Version + 1, "changed_at": at}
	maps.Copy(columns, m.set)
	done := l.tx.Model(&models.Cancellation{}).
		Where("id = ? AND state = ? AND version = ?", l.c.ID, from, l.c.Version).
		Updates(columns)
	if done.Error != nil {
		return fmt.Errorf("move cancellation %d to %s: %w", l.c.ID, m.to, done.Error)
	}
	if done.RowsAffected != 1 {
		return fmt.Errorf("move cancellation %d to %s: %w", l.c.ID, m.to, models.ErrStale)
	}
	before := stateOf{State: from, Detail: l.c.Detail}
	l.c.State, l.c.Detail, l.c.Version, l.c.ChangedAt = m.to, m.detail, l.c.Version+1, at
	if err := l.moved(actor, m, before); err != nil {
		return err
	}
	l.tx.Tell(models.Moved{Cancellation: l.c, From: from, By: actor})
	if m.to == models.Confirmed {
		if err := l.withdrawOthers(ctx, actor); err != nil {
			return err
		}
	}
	if err := l.tellEnd(actor, from); err != nil {
		return err
	}
	return l.follow(ctx, from)
}

// moved shows the cancellation's new state in its sale, records and publishes it.
func (l *Held) moved(actor models.Actor, m move, before any) error {
	if err := l.showInSale(m.to); err != nil {
		return err
	}
	if err := l.approve(actor, approvalOf(m.detail)); err != nil {
		return err
	}
	after := stateOf{State: m.to, Detail: m.detail, Sends: m.sends, Sequence: l.c.Version}
	about := audit.About{Attempt: m.attempt, Before: before, After: after, Reason: m.reason}
	if err := l.record(actor, models.ActionCancellationMoved, m.to.Outcome(), about); err != nil {
		return err
	}
	// Its type is the new state's name.
	if err := l.publish(webhooks.EventType("cancellation."+string(m.to)), ""); err != nil || m.conflict == "" {
		return err
	}
	return l.raise(actor, m.conflict, m.attempt, "")
}

// withdrawOthers withdraws a cancellation that was about to be sent for a sale that
// turned out to be canceled. One that may have been sent waits for its own evidence.
func (l *Held) withdrawOthers(ctx context.Context, actor models.Actor) error {
	other, err := find(l.tx.Where("sale_id = ? AND state = ? AND id <> ?", l.sale.ID, models.Requested, l.c.ID))
	if err != nil || other == nil {
		return err
	}
	o := *l
	o.c = *other
	return o.move(ctx, actor, move{to: models.Withdrawn, detail: models.DetailAlreadyCanceled})
}

// showInSale copies the state to the sale's row, unless a later cancellation
// determines the sale's state or the sale is already known to be canceled.
func (l *Held) showInSale(to models.State) error {
	if l.sale.State == models.SaleConfirmed {
		return nil
	}
	if to != models.Confirmed {
		var later int64
		if err := l.tx.Model(&models.Cancellation{}).Where("sale_id = ? AND id > ?", l.sale.ID, l.c.ID).Count(&later).Error; err != nil {
			return fmt.Errorf("look for later cancellations: %w", err)
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
	if err := l.tx.Model(&models.Sale{}).Where("id = ?", l.sale.ID).Update("state", l.sale.State).Error; err != nil {
		return fmt.Errorf("show state in sale %d: %w", l.sale.ID, err)
	}
	return nil
}

// before returns the sale's state before its latest cancellation, which was
// withdrawn. A supervisor's "not canceled" must not be lost by requesting again and
// withdrawing that.
func (l *Held) before() (models.SaleState, error) {
	earlier, err := find(l.tx.Where("sale_id = ? AND id < ? AND state <> ?", l.sale.ID, l.c.ID, models.Withdrawn).Order("id DESC"))
	if err != nil || earlier == nil {
		return models.SaleCancelable, err
	}
	return models.SaleState(earlier.State), nil
}

// raise records a conflict with the cancellation, for a supervisor, and publishes it.
// Evidence is what a person stated; "" when no person did.
func (l *Held) raise(actor models.Actor, conflict models.Conflict, attempt int, evidence string) error {
	// A result is in the inbox itself: it takes the place of no conflict that is
	// recorded only with the cancellation.
	if l.c.ReviewedAt != nil || !l.c.Conflict.OfCancellation() || conflict.OfCancellation() {
		at := l.At()
		columns := map[string]any{"conflict": conflict, "conflict_at": at, "reviewed_at": nil}
		if err := l.tx.Model(&models.Cancellation{}).Where("id = ?", l.c.ID).Updates(columns).Error; err != nil {
			return fmt.Errorf("raise conflict: %w", err)
		}
		l.c.Conflict, l.c.ConflictAt, l.c.ReviewedAt = conflict, &at, nil
	}
	if err := l.publish(webhooks.EventConflict, conflict); err != nil {
		return err
	}
	return l.record(actor, models.ActionCancellationConflict, models.OutcomeUnknown, audit.About{
		Attempt: attempt, Reason: evidence, After: map[string]models.Conflict{"conflict": conflict},
	})
}

func (l *Held) publish(event webhooks.EventType, conflict models.Conflict) error {
	return l.s.config.Deliveries.Publish(l.tx, webhooks.OfCancellation(event, l.At(), &l.c, &l.sale, &l.store, conflict))
}

// follow enqueues the tasks of the new state, and dispatches the terminal's next
// cancellation when this one no longer occupies it.
func (l *Held) follow(ctx context.Context, from models.State) error {
	switch l.c.State {
	case models.Accepted:
		return l.enqueue(ctx, models.Task{Kind: models.TaskResultWait, Attempt: l.c.Attempts, After: l.s.config.Rules.Waits().Result})
	case models.Requested:
		// Nothing was sent, by proof: try again soon, each time later.
		return l.enqueue(ctx, models.Task{Kind: models.TaskDispatch, After: time.Duration(l.c.Attempts) * resendPause})
	case models.Unknown:
		if err := l.inquireNext(ctx, Asked{}); err != nil {
			return err
		}
		return l.dispatchNext(ctx, l.quietLeft(&l.c, l.s.config.Rules.Waits()))
	case models.Sending:
		return nil
	}
	if from.Open() {
		// From requested too: it may have been dispatched in place of another one.
		return l.dispatchNext(ctx, 0)
	}
	return nil
}

// resendPause is the wait before sending again after proof that nothing was sent,
// times the number of attempts so far.
const resendPause = 2 * time.Second

// quietLeft returns how long the terminal may still act on the last push.
func (l *Held) quietLeft(c *models.Cancellation, waits models.Waits) time.Duration {
	if c.LastPushAt == nil {
		return 0
	}
	return max(c.QuietEnd(waits.Quiet).Sub(l.now), 0)
}

// dispatchNext enqueues the oldest cancellation that waits for the terminal.
func (l *Held) dispatchNext(ctx context.Context, after time.Duration) error {
	waiting := l.tx.Select("id").Where("terminal_id = ? AND state = ? AND id <> ?", l.c.TerminalID, models.Requested, l.c.ID)
	next, err := find(waiting.Order("id"))
	if err != nil || next == nil {
		return err
	}
	return l.enqueue(ctx, models.Task{Kind: models.TaskDispatch, SubjectID: next.ID, After: after})
}
