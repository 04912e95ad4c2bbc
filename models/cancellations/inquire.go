package cancellations

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"gorm.io/gorm/clause"

	"gorm.io/gorm"

	"veinte/models"
	"veinte/models/audit"
	"veinte/models/database"
	"veinte/models/evidence"
)

// AskToVerify enqueues an inquiry: the terminal posts the state of the sale again.
// It moves no money, but it is a push like any other: while the result of a
// cancellation is awaited it would take its place on the terminal's screen, so only
// a doubt can be verified. Two requests at the same moment send one inquiry.
//
// Errors: ErrNotFound, ErrForbidden, error.notConfigured, error.notOpen when there
// is nothing in doubt, or error.alreadyAsked when somebody just has.
func (s *Service) AskToVerify(ctx context.Context, actor models.Actor, id int64) error {
	return s.withLocked(ctx, id, func(l *Held) error {
		if err := l.allows(&actor, models.VerifyCancellations); err != nil {
			return err
		}
		if s.config.Inquiries == nil {
			return &models.Error{Kind: models.KindConflict, Code: "error.notConfigured"}
		}
		if l.c.State != models.Unknown {
			return &models.Error{Kind: models.KindConflict, Code: "error.notOpen"}
		}
		if l.c.AskedAt != nil && l.now.Before(l.c.AskedAt.Add(models.InquiryDelay)) {
			return &models.Error{Kind: models.KindConflict, Code: "error.alreadyAsked"}
		}
		if err := l.tx.Model(&models.Cancellation{}).Where("id = ?", id).Update("asked_at", l.now).Error; err != nil {
			return fmt.Errorf("note the wish to verify cancellation %d: %w", id, err)
		}
		err := l.record(actor, models.ActionInquirySent, models.OutcomeSuccess, audit.About{})
		if err != nil {
			return err
		}
		return l.enqueue(ctx, models.Task{Kind: models.TaskInquire, By: actor.Name, Once: true})
	})
}

// inquireNext enqueues the next automatic inquiry.
func (l *Held) inquireNext(ctx context.Context, asked Asked) error {
	due := l.s.NextInquiry(&l.c, asked)
	if due.IsZero() {
		return nil
	}
	return l.enqueue(ctx, models.Task{Kind: models.TaskInquire, Attempt: asked.Tries + 1, After: due.Sub(l.now), Once: true})
}

// Inquire sends the inquiry of a cancellation in doubt: the automatic one of number
// try, or one that a person requested, which is try 0. The service's reply is only
// an acknowledgement; the terminal posts the state to the results endpoint, where it
// becomes evidence. A positive wait means that the terminal is busy: call again
// after it.
func (s *Service) Inquire(ctx context.Context, id int64, try int) (wait time.Duration, err error) {
	if s.config.Inquiries == nil {
		return 0, nil
	}
	var order *models.Order
	err = s.withLocked(ctx, id, func(l *Held) error {
		if l.c.State != models.Unknown {
			return nil
		}
		if wait, err = l.occupied(); err != nil || wait > 0 {
			return err
		}
		order, err = l.inquiry(ctx, try)
		return err
	})
	if err != nil {
		return 0, fmt.Errorf("inquire about cancellation %d: %w", id, err)
	}
	if order == nil {
		return wait, nil
	}
	return 0, s.sendInquiry(ctx, order, func(t database.Tx) (*Held, error) { return s.HoldCancellation(t, id) })
}

// sendInquiry sends a committed inquiry and stores the service's reply with what hold
// selects.
func (s *Service) sendInquiry(ctx context.Context, order *models.Order, hold func(database.Tx) (*Held, error)) error {
	sent, cancel := context.WithTimeout(ctx, s.config.Rules.Waits().Answer)
	defer cancel()
	reply := s.config.Inquiries.Inquire(sent, *order)
	return s.config.DB.InTx(context.WithoutCancel(ctx), func(t database.Tx) error {
		l, err := hold(t)
		if err != nil {
			return err
		}
		return l.inquired(order.Key, reply)
	})
}

// inquiry records the inquiry before any byte of it is sent.
func (l *Held) inquiry(ctx context.Context, try int) (*models.Order, error) {
	order, err := l.writeInquiry("cancellation_id", l.c.ID, try)
	if err != nil {
		return nil, err
	}
	if try == 0 {
		return order, nil // recorded in the trail when the person requested it
	}
	err = l.record(models.System("verify", l.c.Requester), models.ActionInquirySent, models.OutcomeSuccess,
		audit.About{After: map[string]any{"try": try}})
	if err != nil {
		return nil, err
	}
	return order, l.inquireNext(ctx, Asked{Tries: try, Last: l.now})
}

// writeInquiry writes an inquiry about what a column of inquiries names.
func (l *Held) writeInquiry(about string, id int64, try int) (*models.Order, error) {
	order, err := l.order(models.NewAttemptKey())
	if err != nil {
		return nil, err
	}
	// After it the terminal counts as free for another push.
	order.OmitReceipt, order.Deadline = true, l.now.Add(min(l.s.config.Rules.Waits().Answer, models.InquiryDelay))
	err = l.tx.Table("inquiries").Create(map[string]any{
		about: id, "terminal_id": l.sale.TerminalID, "try": try, "key_hash": order.Key.Hash(), "sent_at": l.now,
	}).Error
	if err != nil {
		return nil, fmt.Errorf("write inquiry: %w", err)
	}
	return order, nil
}

