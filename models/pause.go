package models

import (
	"context"
	"errors"
	"fmt"
	"time"

	"gorm.io/gorm"
)

// The refusals around a pause.
var (
	ErrPaused        = &Error{Kind: KindConflict, Code: "error.paused"}
	errAlreadyPaused = &Error{Kind: KindConflict, Code: "error.alreadyPaused"}
	errNotPaused     = &Error{Kind: KindConflict, Code: "error.notPaused"}
)

// Pause stops the sending of cancellations, with a reason that everyone reads.
//
// Errors: ErrForbidden, what is wrong with the reason, or
// error.alreadyPaused when somebody else was faster.
func (s *Cancellations) Pause(ctx context.Context, actor Actor, reason string) error {
	if !actor.May(ManageSettings) {
		return ErrForbidden
	}
	reason, err := text("reason", reason, 300)
	if err != nil {
		return err
	}
	defer s.notices.forget()
	return s.db.transaction(ctx, func(t tx) error {
		if err := t.stopSending(); err != nil {
			return err
		}
		now := s.clock.Now()
		p := Pause{Reason: reason, PausedAt: now, PausedBy: actor.Name}
		err := t.Create(&p).Error
		if errors.Is(err, gorm.ErrDuplicatedKey) {
			return errAlreadyPaused
		}
		if err != nil {
			return fmt.Errorf("write pause: %w", err)
		}
		return t.record(actor, now, ActionPaused, OutcomeSuccess, about{reason: reason, before: toldPaused(false), after: toldPaused(true)})
	})
}

// Resume ends a pause. What has waited is sent, if its window is still open.
//
// Errors: ErrForbidden, or error.notPaused when that pause does not last: there
// may be another by now, whose reason the actor has not read.
func (s *Cancellations) Resume(ctx context.Context, actor Actor, pauseID int64) error {
	if !actor.May(ManageSettings) {
		return ErrForbidden
	}
	defer s.notices.forget()
	return s.db.transaction(ctx, func(t tx) error {
		now := s.clock.Now()
		done := t.Model(&Pause{}).Where("id = ? AND ended_at IS NULL", pauseID).Updates(map[string]any{"ended_at": now, "ended_by": actor.Name})
		switch {
		case done.Error != nil:
			return fmt.Errorf("end pause: %w", done.Error)
		case done.RowsAffected == 0:
			return errNotPaused
		}
		if err := t.record(actor, now, ActionResumed, OutcomeSuccess, about{before: toldPaused(true), after: toldPaused(false)}); err != nil {
			return err
		}
		return s.wakeAll(ctx, t)
	})
}

func toldPaused(paused bool) map[string]any { return map[string]any{"paused": paused} }

// wakeAll enqueues every case that waits to be sent.
func (s *Cancellations) wakeAll(ctx context.Context, t tx) error {
	var waiting []Cancellation
	if err := t.Select("id").Where("state = ?", Requested).Order("id").Find(&waiting).Error; err != nil {
		return fmt.Errorf("list waiting cases: %w", err)
	}
	for _, c := range waiting {
		if err := s.enqueue(ctx, t, Task{Kind: TaskDispatch, CaseID: c.ID, Once: true}); err != nil {
			return err
		}
	}
	return nil
}

// pausedWait is how soon a case looks again that finds a pause, should nothing
// wake it before.
const pausedWait = 30 * time.Second
