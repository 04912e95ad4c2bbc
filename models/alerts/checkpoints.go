package alerts

import (
	"context"
	"fmt"
	"time"

	"veinte/models"
	"veinte/models/audit"
	"veinte/models/audit/sealing"
	"veinte/models/database"
)

// Checkpoints has the last checkpoint, with what others signed over it; nil when nothing was
// ever sealed.
type Checkpoints interface {
	LatestCheckpoint(ctx context.Context) (*sealing.Checkpoint, error)
}

// afterCutoff is when the checkpoint of a day is mailed: by then the day is closed, and whoever
// signs beside our own keys has signed.
const afterCutoff = time.Hour

// checkpointDay is the last day whose checkpoint was to be mailed.
func (a *Service) checkpointDay(now time.Time) models.Day {
	calendar := a.calendar()
	if now.Before(calendar.Cutoff(now).Add(afterCutoff)) {
		now = calendar.Day(now).Noon(calendar.Zone()).AddDate(0, 0, -1)
	}
	return calendar.Day(now)
}

// mailCheckpoints queues the letters with the checkpoint of a day, to all who want it. After
// days without a server only the last day's are sent: a checkpoint vouches for all before it.
func (a *Service) mailCheckpoints(ctx context.Context) error {
	if !a.canMail {
		return nil
	}
	now := a.clock.Now()
	day := a.checkpointDay(now)
	if last := a.mailedDay.Load(); last != nil && *last == day {
		return nil
	}
	if err := a.mailCheckpoint(database.Tx{DB: a.db.Gorm().WithContext(ctx)}, day, now, 0); err != nil {
		return err
	}
	a.mailedDay.Store(&day)
	return nil
}

// mailCheckpoint queues the letter with the checkpoint of a day to all who want it and may
// have it, or to one of them. Whoever has it already gets no other.
func (a *Service) mailCheckpoint(t database.Tx, day models.Day, now time.Time, userID int64) error {
	var readers []string
	for _, role := range models.Roles {
		if role.May(models.ReadAudit) {
			readers = append(readers, string(role))
		}
	}
	err := t.Exec(`INSERT INTO mails (checkpoint_day, recipient, language, due_at, created_at)
		SELECT @day, email, coalesce(nullif(language, ''), 'es-MX'), @now, @now FROM users
		WHERE mails_checkpoint AND role IN @readers AND (@user = 0 OR id = @user)
			AND disabled_at IS NULL AND (access_until IS NULL OR access_until >= @today)
			AND email !~ '[[:cntrl:]]' AND EXISTS (SELECT FROM checkpoints)
		ON CONFLICT (checkpoint_day, recipient) WHERE checkpoint_day IS NOT NULL DO NOTHING`,
		map[string]any{"day": day, "now": now, "today": models.AccessDay(now), "readers": readers, "user": userID}).Error
	if err != nil {
		return fmt.Errorf("write letters with the checkpoint of %s: %w", day, err)
	}
	return nil
}

// CheckpointMail is whether a person has the checkpoint of each day mailed.
type CheckpointMail struct {
	MailsCheckpoint bool
	Email           string
}

// CheckpointMail returns whether the actor has the checkpoint of each day mailed.
func (a *Service) CheckpointMail(ctx context.Context, actor models.Actor) (CheckpointMail, error) {
	m, err := database.Row[CheckpointMail](ctx, a.db.Pool(), `SELECT mails_checkpoint, email FROM users WHERE id = $1`, actor.UserID)
	if err != nil {
		return m, fmt.Errorf("read who has checkpoints mailed: %w", err)
	}
	return m, nil
}

// SetCheckpointMail has the checkpoint of each day mailed to the actor, or not any more. The
// last day's is sent at once, which shows that letters arrive.
//
// Errors: ErrForbidden, alert.noMail.
func (a *Service) SetCheckpointMail(ctx context.Context, actor models.Actor, on bool) error {
	if !actor.May(models.ReadAudit) {
		return models.ErrForbidden
	}
	if on && !a.canMail {
		return errNoMail
	}
	now := a.clock.Now()
	return a.db.InTx(ctx, func(t database.Tx) error {
		done := t.Exec("UPDATE users SET mails_checkpoint = ? WHERE id = ? AND mails_checkpoint <> ?", on, actor.UserID, on)
		if done.Error != nil {
			return fmt.Errorf("store who has checkpoints mailed: %w", done.Error)
		}
		if done.RowsAffected == 0 {
			return nil
		}
		if on {
			if err := a.mailCheckpoint(t, a.checkpointDay(now), now, actor.UserID); err != nil {
				return err
			}
		}
		return audit.Record(t, actor, now, models.ActionCheckpointMail, models.OutcomeSuccess,
			audit.About{Before: map[string]any{"mailsCheckpoint": !on}, After: map[string]any{"mailsCheckpoint": on}})
	})
}
