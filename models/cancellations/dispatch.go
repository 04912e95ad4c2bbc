package cancellations

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"veinte/models"
	"veinte/models/crashpoint"
	"veinte/models/rules"
	"veinte/models/traceability"
)

// sending is an attempt that is committed and may now leave.
type sending struct {
	cancellationID int64
	attempt        models.Attempt
	order          models.Order
	actor          models.Actor
}

// Dispatch sends one requested cancellation. A job calls it, perhaps more than once
// for the same cancellation: only the first call finds it requested. A positive wait
// means that the terminal is busy: call again after it.
func (s *Service) Dispatch(ctx context.Context, id int64) (wait time.Duration, err error) {
	if !s.config.Lineage.Recognized() {
		if err := s.config.Lineage.Recognize(ctx); err != nil {
			return 0, err
		}
	}
	out, wait, err := s.begin(ctx, id)
	if err != nil || out == nil {
		return wait, err
	}
	s.remember(out)
	crashpoint.Here(crashpoint.AfterAttemptCommit)
	reply := s.send(ctx, out)
	// The job may be stopped by now; the outcome of the attempt is stored anyway.
	return 0, s.finish(context.WithoutCancel(ctx), out, reply)
}

// begin locks the cancellation and writes its attempt. It returns nil when there is
// nothing to send: it was sent, expired or withdrawn, or the terminal is busy.
func (s *Service) begin(ctx context.Context, id int64) (out *sending, wait time.Duration, err error) {
	err = s.withLocked(ctx, id, func(l *Held) error {
		if l.c.State != models.Requested {
			return nil
		}
		if ended, err := l.withdrawEnded(ctx); err != nil || ended {
			return err
		}
		if here, err := l.isHere(ctx); err != nil || !here {
			return err
		}
		actor := models.System("dispatch", l.c.Requester)
		terms, err := s.config.Rules.Terms(l.tx, l.now)
		if err != nil {
			return err
		}
		if wait = s.config.Clocks.Leaves(terms.Window.Closes(&l.sale).Sub(l.now)); wait > 0 {
			return nil
		}
		if !terms.Window.Open(&l.sale, l.now) {
			return l.move(ctx, actor, move{to: models.Expired, detail: models.DetailTooLate})
		}
		if l.sale.State == models.SaleConfirmed {
			// An earlier cancellation of the sale was confirmed late; a second
			// cancel is not safe.
			return l.move(ctx, actor, move{to: models.Withdrawn, detail: models.DetailAlreadyCanceled})
		}
		if !s.config.Lineage.Recognized() {
			wait = time.Second // this connection reached another server than those before
			return nil
		}
		if wait = s.holdTime(terms); wait > 0 {
			return nil
		}
		terminal, err := l.lockedTerminal()
		if err != nil {
			return err
		}
		if terminal.RetiredAt != nil {
			// The terminal is retired: nobody works with it any more.
			return l.move(ctx, actor, move{to: models.Withdrawn, detail: models.DetailTerminalRetired})
		}
		if wait, err = l.busy(terms.Waits); err != nil || wait > 0 {
			return err
		}
		if wait, err = l.looking(); err != nil || wait > 0 {
			return err
		}
		if wait, err = l.askFirst(ctx); err != nil || wait > 0 || l.c.State != models.Requested {
			return err
		}
		out, err = l.attempt(ctx, actor, terms)
		return err
	})
	if err != nil {
		// If the attempt was committed after all, a job finds it without an outcome
		// and sets it to unknown. Nothing was sent, but only this process knows.
		return nil, 0, fmt.Errorf("begin attempt of cancellation %d: %w", id, err)
	}
	return out, wait, nil
}

// holdTime returns how long nothing may be sent at all; zero when sending is
// allowed.
func (s *Service) holdTime(terms rules.Terms) time.Duration {
	switch {
	case terms.Pause != nil:
		return pausedWait
	case s.config.Credential != nil && s.config.Credential() != nil:
		return models.BusyPause // it could not be sent; it is when the key is back
	}
	return 0
}

