package cancellations

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"veinte/models"
	"veinte/models/database"
	"veinte/models/lineage"
)

// isHere reports whether the cancellation was requested in this database. One that was
// requested in another, of which this one is a copy, a promoted standby or an older
// state, becomes a doubt: it may have been sent from there, so that it can neither be
// sent nor be called unsent. Its quiet time begins now, because nobody here knows when
// it left. An inquiry settles it without moving money.
func (l *Held) isHere(ctx context.Context) (bool, error) {
	var asked, here database.Identity
	var waited bool
	err := l.tx.SQL.QueryRowContext(ctx, `SELECT coalesce(asked_in, database_identity()), database_identity(), coalesce(asked_waited, false)
		FROM cancellations WHERE id = $1`, l.c.ID).Scan(&asked, &here, &waited)
	if err != nil {
		return false, fmt.Errorf("ask in which database cancellation %d was requested: %w", l.c.ID, err)
	}
	if !l.s.config.Lineage.Elsewhere(asked, here, waited) {
		return true, nil
	}
	return false, l.move(ctx, models.System("database", l.c.Requester),
		l.pushed(l.now, l.s.config.Rules.Waits(), move{to: models.Unknown, detail: models.DetailOtherDatabase}))
}

// DoubtElsewhere makes doubts of all cancellations that were requested in another
// database.
func (s *Service) DoubtElsewhere(ctx context.Context) error {
	ids, err := database.Rows[struct{ ID int64 }](ctx, s.config.DB, `SELECT id FROM cancellations
		WHERE state = `+models.RequestedSQL+` AND asked_in <> (SELECT database_identity()) ORDER BY id`)
	if err != nil {
		return fmt.Errorf("list what was requested in another database: %w", err)
	}
	var failures []error
	for _, c := range ids {
		failures = append(failures, s.withLocked(ctx, c.ID, func(l *Held) error {
			if l.c.State != models.Requested {
				return nil
			}
			_, err := l.isHere(ctx)
			return err
		}))
	}
	return errors.Join(failures...)
}

// question is what is to be done before a cancellation is sent whose sale is older than
// this database: it may have been canceled from the other one, as nobody here knows.
// Zero: nothing, or nothing any more.
type question struct {
	wait   time.Duration // nothing yet
	ask    bool          // its terminal now
	silent bool          // it was asked, and did not answer
}

// question returns what is to be done before the held cancellation is sent. An answer
// counts only when the terminal can no longer act on what the other database may have
// sent last; so does what people state who have looked at it.
func (l *Held) question() (q question, err error) {
	if l.s.config.Inquiries == nil || l.c.State != models.Requested {
		return q, nil
	}
	since, err := l.s.config.Lineage.Since(l.tx, l.c.ID)
	if err != nil || !l.sale.MayPrecede(since) {
		return q, err
	}
	from := since.Add(l.s.config.Rules.Waits().Quiet)
	if q.wait = l.until(from); q.wait > 0 {
		return q, nil
	}
	var asked sql.NullTime
	var reached, known bool
	err = l.tx.Raw(`SELECT max(sent_at), coalesce(bool_or(reached), false), coalesce(bool_or(reached AND answered_at IS NOT NULL), false)
			OR EXISTS (SELECT FROM cancellations WHERE sale_id = ? AND state = `+models.NotCanceledSQL+` AND changed_at >= ?)
		FROM (SELECT *, meaning NOT IN (?, ?) AS reached FROM inquiries WHERE sale_id = ? AND sent_at >= ?) i`,
		l.sale.ID, from, models.MeaningNotSent, models.MeaningRefused, l.sale.ID, from).Row().Scan(&asked, &reached, &known)
	if err != nil || known {
		return q, err
	}
	if asked.Valid {
		q.wait = l.until(asked.Time.Add(models.InquiryDelay))
	}
	q.silent = q.wait == 0 && reached
	q.ask = q.wait == 0 && !reached
	return q, nil
}

// askFirst returns how long the held cancellation is not sent because its terminal is
// asked first. Without an answer it becomes a doubt: nothing is sent on a guess.
func (l *Held) askFirst(ctx context.Context) (time.Duration, error) {
	q, err := l.question()
	switch {
	case q.silent:
		return 0, l.move(ctx, models.System("database", l.c.Requester), mayBeCanceled)
	case q.ask:
		return time.Second, l.enqueue(ctx, models.Task{Kind: models.TaskInquireSale, SubjectID: l.sale.ID, Once: true})
	}
	return q.wait, err
}

// mayBeCanceled makes a doubt of a cancellation that was not sent, while its sale may
// have been canceled from another database.
var mayBeCanceled = move{to: models.Unknown, detail: models.DetailOtherDatabase}

// remember keeps what is about to be sent in this process too: after a failover the
// database may lack it.
func (s *Service) remember(out *sending) {
	s.config.Lineage.Remember(lineage.Sent{
		CancellationID: out.cancellationID, Number: out.attempt.Number, KeyHash: out.attempt.KeyHash,
		OrderID: out.order.OrderID, SerialNumber: out.order.SerialNumber, At: out.attempt.StartedAt,
	})
}

// has reports whether the database has the attempt: its number alone may be another's
// after a failover.
func (l *Held) has(a *models.Attempt) (bool, error) {
	var n int64
	err := l.tx.Model(&models.Attempt{}).Where("id = ? AND cancellation_id = ? AND key_hash = ?", a.ID, l.c.ID, a.KeyHash).Count(&n).Error
	if err != nil {
		return false, fmt.Errorf("look for attempt %d of cancellation %d: %w", a.Number, l.c.ID, err)
	}
	return n == 1, nil
}
