package results

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

	"veinte/models"
	"veinte/models/audit"
	"veinte/models/crashpoint"
	"veinte/models/database"
	"veinte/models/intake"
)

// Receive stores a terminal's post and then reads it. Once it returns nil the post
// is stored, even if reading it failed: it is read again. An error means
// that it could not be stored, so the terminal must try again.
func (s *Service) Receive(ctx context.Context, p models.Post) error {
	// The terminal may hang up; its post is stored nevertheless.
	ctx = context.WithoutCancel(ctx)
	id, err := s.store(ctx, p)
	if err != nil {
		return fmt.Errorf("store result of terminal %s: %w", p.SerialNumber, err)
	}
	if err := s.Interpret(ctx, id); err != nil {
		s.log.ErrorContext(ctx, "result stored, to be read again", "result", id, "error", err)
		s.interpretAgain(ctx, id)
	}
	return nil
}

// store writes the post as received, before it is interpreted.
func (s *Service) store(ctx context.Context, p models.Post) (int64, error) {
	now := s.clock.Now().Truncate(time.Microsecond) // the precision with which it is read again
	sum := sha256.Sum256([]byte(p.Body))
	r := models.Result{
		ReceivedAt: now, Address: p.Address, OwnAddress: p.OwnAddress, AddressSerial: p.AddressSerial,
		Body: p.Body, BodyHash: hex.EncodeToString(sum[:]),
		Kind: p.Kind, SerialNumber: p.SerialNumber, MerchantID: p.MerchantID, OrderID: p.OrderID,
		Folio: p.Folio, Amount: p.Amount, ResponseCode: p.ResponseCode, Standing: p.Standing,
		KeyHash: p.AttemptKey, Last4: p.Last4, CardBrand: p.CardBrand, AuthCode: p.AuthCode,
		Status: models.ResultPending,
	}
	err := s.db.InTx(ctx, func(t database.Tx) error {
		if err := t.Create(&r).Error; err != nil {
			return err
		}
		t.LastWrite.Last = database.ResultWritten(&r)
		if err := heard(t, &p, now); err != nil || namesAnother(&r) {
			return err
		}
		if again, err := forwardedAgain(t, &p, &r); err != nil || again {
			return err
		}
		return s.deliveries.Relay(t, &r, p)
	})
	s.deliveries.NotifyWorkers()
	// If the commit's outcome is unknown the terminal posts again; a duplicate is
	// harmless.
	return r.ID, err
}

// forwardedAgain reports whether a post that says that it was forwarded has come before.
// Two back offices that forward to each other would otherwise never end; and what came
// before was forwarded then, so nobody can hide anything by saying so.
func forwardedAgain(t database.Tx, p *models.Post, r *models.Result) (again bool, err error) {
	if !p.SaysForwarded {
		return false, nil
	}
	err = t.Raw(`SELECT EXISTS (SELECT FROM results WHERE body_hash = ? AND serial_number = ? AND id <> ?
			AND (own_address OR address_serial = ''))`,
		r.BodyHash, r.SerialNumber, r.ID).Scan(&again).Error
	if err != nil {
		return false, fmt.Errorf("look for the result that was forwarded: %w", err)
	}
	return again, nil
}

// reading is a result being read, in one transaction.
type reading struct {
	s *Service
	database.Tx
	r     *models.Result
	of    subject
	now   time.Time // when all that it is about was locked
	actor models.Actor
	fresh *models.Sale   // a sale that this result recorded
	stray *audit.Counted // nil: it is about something
}

// conclusion is the outcome of reading a result.
type conclusion struct {
	status         models.ResultStatus
	note           string
	saleID         int64
	cancellationID int64
	attempt        int
}

// Interpret reads a stored result and applies it. A result that was read before is
// not read again.
func (s *Service) Interpret(ctx context.Context, id int64) error {
	return s.interpretFrom(ctx, id, models.ResultPending)
}

