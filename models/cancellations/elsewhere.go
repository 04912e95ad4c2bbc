package cancellations

import (
	"context"
	"errors"
	"fmt"

	"veinte/models"
	"veinte/models/audit"
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
	ids, err := database.Rows[struct{ ID int64 }](ctx, s.config.DB.Pool(), `SELECT id FROM cancellations
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

// askFirst has the terminal asked before a sale is canceled that is older than this
// database: it may have been canceled from the other one since.
func (l *Held) askFirst(ctx context.Context) error {
	if l.s.config.Inquiries == nil || !l.s.config.Lineage.Older(l.sale.ReceivedAt) {
		return nil
	}
	err := l.record(models.System("verify", l.c.Requester), models.ActionInquirySent, models.OutcomeSuccess, audit.About{})
	if err != nil {
		return err
	}
	return l.enqueueSaleInquiry(ctx)
}

func (l *Held) enqueueSaleInquiry(ctx context.Context) error {
	return l.enqueue(ctx, models.Task{Kind: models.TaskInquireSale, SubjectID: l.sale.ID, Once: true})
}

// asksFirst reports whether the held cancellation is one before which askFirst asks.
func (l *Held) asksFirst() bool {
	older := l.s.config.Lineage.Older
	return l.c.State == models.Requested && older(l.sale.ReceivedAt) && !older(l.c.RequestedAt)
}

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
