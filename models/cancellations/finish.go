package cancellations

import (
	"context"
	"errors"
	"fmt"
	"time"

	"veinte/models"
	"veinte/models/crashpoint"
	"veinte/models/evidence"
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
			err := l.conclude(ctx, out, reply)
			crashpoint.Here(crashpoint.BeforeOutcomeCommit)
			return err
		})
		var refused *models.Error
		if err == nil || errors.As(err, &refused) {
			break
		}
	}
	if err != nil {
		return fmt.Errorf("finish attempt %d of cancellation %d: %w", out.attempt.Number, out.cancellationID, err)
	}
	return nil
}

// conclude stores the reply with the attempt and moves the cancellation by what the
// reply proves, if it is still sending: a result may have arrived first.
//
// After a failover the database may lack the attempt, and have given its number to
// another one: then the reply is about nothing that it has.
func (l *Held) conclude(ctx context.Context, out *sending, reply models.Reply) error {
	if there, err := l.has(&out.attempt); err != nil || !there {
		return err
	}
	if err := l.storeReply(out.attempt.ID, reply); err != nil {
		return err
	}
	if reply.Meaning == models.MeaningRefused {
		_, err := l.Apply(ctx, evidence.ServiceRefused(out.actor, out.attempt.Number, reply.Detail))
		return err
	}
	if l.c.Attempts != out.attempt.Number || l.c.State != models.Sending {
		if !reply.Late {
			return nil
		}
		_, err := l.Apply(ctx, evidence.SentLate(out.actor, out.attempt.Number))
		return err
	}
	switch reply.Meaning {
	case models.MeaningNotSent:
		return l.unsent(ctx, out, reply)
	case models.MeaningAccepted:
		return l.acknowledged(ctx, out, reply)
	default:
		return l.move(ctx, out.actor, l.pushed(l.now, l.s.config.Rules.Waits(),
			move{to: models.Unknown, detail: reply.Detail, attempt: out.attempt.Number}))
	}
}

// acknowledged handles an acknowledgement: the service sent the request to the
// terminal. It means no more, unless the merchant's setting makes it a confirmation.
func (l *Held) acknowledged(ctx context.Context, out *sending, reply models.Reply) error {
	err := l.move(ctx, out.actor, l.pushed(l.now, l.s.config.Rules.Waits(),
		move{to: models.Accepted, detail: reply.Detail, attempt: out.attempt.Number}))
	if err != nil || !l.s.config.Rules.Waits().AckMeansCanceled {
		return err
	}
	crashpoint.Here(crashpoint.BetweenMoves)
	return l.move(ctx, out.actor, move{to: models.Confirmed, detail: models.DetailAckMeansCanceled, attempt: out.attempt.Number})
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

// quietAnew begins the quiet time anew, because bytes may just have left. A doubt is
// inquired about when it is over, also if the last inquiry was sent before.
func (l *Held) quietAnew(ctx context.Context) error {
	waits := l.s.config.Rules.Waits()
	columns := l.pushed(l.now, waits, move{}).set
	if err := l.tx.Model(&models.Cancellation{}).Where("id = ?", l.c.ID).Updates(columns).Error; err != nil {
		return fmt.Errorf("begin the quiet time of cancellation %d anew: %w", l.c.ID, err)
	}
	if l.c.State != models.Unknown {
		return nil
	}
	asked, err := l.s.AskedOf(ctx, []int64{l.c.ID})
	if err != nil {
		return fmt.Errorf("count the inquiries of cancellation %d: %w", l.c.ID, err)
	}
	return l.inquireNext(ctx, asked[l.c.ID])
}

// unsent handles proof that not one byte was sent. The cancellation goes back to
// requested; it ends when the window has closed or when this has happened too often.
func (l *Held) unsent(ctx context.Context, out *sending, reply models.Reply) error {
	err := l.move(ctx, out.actor, move{
		to: models.Requested, detail: reply.Detail, attempt: out.attempt.Number,
		set: map[string]any{"last_push_at": nil, "quiet_until": nil},
	})
	if err != nil {
		return err
	}
	crashpoint.Here(crashpoint.BetweenMoves)
	switch {
	case !l.s.config.Rules.Window().Open(&l.sale, l.now) || reply.Detail == models.DetailTooLate:
		if l.s.config.Clocks.Differs() {
			return nil // another server sends or expires it
		}
		return l.move(ctx, out.actor, move{to: models.Expired, detail: models.DetailTooLate})
	case l.c.Attempts >= maxUnsent || reply.Detail == models.DetailInvalidOrder:
		return l.move(ctx, out.actor, move{to: models.Withdrawn, detail: reply.Detail})
	}
	return nil
}

// storeReply writes the reply into the attempt's row, and the service's last reply
// about the terminal into the terminal's.
func (l *Held) storeReply(attemptID int64, r models.Reply) error {
	columns := map[string]any{
		"finished_at": l.now, "meaning": r.Meaning, "detail": r.Detail, "http_status": r.HTTPStatus,
		"code": r.Code, "message": r.Message, "duration_ms": r.Duration.Milliseconds(),
	}
	if !r.FirstByteAt.IsZero() {
		columns["first_byte_at"] = r.FirstByteAt
		l.tx.Tell(models.FirstByte{After: r.FirstByteAt.Sub(l.c.RequestedAt)})
	}
	if err := l.tx.Model(&models.Attempt{}).Where("id = ?", attemptID).Updates(columns).Error; err != nil {
		return fmt.Errorf("store reply: %w", err)
	}
	return l.noteAnswer(r)
}

// noteAnswer stores the service's last reply about the terminal, whatever the
// request was: whether the service knows the terminal.
func (l *Held) noteAnswer(r models.Reply) error {
	if r.Meaning != models.MeaningAccepted && r.Detail != models.DetailTerminalNotFound {
		return nil
	}
	err := l.tx.Model(&models.Terminal{}).Where("id = ?", l.sale.TerminalID).
		Updates(map[string]any{"last_answer_at": l.now, "last_answer": r.Detail}).Error
	if err != nil {
		return fmt.Errorf("note answer on terminal: %w", err)
	}
	return nil
}
