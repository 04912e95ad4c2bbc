package accounts

import (
	"context"
	"fmt"

	"veinte/models"
	"veinte/models/audit"
	"veinte/models/database"
)

// MailNotices has f called for every notice, in its transaction.
func (s *Service) MailNotices(f func(database.Tx, *models.AccountNotice) error) { s.mailNotice = f }

// Notify tells a person what the actor did to their account, in the transaction in which
// it is done. Where the actor is the person, or has what they sign in with, the notice
// says from where.
func (s *Service) Notify(t database.Tx, actor models.Actor, userID int64, kind models.AccountNoticeKind) error {
	return s.notify(t, noticeOf(actor, userID, kind), true)
}

func noticeOf(actor models.Actor, userID int64, kind models.AccountNoticeKind) *models.AccountNotice {
	n := &models.AccountNotice{UserID: userID, Kind: kind}
	switch {
	case actor.UserID == userID:
		n.Address, n.UserAgent = actor.Address, models.Legible(actor.UserAgent, 200)
	case actor.Role != models.SystemRole:
		n.ByName = actor.Name
	}
	if actor.Session.ID != 0 {
		n.SessionID = &actor.Session.ID
	}
	return n
}

// NotifyFactorReset tells the person, and all administrators, that their second factor was
// reset.
func (s *Service) NotifyFactorReset(t database.Tx, actor models.Actor, u *models.User) error {
	if err := s.Notify(t, actor, u.ID, models.NoticeFactorReset); err != nil {
		return err
	}
	return s.notifyAdministrators(t, actor, u.ID, models.NoticeFactorResetOf, u.Name)
}

// NotifyAsked tells the administrators who may have to confirm rights of somebody, or of a
// program's key, that they wait. userID is 0 for a key.
func (s *Service) NotifyAsked(t database.Tx, actor models.Actor, userID int64, name string) error {
	return s.notifyAdministrators(t, actor, userID, models.NoticeRightsAsked, name)
}

// notifyAdministrators tells all administrators who have access what concerns somebody else.
// Whoever asked for rights knows it.
func (s *Service) notifyAdministrators(t database.Tx, actor models.Actor, of int64, kind models.AccountNoticeKind, name string) error {
	var to []int64
	err := t.Raw(`SELECT id FROM users WHERE role = ? AND id <> ? AND disabled_at IS NULL AND (access_until IS NULL OR access_until >= ?)
		ORDER BY id`, models.Administrator, of, models.AccessDay(s.clock.Now())).Scan(&to).Error
	if err != nil {
		return err
	}
	for _, id := range to {
		if id == actor.UserID && kind == models.NoticeRightsAsked {
			continue
		}
		n := noticeOf(actor, id, kind)
		n.OfName = name
		if err := s.notify(t, n, true); err != nil {
			return err
		}
	}
	return nil
}

// notify stores a notice. mail is false where a letter says it anyway.
func (s *Service) notify(t database.Tx, n *models.AccountNotice, mail bool) error {
	n.At = s.clock.Now()
	err := t.Raw(`INSERT INTO account_notices (user_id, kind, at, address, user_agent, by_name, of_name, session_id)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?) RETURNING id`,
		n.UserID, n.Kind, n.At, n.Address, n.UserAgent, n.ByName, n.OfName, n.SessionID).Scan(&n.ID).Error
	if err != nil {
		return fmt.Errorf("tell person %d about their account: %w", n.UserID, err)
	}
	if !mail || s.mailNotice == nil {
		return nil
	}
	return s.mailNotice(t, n)
}

const noticeColumns = `id, user_id, kind, at, address, user_agent, by_name, of_name, session_id, dismissed_at`

// NoticesOf lists what the actor is told of their account and has not dismissed, the newest
// first. What they did in this session is not news to them.
func (s *Service) NoticesOf(ctx context.Context, actor models.Actor) ([]models.AccountNotice, error) {
	rows, err := database.Rows[models.AccountNotice](ctx, s.db, `SELECT `+noticeColumns+` FROM account_notices
		WHERE user_id = $1 AND dismissed_at IS NULL AND session_id IS DISTINCT FROM $2 ORDER BY id DESC LIMIT 50`,
		actor.UserID, actor.Session.ID)
	if err != nil {
		return nil, fmt.Errorf("list the notices of person %d: %w", actor.UserID, err)
	}
	return rows, nil
}

// NoticeOf returns a notice for its letter.
func (s *Service) NoticeOf(ctx context.Context, id int64) (*models.AccountNotice, error) {
	n, err := database.Row[models.AccountNotice](ctx, s.db, `SELECT `+noticeColumns+` FROM account_notices WHERE id = $1`, id)
	return &n, err
}

// DismissNotice notes that the actor has seen a notice of theirs; once more changes nothing.
//
// Errors: ErrNotFound, also for a notice of somebody else and for one that is no news in
// this session.
func (s *Service) DismissNotice(ctx context.Context, actor models.Actor, id int64) error {
	err := s.db.InTx(ctx, func(t database.Tx) error {
		var n models.AccountNotice
		done := t.Raw(`SELECT `+noticeColumns+` FROM account_notices
			WHERE id = ? AND user_id = ? AND session_id IS DISTINCT FROM ? FOR UPDATE`, id, actor.UserID, actor.Session.ID).Scan(&n)
		switch {
		case done.Error != nil:
			return done.Error
		case done.RowsAffected == 0:
			return models.ErrNotFound
		case n.DismissedAt != nil:
			return nil
		}
		now := s.clock.Now()
		if err := t.Exec("UPDATE account_notices SET dismissed_at = ? WHERE id = ?", now, id).Error; err != nil {
			return err
		}
		about := audit.About{After: map[string]any{"notice": n.Kind}}
		return audit.Record(t, actor, now, models.ActionNoticeDismissed, models.OutcomeSuccess, about)
	})
	if err != nil {
		return fmt.Errorf("dismiss notice %d: %w", id, err)
	}
	return nil
}
