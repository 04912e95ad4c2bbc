package entrance

import (
	"context"
	"errors"
	"fmt"
	"time"

	"veinte/models"
	"veinte/models/accounts"
	"veinte/models/audit"
	"veinte/models/database"
)

// OpenSession is a session as its person, or an administrator, sees it.
type OpenSession struct {
	ID        int64
	CreatedAt time.Time
	SeenAt    time.Time
	Address   string
	UserAgent string
	Own       bool // on a device that the person said is theirs
}

var errSessionOver = &models.Error{Kind: models.KindConflict, Code: "session.over"}

// SessionsOf lists the sessions of a person that are open.
//
// Errors: ErrForbidden.
func (s *Service) SessionsOf(ctx context.Context, actor models.Actor, userID int64) ([]OpenSession, error) {
	if !actor.May(models.ManageUsers) && actor.UserID != userID {
		return nil, models.ErrForbidden
	}
	return s.sessions(ctx, userID)
}

func (s *Service) sessions(ctx context.Context, userID int64) ([]OpenSession, error) {
	rows, err := database.Rows[OpenSession](ctx, s.db, `SELECT s.id, s.created_at, s.seen_at, s.address, s.user_agent,
			coalesce(k.own, false) AS own`+sessionsOf+` WHERE s.user_id = $1 AND `+sessionLives+` ORDER BY s.seen_at DESC, s.id DESC`,
		append([]any{userID}, livesAt(s.clock.Now())...)...)
	if err != nil {
		return nil, fmt.Errorf("list the sessions of person %d: %w", userID, err)
	}
	return rows, nil
}

// EndOwnSession ends another session of the actor; 0: all others.
//
// Errors: session.over when it has ended already.
func (s *Service) EndOwnSession(ctx context.Context, actor models.Actor, id int64) error {
	return s.endSome(ctx, actor, actor.UserID, id, actor.Session.ID)
}

// EndSessionsOf ends a session of a person; 0: all of them.
//
// Errors: ErrForbidden, ErrNotFound, session.over when it has ended already.
func (s *Service) EndSessionsOf(ctx context.Context, actor models.Actor, userID, id int64) error {
	if !actor.May(models.ManageUsers) {
		return models.ErrForbidden
	}
	return s.endSome(ctx, actor, userID, id, 0)
}

// endSome ends one session of a person, or all but one, with one entry.
func (s *Service) endSome(ctx context.Context, actor models.Actor, userID, id, except int64) error {
	err := s.db.InTx(ctx, func(t database.Tx) error {
		if err := accounts.Lock(t, userID); err != nil {
			return err
		}
		u, err := accounts.ByID(t, userID)
		if err != nil {
			return err
		}
		var ended []struct{ CreatedAt time.Time }
		err = t.Raw(`DELETE FROM sessions WHERE user_id = @user AND id <> @except AND (CAST(@id AS bigint) = 0 OR id = @id)
			RETURNING created_at`,
			map[string]any{"user": userID, "except": except, "id": id}).Scan(&ended).Error
		if err != nil {
			return err
		}
		if id == 0 { // a sign-in that waits for its second step is none yet, and would be one soon
			if err := t.Exec("DELETE FROM sign_in_steps WHERE user_id = ?", userID).Error; err != nil {
				return err
			}
		}
		if len(ended) == 0 {
			return errSessionOver
		}
		before := map[string]any{"email": u.Email, "sessions": len(ended)}
		if id != 0 {
			before["since"] = ended[0].CreatedAt.UTC()
		}
		return audit.Record(t, actor, s.clock.Now(), models.ActionSessionsEnded, models.OutcomeSuccess, audit.About{Before: before})
	})
	var known *models.Error
	if err != nil && !errors.As(err, &known) {
		return fmt.Errorf("end sessions of person %d: %w", userID, err)
	}
	return err
}
