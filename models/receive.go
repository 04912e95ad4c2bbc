package models

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"veinte/models/crashpoint"
)

// Receive stores a terminal's post and then reads it. Once it returns nil the
// post is kept, even if reading it failed: the sweep reads it again. An error
// means that it could not be stored, so the terminal must try again.
func (s *Cancellations) Receive(ctx context.Context, p Post) error {
	// The terminal may hang up; what it said counts all the same.
	ctx = context.WithoutCancel(ctx)
	id, err := s.store(ctx, p)
	if err != nil {
		return fmt.Errorf("store result of terminal %s: %w", p.SerialNumber, err)
	}
	if err := s.Interpret(ctx, id); err != nil {
		s.log.ErrorContext(ctx, "result kept, to be read again", "result", id, "error", err)
	}
	return nil
}

// store writes the post as it came, before anybody reads a meaning into it.
func (s *Cancellations) store(ctx context.Context, p Post) (int64, error) {
	now := s.clock.Now().Truncate(time.Microsecond) // as it is read again
	sum := sha256.Sum256([]byte(p.Body))
	r := Result{
		ReceivedAt: now, Address: p.Address, Body: p.Body, BodyHash: hex.EncodeToString(sum[:]),
		Kind: p.Kind, SerialNumber: p.SerialNumber, MerchantID: p.MerchantID, OrderID: p.OrderID,
		Folio: p.Folio, Amount: p.Amount, ResponseCode: p.ResponseCode, Standing: p.Standing,
		KeyHash: p.AttemptKey, Last4: p.Last4, CardBrand: p.CardBrand, AuthCode: p.AuthCode,
		Status: ResultPending,
	}
	err := s.db.transaction(ctx, func(t tx) error {
		if err := t.Create(&r).Error; err != nil {
			return err
		}
		t.kept.last = resultWritten(&r)
		if err := t.Model(&Terminal{}).Where("serial_number = ?", p.SerialNumber).Update("last_result_at", now).Error; err != nil {
			return err
		}
		return s.deliveries.relay(t, &r, p)
	})
	s.deliveries.wake()
	// In doubt, the terminal posts again; a duplicate is harmless.
	return r.ID, err
}

// reading is a result being read, in one transaction.
type reading struct {
	*Cancellations
	tx
	r     *Result
	now   time.Time
	actor Actor
	fresh *Sale // a sale that this result made known
}

// conclusion is what became of a result.
type conclusion struct {
	status  ResultStatus
	note    string
	saleID  int64
	caseID  int64
	attempt int
}

// Interpret reads a stored result and does what it says. A result that was read
// before is left alone.
func (s *Cancellations) Interpret(ctx context.Context, id int64) error {
	return s.interpret(ctx, id, ResultPending)
}

func (s *Cancellations) interpret(ctx context.Context, id int64, from ResultStatus) error {
	var fresh *Sale
	err := s.db.transaction(ctx, func(t tx) error {
		var r Result
		err := take(t.Clauses(clause.Locking{Strength: "NO KEY UPDATE"}).Where("id = ? AND status = ?", id, from), &r)
		if err == ErrNotFound {
			return nil
		}
		if err != nil {
			return err
		}
		rd := &reading{Cancellations: s, tx: t, r: &r, now: s.clock.Now(), actor: FromTerminalPost(r.SerialNumber, r.Address)}
		c, err := rd.read(ctx)
		if err != nil {
			return err
		}
		fresh = rd.fresh
		if err := rd.conclude(c); err != nil {
			return err
		}
		err = rd.inquireAgain(ctx)
		crashpoint.Here(crashpoint.BeforeResultCommit)
		return err
	})
	if err != nil {
		return fmt.Errorf("interpret result %d: %w", id, err)
	}
	crashpoint.Here(crashpoint.AfterResultCommit)
	if fresh != nil {
		// Its cancellation may have been posted before it.
		return s.rereadUnmatched(ctx, fresh.SerialNumber, fresh.OrderID)
	}
	return nil
}

// read follows the order in which the integration guides tell the kinds apart.
func (rd *reading) read(ctx context.Context) (conclusion, error) {
	switch rd.r.Kind {
	case ResultInquiry:
		return rd.readInquiry(ctx)
	case ResultCancellation, ResultAbandoned:
		return rd.readCancellation(ctx)
	case ResultSale:
		return rd.readSale(ctx)
	case ResultOther:
		return conclusion{status: ResultIgnored, note: "otherShape"}, nil
	default:
		return conclusion{status: ResultUnmatched, note: "unreadable"}, nil
	}
}

// conclude notes what became of the result; what a person must look at goes
// into the trail as well.
func (rd *reading) conclude(c conclusion) error {
	first := rd.r.Status == ResultPending
	changed := c.status != rd.r.Status
	columns := map[string]any{"status": c.status, "note": c.note, "interpreted_at": rd.now}
	if changed {
		columns["reviewed_at"] = nil // whoever looked at it saw something else
	}
	if c.saleID != 0 {
		columns["sale_id"] = c.saleID
	}
	if c.caseID != 0 {
		columns["cancellation_id"] = c.caseID
	}
	if c.attempt != 0 {
		columns["attempt_number"] = c.attempt
	}
	if err := rd.Model(&Result{}).Where("id = ?", rd.r.ID).Updates(columns).Error; err != nil {
		return err
	}
	action := ActionResultUnmatched
	switch {
	case !first && !changed:
		return nil
	case c.status == ResultConflict:
		action = ActionResultConflict
	case c.status != ResultUnmatched:
		return nil
	}
	a := about{
		terminal: SerialNumber(clip(rd.r.SerialNumber, 40)), caseID: c.caseID, attempt: c.attempt, reason: c.note,
		after: map[string]any{"resultId": rd.r.ID, "kind": rd.r.Kind, "orderId": rd.r.OrderID},
	}
	if c.saleID != 0 {
		l, err := rd.Hold(rd.tx, c.saleID)
		if err != nil {
			return err
		}
		sale, store := l.Sale(), l.Store()
		a.sale, a.store = &sale, &store
	}
	return rd.record(rd.actor, rd.now, action, OutcomeUnknown, a)
}

