package cancellations

import (
	"context"
	"errors"
	"fmt"
	"time"

	"gorm.io/gorm"

	"veinte/models"
	"veinte/models/audit"
	"veinte/models/database"
	"veinte/models/rules"
)

// The refusals around a pause.
var (
	ErrPaused        = &models.Error{Kind: models.KindConflict, Code: "error.paused"}
	errAlreadyPaused = &models.Error{Kind: models.KindConflict, Code: "error.alreadyPaused"}
	errNotPaused     = &models.Error{Kind: models.KindConflict, Code: "error.notPaused"}
)

// Pause stops the sending of cancellations, with a reason that everyone can read.
//
// Errors: ErrForbidden, what is wrong with the reason, or error.alreadyPaused when
// another pause was first.
func (s *Service) Pause(ctx context.Context, actor models.Actor, reason string) error {
	if !actor.May(models.ManageSettings) {
		return models.ErrForbidden
	}
	reason, err := models.Text("reason", reason, 300)
	if err != nil {
		return err
	}
	defer s.config.OnPause()
	return s.config.DB.InTx(ctx, func(t database.Tx) error {
		actor, err := s.settingsBy(t, actor)
		if err != nil {
			return err
		}
		if err := rules.StopSending(t); err != nil {
			return err
		}
		now := s.config.Clock.Now()
		p := rules.Pause{Reason: reason, PausedAt: now, PausedBy: actor.Name}
		err = t.Create(&p).Error
		if errors.Is(err, gorm.ErrDuplicatedKey) {
			return errAlreadyPaused
		}
		if err != nil {
			return fmt.Errorf("write pause: %w", err)
		}
		return audit.Record(t, actor, now, models.ActionPaused, models.OutcomeSuccess,
			audit.About{Reason: reason, Before: pausedAttributes(false), After: pausedAttributes(true)})
	})
}

// Resume ends a pause. Waiting cancellations are sent if their window is still open.
//
// Errors: ErrForbidden, or error.notPaused when that pause has ended: there may be
// another by now, whose reason the actor has not read.
func (s *Service) Resume(ctx context.Context, actor models.Actor, pauseID int64) error {
	if !actor.May(models.ManageSettings) {
		return models.ErrForbidden
	}
	defer s.config.OnPause()
	return s.config.DB.InTx(ctx, func(t database.Tx) error {
		actor, err := s.settingsBy(t, actor)
		if err != nil {
			return err
		}
		now := s.config.Clock.Now()
		done := t.Model(&rules.Pause{}).Where("id = ? AND ended_at IS NULL",
			pauseID).Updates(map[string]any{"ended_at": now, "ended_by": actor.Name})
		switch {
		case done.Error != nil:
			return fmt.Errorf("end pause: %w", done.Error)
		case done.RowsAffected == 0:
			return errNotPaused
		}
		if err := audit.Record(t, actor, now, models.ActionResumed, models.OutcomeSuccess,
			audit.About{Before: pausedAttributes(true), After: pausedAttributes(false)}); err != nil {
			return err
		}
		return s.redispatch(ctx, t, t.Where("state = ?", models.Requested), 0)
	})
}

// settingsBy returns the actor as they are now, if they may manage the settings.
func (s *Service) settingsBy(t database.Tx, actor models.Actor) (models.Actor, error) {
	actor, err := s.config.Actor(t, actor)
	if err == nil && !actor.May(models.ManageSettings) {
		err = models.ErrForbidden
	}
	return actor, err
}

func pausedAttributes(paused bool) map[string]any { return map[string]any{"paused": paused} }

// pausedWait is how soon a cancellation that finds a pause is tried again if nothing
// dispatches it before.
const pausedWait = 30 * time.Second