// busy locks the terminal and returns how long another push still occupies it; zero
// when it is free.
func (l *Held) busy(waits models.Waits) (time.Duration, error) {
	wait, err := l.occupied()
	if err != nil {
		return 0, err
	}
	var others []models.Cancellation
	err = l.tx.Where("terminal_id = ? AND id <> ? AND (state IN ? OR (state = ? AND (last_push_at > ? OR quiet_until > ?)))",
		l.sale.TerminalID, l.c.ID,
		[]models.State{models.Requested, models.Unknown}, models.NotCanceled, l.now.Add(-waits.Quiet), l.now).Find(&others).Error
	if err != nil {
		return 0, err
	}
	for _, other := range others {
		switch other.State {
		case models.Unknown, models.NotCanceled:
			// Its push may still be on the screen, whatever a person has stated
			// about it. A second one would replace it, or be carried out as well.
			wait = max(wait, l.quietLeft(&other, waits))
		case models.Requested:
			if other.ID < l.c.ID && other.Attempts == 0 {
				wait = max(wait, time.Second) // first come, first served
			}
		}
	}
	return wait, nil
}

// attempt writes the attempt and moves the cancellation to sending. No byte may be
// sent before this is committed.
func (l *Held) attempt(ctx context.Context, actor models.Actor, terms rules.Terms) (*sending, error) {
	key := models.NewAttemptKey()
	a := models.Attempt{
		CancellationID: l.c.ID, Number: l.c.Attempts + 1, KeyHash: key.Hash(),
		StartedAt: l.now, DeadlineAt: l.now.Add(terms.Waits.Answer),
	}
	if err := l.tx.Create(&a).Error; err != nil {
		return nil, fmt.Errorf("write attempt: %w", err)
	}
	l.c.Attempts = a.Number
	// From here on bytes may be sent; the row must exist should the process crash.
	order, err := l.order(key)
	if err != nil {
		return nil, err
	}
	order.OmitReceipt, order.NotAfter, order.Deadline = l.c.OmitReceipt, terms.Window.Limit(&l.sale), a.DeadlineAt
	m := l.pushed(l.now, terms.Waits, move{to: models.Sending, attempt: a.Number, sends: order.Traceability})
	m.set["attempts"] = a.Number
	if err := l.move(ctx, actor, m); err != nil {
		return nil, err
	}
	err = l.enqueue(ctx, models.Task{
		Kind: models.TaskRecover, Attempt: a.Number, After: terms.Waits.Answer + models.InterruptedAfter,
	})
	if err != nil {
		return nil, err
	}
	return &sending{cancellationID: l.c.ID, attempt: a, actor: actor, order: *order}, nil
}

// order is what the service is asked about the sale, with the merchant's own object:
// the template of its store with the facts filled in, and over it what the program
// gave.
func (l *Held) order(key models.AttemptKey) (*models.Order, error) {
	o := &models.Order{
		SerialNumber: l.sale.SerialNumber, MerchantID: l.sale.MerchantID, OrderID: l.sale.OrderID, Key: key,
		Bare: l.store.BareTraceability,
	}
	if o.Bare {
		o.Traceability = traceability.Empty
		return o, nil
	}
	id := ""
	if l.c.ID != 0 { // an inquiry may be about a sale that nobody asked to cancel
		id = strconv.FormatInt(l.c.ID, 10)
	}
	var err error
	o.Traceability, err = traceability.Merge(traceability.Fill(l.store.Traceability, map[string]string{
		"orderId": l.sale.OrderID, "reference": l.sale.Reference, "folio": l.sale.Folio, "serialNumber": string(l.sale.SerialNumber),
		"storeId": l.sale.MerchantID, "storeCode": l.store.Code, "amount": l.sale.Amount.Decimal(),
		"cancellationId": id,
	}), l.c.Traceability)
	if err != nil {
		return nil, fmt.Errorf("put the traceability of cancellation %d together: %w", l.c.ID, err)
	}
	return o, nil
}

// send makes the one call to the service. No lock is held meanwhile.
func (s *Service) send(ctx context.Context, out *sending) models.Reply {
	// The limit is the attempt's deadline and not a duration from now: a process
	// that was frozen since must not send an attempt that others have marked as
	// interrupted. The client looks at it again when the first byte leaves.
	ctx, cancel := context.WithTimeout(ctx, models.TimeLeft(s.config.Clock.Now(), out.attempt.DeadlineAt))
	defer cancel()
	return s.config.API.Cancel(ctx, out.order)
}