// inquired stores the service's reply to an inquiry. An inquiry that did not reach
// the terminal no longer occupies it; the trail records it, as no result will
// follow.
func (l *Held) inquired(key models.AttemptKey, reply models.Reply) error {
	columns := map[string]any{"meaning": reply.Meaning, "detail": reply.Detail}
	if reply.Meaning == models.MeaningNotSent || reply.Meaning == models.MeaningRefused {
		columns["answered_at"] = l.now
	}
	if err := l.tx.Table("inquiries").Where("key_hash = ?", key.Hash()).Updates(columns).Error; err != nil {
		return fmt.Errorf("store reply to inquiry: %w", err)
	}
	if err := l.noteAnswer(reply); err != nil || reply.Meaning == models.MeaningAccepted {
		return err
	}
	outcome := models.OutcomeFailure
	if reply.Meaning == models.MeaningUnknown {
		outcome = models.OutcomeUnknown
	}
	return l.record(models.System("verify", l.c.Requester), models.ActionInquirySent, outcome,
		audit.About{After: map[string]any{"detail": reply.Detail}})
}

// lockedTerminal locks the row of the sale's terminal for the rest of the
// transaction: one push at a time is decided on, and none while the terminal is
// retired.
func (l *Held) lockedTerminal() (*models.Terminal, error) {
	var terminal models.Terminal
	return &terminal, database.TakeRow(l.tx.Clauses(clause.Locking{Strength: "NO KEY UPDATE"}).Where("id = ?", l.sale.TerminalID), &terminal)
}

// occupied locks the terminal and returns how long another cancellation's push, or
// an inquiry, still occupies its screen.
func (l *Held) occupied() (time.Duration, error) {
	if _, err := l.lockedTerminal(); err != nil {
		return 0, err
	}
	var pushes, inquiries int64
	err := l.tx.Model(&models.Cancellation{}).Where("terminal_id = ? AND id <> ? AND state IN ?", l.sale.TerminalID, l.c.ID,
		[]models.State{models.Sending, models.Accepted}).Count(&pushes).Error
	if err != nil {
		return 0, fmt.Errorf("read terminal %d: %w", l.sale.TerminalID, err)
	}
	err = l.tx.Table("inquiries").Where("terminal_id = ? AND answered_at IS NULL AND sent_at > ?", l.sale.TerminalID,
		l.now.Add(-models.InquiryDelay)).Count(&inquiries).Error
	if err != nil {
		return 0, fmt.Errorf("read terminal %d: %w", l.sale.TerminalID, err)
	}
	if pushes+inquiries > 0 {
		return models.BusyPause, nil
	}
	return 0, nil
}

// Answered returns when the inquiry of this sale was sent that a post answers, and
// records that it no longer occupies the terminal. Zero: the post answers none. It is
// found by the id that the post contains. Only at the terminal's own address, which
// says who speaks, a post without an id answers what was asked and not answered.
func (l *Held) Answered(r *models.Result, key string) (time.Time, error) {
	if key == "" && !r.OwnAddress {
		return time.Time{}, nil
	}
	var at sql.NullTime
	err := l.tx.Raw(`WITH answered AS (
			UPDATE inquiries SET answered_at = coalesce(answered_at, ?)
			WHERE (sale_id = ? OR cancellation_id IN (SELECT id FROM cancellations WHERE sale_id = ?)) AND sent_at <= ?
				AND (key_hash = ? OR ? = '' AND answered_at IS NULL)
			RETURNING sent_at)
		SELECT max(sent_at) FROM answered`, l.now, l.sale.ID, l.sale.ID, r.ReceivedAt, key, key).Row().Scan(&at)
	if err != nil {
		return time.Time{}, fmt.Errorf("look for the inquiry: %w", err)
	}
	return at.Time, nil
}

// EnqueueInquiry enqueues another inquiry about a cancellation; it does nothing
// where terminals cannot be asked.
func (s *Service) EnqueueInquiry(ctx context.Context, t database.Tx, id int64) error {
	if s.config.Inquiries == nil {
		return nil
	}
	return database.Enqueue(ctx, s.config.Queue, t, models.Task{Kind: models.TaskInquire, SubjectID: id, Once: true})
}

// Asked is what was asked by itself about a doubt.
type Asked struct {
	Tries int // automatic inquiries that were sent
	Last  time.Time
}

// AskedOf returns what was asked by itself about each of the doubts.
func (s *Service) AskedOf(ctx context.Context, ids []int64) (map[int64]Asked, error) {
	return askedAmong(s.config.DB.Gorm().WithContext(ctx).Where("cancellation_id IN ?", ids))
}

func askedAmong(inquiries *gorm.DB) (map[int64]Asked, error) {
	var rows []struct {
		CancellationID int64
		Asked          `gorm:"embedded"`
	}
	err := inquiries.Table("inquiries").Select("cancellation_id, max(try) AS tries, max(sent_at) AS last").
		Where("try > 0").Group("cancellation_id").Find(&rows).Error
	asked := make(map[int64]Asked, len(rows))
	for _, r := range rows {
		asked[r.CancellationID] = r.Asked
	}
	return asked, err
}

// NextInquiry returns when the next automatic inquiry about a doubt is due; zero
// when there is none.
func (s *Service) NextInquiry(c *models.Cancellation, asked Asked) time.Time {
	if s.config.Inquiries == nil {
		return time.Time{}
	}
	var quietEnd time.Time
	if c.LastPushAt != nil {
		quietEnd = c.QuietEnd(s.config.Rules.Waits().Quiet)
	}
	return evidence.NextInquiry(c.ChangedAt, quietEnd, asked.Last)
}
