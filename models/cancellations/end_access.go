package cancellations

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"veinte/models"
	"veinte/models/database"
)

// WaitingOf counts what a person, or the program of a key, asked for and has not left. The
// ids of people and of keys are different.
func (s *Service) WaitingOf(ctx context.Context, requester int64) (n int64, err error) {
	err = s.config.DB.Gorm().WithContext(ctx).Model(&models.Cancellation{}).
		Where("requested_by = ? AND state = ?", requester, models.Requested).Count(&n).Error
	if err != nil {
		return 0, fmt.Errorf("count requests of %d: %w", requester, err)
	}
	return n, nil
}

// EndRequestsOf has what a requester asked for and has not left taken back by the actor
// who ends their access, in the transaction that ends it: from its commit on none of it
// is sent. WithdrawEnded withdraws each. It returns how many they are.
func (s *Service) EndRequestsOf(t database.Tx, actor models.Actor, requester int64) (int64, error) {
	by, err := models.EncodeActor(actor)
	if err != nil {
		return 0, err
	}
	done := t.Exec(`INSERT INTO ended_requests (cancellation_id, actor, ended_at)
		SELECT id, ?::jsonb, ? FROM cancellations WHERE requested_by = ? AND state = ? ON CONFLICT DO NOTHING`,
		string(by), s.config.Clock.Now(), requester, models.Requested)
	if done.Error != nil {
		return 0, fmt.Errorf("end the requests of %d: %w", requester, done.Error)
	}
	return done.RowsAffected, nil
}

// WithdrawEnded withdraws what goes back with the access of its requester. It is called
// when an access has ended, and by the sweep for what a process that died left over.
func (s *Service) WithdrawEnded(ctx context.Context) error {
	var ids []int64
	err := s.config.DB.Gorm().WithContext(ctx).Table("ended_requests").Order("ended_at, cancellation_id").Pluck("cancellation_id", &ids).Error
	if err != nil {
		return fmt.Errorf("list requests that go back: %w", err)
	}
	var failures []error
	for _, id := range ids {
		failures = append(failures, s.withLocked(ctx, id, func(l *Held) error {
			_, err := l.withdrawEnded(ctx)
			return err
		}))
	}
	return errors.Join(failures...)
}

// withdrawEnded withdraws the cancellation if it goes back with the access of its
// requester, and reports whether it does.
func (l *Held) withdrawEnded(ctx context.Context) (ended bool, err error) {
	var by string
	done := l.tx.Raw("DELETE FROM ended_requests WHERE cancellation_id = ? RETURNING actor", l.c.ID).Scan(&by)
	if done.Error != nil {
		return false, fmt.Errorf("look whether the access of who asked for cancellation %d ended: %w", l.c.ID, done.Error)
	}
	if done.RowsAffected == 0 || l.c.State != models.Requested {
		return false, nil
	}
	var actor models.Actor
	if err := json.Unmarshal([]byte(by), &actor); err != nil {
		return false, fmt.Errorf("decode who ended the access of who asked for cancellation %d: %w", l.c.ID, err)
	}
	return true, l.move(ctx, actor, move{to: models.Withdrawn, detail: models.DetailAccessEnded})
}
