package cancellations

import (
	"context"
	"errors"
	"fmt"
	"time"

	"veinte/models"
	"veinte/models/crashpoint"
)

// maxUnsent is how often a cancellation goes back to requested after proof that
// nothing was sent.
const maxUnsent = 3

// finishTries is how often an outcome is written again when the database fails. Each
// try first reads the cancellation, so the outcome is applied once.
const finishTries = 5

// finish writes the outcome of an attempt.
func (s *Service) finish(ctx context.Context, out *sending, reply models.Reply) error {
	var err error
	for try := range finishTries {
		if try > 0 {
			time.Sleep(time.Duration(try) * 200 * time.Millisecond)
		}
		err = s.withLocked(ctx, out.cancellationID, func(l *Held) error {
			err := s.conclude(ctx, l, out, reply)
			crashpoint.Here(crashpoint.BeforeOutcomeCommit)
			return err
		})
		var refused *models.Error
		if err == nil || errors.As(err, &refused) {
			break
		}
	}
	if err != nil {
		return fmt.Errorf("finish attempt %d of case %d: %w", out.attempt.Number, out.cancellationID, err)
	}
	return nil
}

// conclude stores the reply with the attempt and moves the cancellation by what the
// reply proves, if it is still sending: a result may have arrived first.
func (s *Service) conclude(ctx context.Context, l *Held, out *sending, reply models.Reply) error {
	now := s.clock.Now()
	if err := l.keepReply(out.attempt.ID, reply, now); err != nil {
		return err
	}
	if reply.Meaning == models.MeaningRefused {
		_, err := l.Apply(ctx, ServiceRefused(out.actor, out.attempt.Number, reply.Detail))
		return err
	}
	if l.c.Attempts != out.attempt.Number || l.c.State != models.Sending {
		return nil
	}
	switch reply.Meaning {
	case models.MeaningNotSent:
		return s.unsent(ctx, l, out, reply, now)
	case models.MeaningAccepted:
		return s.acknowledged(ctx, l, out, reply, now)
	default:
		return s.move(ctx, l, out.actor, now, l.pushed(now, s.rules.Waits(), move{to: models.Unknown, detail: reply.Detail, attempt: out.attempt.Number}))
	}
}

// acknowledged handles an acknowledgement: the service sent the request to the
// terminal. It means no more, unless the merchant's setting makes it a confirmation.
func (s *Service) acknowledged(ctx context.Context, l *Held, out *sending, reply models.Reply, now time.Time) error {
	err := s.move(ctx, l, out.actor, now, l.pushed(now, s.rules.Waits(), move{to: models.Accepted, detail: reply.Detail, attempt: out.attempt.Number}))
	if err != nil || !s.rules.Waits().AckMeansCanceled {
		return err
	}
	crashpoint.Here(crashpoint.BetweenMoves)
	return s.move(ctx, l, out.actor, now, move{to: models.Confirmed, detail: models.DetailAckMeansCanceled, attempt: out.attempt.Number})
}

// pushed adds to a move that bytes may have been sent until at. The quiet period is
// counted from there and not from the beginning of the attempt: a push can reach the
// terminal as late as the response arrives. A longer quiet period that was in force
// when the attempt began still applies.
func (l *Held) pushed(at time.Time, waits models.Waits, m move) move {
	quiet := waits.Quiet
	if l.c.QuietUntil != nil {
		quiet = max(quiet, l.c.QuietUntil.Sub(*l.c.LastPushAt))
	}
	until := at.Add(quiet)
	l.c.LastPushAt, l.c.QuietUntil = &at, &until
	m.set = map[string]any{"last_push_at": at, "quiet_until": until}
	return m
}

// unsent handles proof that not one byte was sent. The cancellation goes back to
// requested; it ends when the window has closed or when this has happened too often.
func (s *Service) unsent(ctx context.Context, l *Held, out *sending, reply models.Reply, now time.Time) error {
	err := s.move(ctx, l, out.actor, now, move{
		to: models.Requested, detail: reply.Detail, attempt: out.attempt.Number,
		set: map[string]any{"last_push_at": nil, "quiet_until": nil},
	})
	if err != nil {
		return err
	}
	crashpoint.Here(crashpoint.BetweenMoves)
	switch {
	case !s.rules.Window().Open(&l.sale, now) || reply.Detail == models.DetailTooLate:
		return s.move(ctx, l, out.actor, now, move{to: models.Expired, detail: models.DetailTooLate})
	case l.c.Attempts >= maxUnsent || reply.Detail == models.DetailInvalidOrder:
		return s.move(ctx, l, out.actor, now, move{to: models.Withdrawn, detail: reply.Detail})
	}
	return nil
}

// keepReply writes the reply into the attempt's row, and the service's last reply
// about the terminal into the terminal's.
func (l *Held) keepReply(attemptID int64, r models.Reply, now time.Time) error {
	columns := map[string]any{
		"finished_at": now, "meaning": r.Meaning, "detail": r.Detail, "http_status": r.HTTPStatus,
		"code": r.Code, "message": r.Message, "duration_ms": r.Duration.Milliseconds(),
	}
	if !r.FirstByteAt.IsZero() {
		columns["first_byte_at"] = r.FirstByteAt
	}
	if err := l.Model(&models.Attempt{}).Where("id = ?", attemptID).Updates(columns).Error; err != nil {
		return fmt.Errorf("keep reply: %w", err)
	}
	return l.noteAnswer(r, now)
}

// noteAnswer stores the service's last reply about the terminal, whatever the
// request was: whether the service knows the terminal.
func (l *Held) noteAnswer(r models.Reply, now time.Time) error {
	if r.Meaning != models.MeaningAccepted && r.Detail != models.DetailTerminalNotFound {
		return nil
	}
	err := l.Model(&models.Terminal{}).Where("id = ?", l.sale.TerminalID).
		Updates(map[string]any{"last_answer_at": now, "last_answer": r.Detail}).Error
	if err != nil {
		return fmt.Errorf("note answer on terminal: %w", err)
	}
	return nil
}
