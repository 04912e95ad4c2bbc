package cancellations

import (
	"context"
	"errors"
	"fmt"
	"time"

	"veinte/models"
	"veinte/models/crashpoint"
)

// maxUnsent is how often a case is sent back by proof that nothing left.
const maxUnsent = 3

// finishTries is how often an outcome is written again when the database does
// not take it. Each try begins by reading the case, so none counts twice.
const finishTries = 5

// finish writes what came of an attempt.
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

// conclude keeps the reply with the attempt and moves the case by what the
// reply proves, if the case still waits for it: a result may have been faster.
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

// acknowledged: the service sent it to the terminal, which is all that its
// answer means, unless the merchant has declared otherwise.
func (s *Service) acknowledged(ctx context.Context, l *Held, out *sending, reply models.Reply, now time.Time) error {
	err := s.move(ctx, l, out.actor, now, l.pushed(now, s.rules.Waits(), move{to: models.Accepted, detail: reply.Detail, attempt: out.attempt.Number}))
	if err != nil || !s.rules.Waits().AckMeansCanceled {
		return err
	}
	crashpoint.Here(crashpoint.BetweenMoves)
	return s.move(ctx, l, out.actor, now, move{to: models.Confirmed, detail: models.DetailAckMeansCanceled, attempt: out.attempt.Number})
}

// pushed notes with a move that bytes may have left until at. The quiet time is
// counted from there and not from the beginning of the attempt: a push can
// reach the terminal as late as the answer does. A longer quiet time that held when
// the attempt began holds on.
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

// unsent: proof that not one byte left. The case goes back to requested; it
// ends there when the window has closed or when this has happened too often.
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

// keepReply writes the reply into the attempt's row and notes on the terminal
// what the service last said of it.
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

// noteAnswer notes on the terminal that the service knows it, or does not: what
// it last said of it, whatever it was asked.
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