func (s *Service) interpretFrom(ctx context.Context, id int64, from models.ResultStatus) error {
	var fresh *models.Sale
	var stray *audit.Counted
	err := s.db.InTx(ctx, func(t database.Tx) error {
		rd, err := s.lock(t, id, from)
		if err != nil || rd == nil {
			return err
		}
		c, err := rd.read(ctx)
		if err != nil {
			return err
		}
		fresh = rd.fresh
		err = rd.conclude(c)
		t.Tell(models.ResultRead{Kind: rd.r.Kind, Status: c.status})
		if stray = rd.stray; err != nil {
			return err
		}
		err = rd.inquireAgain(ctx)
		crashpoint.Here(crashpoint.BeforeResultCommit)
		return err
	})
	if stray != nil {
		_ = stray.Unless(err)
	}
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

// lock locks what the result is about, and then the result; nil: it was read meanwhile.
// The sale comes first, as everywhere (see cancellations.Held).
func (s *Service) lock(t database.Tx, id int64, from models.ResultStatus) (*reading, error) {
	var r models.Result
	err := database.TakeRow(t.Where("id = ? AND status = ?", id, from), &r)
	if err == models.ErrNotFound {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	rd := &reading{s: s, Tx: t, r: &r, actor: models.FromTerminalPost(speaker(&r), r.Address)}
	if err := rd.hold(); err != nil {
		return nil, err
	}
	var still models.Result
	err = database.TakeRow(t.Clauses(clause.Locking{Strength: "NO KEY UPDATE"}).Where("id = ? AND status = ?", id, from), &still)
	if err == models.ErrNotFound {
		return nil, nil
	}
	rd.now = s.clock.Now()
	return rd, err
}

// subject is what a result is about, as far as it is known.
type subject struct {
	*match
	why      string        // there is no match
	key      string        // of the inquiry that it answers
	recorded []models.Sale // a posted sale's, as its order was recorded
}

// hold finds what the result is about and locks its sale.
func (rd *reading) hold() (err error) {
	if namesAnother(rd.r) {
		return nil
	}
	switch rd.r.Kind {
	case models.ResultInquiry:
		rd.of.key, rd.r.KeyHash = rd.r.KeyHash, "" // an inquiry's id is not an attempt's id
		rd.of.match, rd.of.why, err = rd.match()
	case models.ResultCancellation, models.ResultAbandoned:
		rd.of.match, rd.of.why, err = rd.match()
	case models.ResultSale:
		err = rd.holdOrder()
	}
	return err
}

// at is the time that is written of what the result does.
func (rd *reading) at() time.Time {
	if rd.of.match == nil {
		return rd.now
	}
	return rd.of.At()
}

// read distinguishes the kinds of posts in the order of the integration guides.
func (rd *reading) read(ctx context.Context) (conclusion, error) {
	if namesAnother(rd.r) {
		return conclusion{status: models.ResultConflict, note: noteOtherTerminal}, nil
	}
	switch rd.r.Kind {
	case models.ResultInquiry:
		return rd.readInquiry(ctx)
	case models.ResultCancellation, models.ResultAbandoned:
		return rd.readCancellation(ctx)
	case models.ResultSale:
		return rd.readSale(ctx)
	case models.ResultOther:
		return conclusion{status: models.ResultIgnored, note: "otherShape"}, nil
	default:
		return conclusion{status: models.ResultUnmatched, note: "unreadable"}, nil
	}
}

// conclude stores the outcome of the result. A result that a person must review is
// recorded in the trail as well.
func (rd *reading) conclude(c conclusion) error {
	first := rd.r.Status == models.ResultPending
	changed := c.status != rd.r.Status
	columns := map[string]any{"status": c.status, "note": c.note, "interpreted_at": rd.now}
	if changed {
		columns["reviewed_at"] = nil // it was reviewed with another content
	}
	if c.saleID != 0 {
		columns["sale_id"] = c.saleID
	}
	if c.cancellationID != 0 {
		columns["cancellation_id"] = c.cancellationID
	}
	if c.attempt != 0 {
		columns["attempt_number"] = c.attempt
	}
	if err := rd.Model(&models.Result{}).Where("id = ?", rd.r.ID).Updates(columns).Error; err != nil {
		return err
	}
	action := models.ActionResultUnmatched
	switch {
	case !first && !changed:
		return nil
	case c.status == models.ResultConflict:
		action = models.ActionResultConflict
	case c.status != models.ResultUnmatched:
		return nil
	}
	a := audit.About{
		Terminal:       models.SerialNumber(models.Truncate(rd.r.SerialNumber, 40)),
		CancellationID: c.cancellationID, Attempt: c.attempt, Reason: c.note,
		After: map[string]any{"resultId": rd.r.ID, "kind": rd.r.Kind, "orderId": rd.r.OrderID},
	}
	if c.saleID != 0 {
		l, err := rd.s.cancellations.Hold(rd.Tx, c.saleID)
		if err != nil {
			return err
		}
		sale, store := l.Sale(), l.Store()
		a.Sale, a.Store = &sale, &store
	} else if action == models.ActionResultUnmatched {
		return rd.countStray(a)
	}
	return audit.Record(rd.Tx, rd.actor, rd.at(), action, models.OutcomeUnknown, a)
}

// countStray records a post about nothing: whoever knows an address could send as many as
// they like, and at the shared one name any terminal. What it says is in the list of results.
func (rd *reading) countStray(a audit.About) (err error) {
	rd.stray, err = rd.s.audit.Counted(rd.actor, models.ActionResultUnmatched, models.OutcomeUnknown, a, a.Reason+" "+rd.r.AddressSerial)
	if err != nil {
		return err
	}
	return rd.stray.Record(rd.Tx)
}

// InterpretPending reads results that were stored but not read, because the process
// died in between.
func (s *Service) InterpretPending(ctx context.Context) error {
	var pending []models.Result
	err := s.db.Gorm().WithContext(ctx).Select("id").
		Where("status = ? AND received_at < ?", models.ResultPending, s.clock.Now().Add(-pendingAfter)).
		Order("id").Limit(1000).Find(&pending).Error
	if err != nil {
		return fmt.Errorf("list pending results: %w", err)
	}
	var failures []error
	for _, r := range pending {
		failures = append(failures, s.Interpret(ctx, r.ID))
	}
	return errors.Join(failures...)
}

// pendingAfter is how long a result is left to the process that received it.
const pendingAfter = 5 * time.Second

// rereadAtOnce is how many results are read again in the request of whoever explained
// them, so that they see what they have done. The sweep reads the rest, a job that reads a
// thousand at a time.
const rereadAtOnce = 20

// rereadUnmatched reads again the unmatched results that a new sale or terminal may
// explain: those of one order, or all, but no more than rereadAtOnce.
func (s *Service) rereadUnmatched(ctx context.Context, serial models.SerialNumber, orderID string) error {
	q := s.db.Gorm().WithContext(ctx).Where("serial_number = ? AND status = ?", string(serial), models.ResultUnmatched)
	if orderID != "" {
		q = q.Where("order_id = ?", orderID)
	}
	if err := s.reread(ctx, q.Limit(rereadAtOnce)); err != nil {
		return fmt.Errorf("read unmatched results of %s again: %w", serial, err)
	}
	return nil
}

// RereadTerminal reads again what a terminal posted before it was registered or
// assigned to a store. What is not read now is left to the sweep.
func (s *Service) RereadTerminal(ctx context.Context, serial models.SerialNumber) {
	if err := s.rereadUnmatched(ctx, serial, ""); err != nil {
		s.log.ErrorContext(ctx, "results of a new place were not read again", "serial", serial, "error", err)
	}
}

// RereadFor reads again the unmatched results that new sales may explain, no more than
// rereadAtOnce.
func (s *Service) RereadFor(ctx context.Context, keys []intake.SaleKey) error {
	serials, orders := make([]string, len(keys)), make([]string, len(keys))
	for i, k := range keys {
		serials[i], orders[i] = string(k.SerialNumber), k.OrderID
	}
	rows, err := s.db.Pool().Query(ctx, `
		SELECT DISTINCT r.id FROM unnest($1::text[], $2::text[]) AS n(serial, order_id)
		JOIN results r ON r.serial_number = n.serial AND r.status = `+models.UnmatchedSQL+` AND r.order_id = n.order_id
		ORDER BY r.id LIMIT $3`, serials, orders, rereadAtOnce)
	if err != nil {
		return fmt.Errorf("look for waiting results: %w", err)
	}
	ids, err := pgx.CollectRows(rows, pgx.RowTo[int64])
	if err != nil {
		return fmt.Errorf("look for waiting results: %w", err)
	}
	var failures []error
	for _, id := range ids {
		failures = append(failures, s.interpretFrom(ctx, id, models.ResultUnmatched))
	}
	return errors.Join(failures...)
}

// RereadExplained finds unmatched results whose sale or terminal exists now: both
// were read at the same moment, or the process died in between.
func (s *Service) RereadExplained(ctx context.Context) error {
	q := s.db.Gorm().WithContext(ctx).
		Where("status = ? AND received_at > ?", models.ResultUnmatched, s.clock.Now().Add(-intake.SaleTimeBehind)).
		Where(`(note = 'unknownTerminal' AND EXISTS (SELECT FROM terminals t WHERE t.serial_number = results.serial_number)
			OR note = 'noStore' AND EXISTS (SELECT FROM terminals t JOIN assignments a ON a.terminal_id = t.id
				WHERE t.serial_number = results.serial_number AND a.valid_from <= received_at AND (a.valid_to IS NULL OR a.valid_to > received_at))
			OR note = 'noSuchSale' AND order_id <> '' AND EXISTS (SELECT FROM sales s
				WHERE s.serial_number = results.serial_number AND s.order_id = results.order_id))`)
	if err := s.reread(ctx, q.Limit(1000)); err != nil {
		return fmt.Errorf("read explained results again: %w", err)
	}
	return nil
}

// reread reads the unmatched results of a query again.
func (s *Service) reread(ctx context.Context, q *gorm.DB) error {
	var waiting []models.Result
	if err := q.Select("id").Order("id").Find(&waiting).Error; err != nil {
		return err
	}
	var failures []error
	for _, r := range waiting {
		failures = append(failures, s.interpretFrom(ctx, r.ID, models.ResultUnmatched))
	}
	return errors.Join(failures...)
}