// interpretPending reads what was stored but not read: the process died between.
func (s *Cancellations) interpretPending(ctx context.Context) error {
	var pending []Result
	err := s.db.gorm.WithContext(ctx).Select("id").
		Where("status = ? AND received_at < ?", ResultPending, s.clock.Now().Add(-pendingAfter)).Order("id").Limit(1000).Find(&pending).Error
	if err != nil {
		return fmt.Errorf("list pending results: %w", err)
	}
	var failures []error
	for _, r := range pending {
		failures = append(failures, s.Interpret(ctx, r.ID))
	}
	return errors.Join(failures...)
}

// pendingAfter leaves a result to the process that received it for this long.
const pendingAfter = 5 * time.Second

// rereadUnmatched reads unmatched results again that a new sale or terminal
// may explain: of one order, those that named no order too, or all.
func (s *Cancellations) rereadUnmatched(ctx context.Context, serial SerialNumber, orderID string) error {
	q := s.db.gorm.WithContext(ctx).Where("serial_number = ? AND status = ?", string(serial), ResultUnmatched)
	if orderID != "" {
		q = q.Where("order_id IN ('', ?)", orderID)
	}
	if err := s.reread(ctx, q.Limit(5000)); err != nil {
		return fmt.Errorf("read unmatched results of %s again: %w", serial, err)
	}
	return nil
}

// rereadStrays reads again what a terminal posted before anybody had registered
// it, or said where it stood. What is not read now is left to the sweep.
func (s *Cancellations) rereadStrays(ctx context.Context, serial SerialNumber) {
	if err := s.rereadUnmatched(ctx, serial, ""); err != nil {
		s.log.ErrorContext(ctx, "results of a new place were not read again", "serial", serial, "error", err)
	}
}

// rereadFor reads unmatched results again that new sales may explain.
func (s *Cancellations) rereadFor(ctx context.Context, keys []SaleKey) error {
	serials, orders := make([]string, len(keys)), make([]string, len(keys))
	for i, k := range keys {
		serials[i], orders[i] = string(k.SerialNumber), k.OrderID
	}
	rows, err := s.db.pool.Query(ctx, `
		SELECT DISTINCT r.id FROM unnest($1::text[], $2::text[]) AS n(serial, order_id)
		JOIN results r ON r.serial_number = n.serial AND r.status = `+UnmatchedSQL+` AND r.order_id IN ('', n.order_id)
		ORDER BY r.id LIMIT 5000`, serials, orders)
	if err != nil {
		return fmt.Errorf("look for waiting results: %w", err)
	}
	ids, err := pgx.CollectRows(rows, pgx.RowTo[int64])
	if err != nil {
		return fmt.Errorf("look for waiting results: %w", err)
	}
	var failures []error
	for _, id := range ids {
		failures = append(failures, s.interpret(ctx, id, ResultUnmatched))
	}
	return errors.Join(failures...)
}

// rereadExplained finds unmatched results whose sale or terminal has come after
// all: the two were read at the same moment, or the process died between.
func (s *Cancellations) rereadExplained(ctx context.Context) error {
	q := s.db.gorm.WithContext(ctx).Where("status = ? AND received_at > ?", ResultUnmatched, s.clock.Now().Add(-saleTimeBehind)).
		Where(`(note = 'unknownTerminal' AND EXISTS (SELECT FROM terminals t WHERE t.serial_number = results.serial_number)
			OR note = 'noStore' AND EXISTS (SELECT FROM terminals t JOIN assignments a ON a.terminal_id = t.id
				WHERE t.serial_number = results.serial_number AND a.valid_from <= received_at AND (a.valid_to IS NULL OR a.valid_to > received_at))
			OR note = 'noSuchSale' AND order_id <> '' AND EXISTS (SELECT FROM sales s
				WHERE s.serial_number = results.serial_number AND s.order_id = results.order_id)
			OR note = 'noSuchSale' AND order_id = '' AND EXISTS (SELECT FROM sales s
				WHERE s.serial_number = results.serial_number AND s.folio = results.folio AND s.folio <> ''))`)
	if err := s.reread(ctx, q.Limit(1000)); err != nil {
		return fmt.Errorf("read explained results again: %w", err)
	}
	return nil
}

// reread reads the unmatched results of a query again.
func (s *Cancellations) reread(ctx context.Context, q *gorm.DB) error {
	var waiting []Result
	if err := q.Select("id").Order("id").Find(&waiting).Error; err != nil {
		return err
	}
	var failures []error
	for _, r := range waiting {
		failures = append(failures, s.interpret(ctx, r.ID, ResultUnmatched))
	}
	return errors.Join(failures...)
}
