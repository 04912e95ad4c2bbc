package cancellations

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"gorm.io/gorm"

	"veinte/models"
	"veinte/models/audit"
	"veinte/models/database"
)

// A post that says canceled without identification is a claim. It is stored as a
// result with the note NoteAsked until the answer to an inquiry decides it, or until
// it is raised as a conflict.

// NoteAsked is the note of results about which an inquiry of ours decides.
const NoteAsked = "asked"

// maxSaleInquiries is how many inquiries are sent about one sale because of claims:
// anybody can post them, and each inquiry takes the terminal's screen.
const maxSaleInquiries = 3

// askAgain is the time after which a claim is inquired about again, or raised.
const askAgain = time.Minute

// claims is what was claimed of a sale and asked about it.
type claims struct {
	open  int          // claims that are neither decided nor raised
	last  sql.NullTime // when the last one was posted, decided or not
	asked int          // inquiries that were sent because of them
	sent  sql.NullTime // the last of those
}

// unasked reports whether there is a claim after which nothing was asked.
func (c *claims) unasked() bool {
	return c.last.Valid && (!c.sent.Valid || c.sent.Time.Before(c.last.Time))
}

func (l *Held) claims() (*claims, error) {
	var c claims
	err := l.tx.Raw(`SELECT r.open, r.last, i.asked, i.sent FROM
			(SELECT count(*) FILTER (WHERE status = ? AND note = ?) AS open, max(received_at) AS last
				FROM results WHERE sale_id = ? AND note IN (?, ?)) r,
			(SELECT count(*) AS asked, max(sent_at) AS sent FROM inquiries WHERE sale_id = ?) i`,
		models.ResultIgnored, NoteAsked, l.sale.ID, NoteAsked, models.ConflictUnidentified, l.sale.ID).
		Row().Scan(&c.open, &c.last, &c.asked, &c.sent)
	if err != nil {
		return nil, fmt.Errorf("read the claims of sale %d: %w", l.sale.ID, err)
	}
	return &c, nil
}

// ask enqueues the inquiries about the sale and what follows them, unless they are
// already, and reports whether one may still be sent.
func (l *Held) ask(ctx context.Context) (bool, error) {
	if l.s.config.Inquiries == nil {
		return false, nil
	}
	c, err := l.claims()
	if err != nil || c.asked >= maxSaleInquiries {
		return false, err
	}
	if c.open > 0 || c.unasked() {
		return true, nil // it is about to be asked, again if need be
	}
	err = l.record(models.System("verify", l.c.Requester), models.ActionInquirySent, models.OutcomeSuccess, audit.About{})
	for n := 0; n <= maxSaleInquiries && err == nil; n++ {
		err = l.enqueue(ctx, models.Task{
			Kind: models.TaskInquireSale, SubjectID: l.sale.ID, Attempt: n, After: time.Duration(n) * askAgain, Once: true,
		})
	}
	return err == nil, err
}

// looking returns how long a cancellation of the sale is not sent because somebody
// claims that it is canceled already and the terminal is about to be asked. An inquiry
// under way occupies the terminal besides.
func (l *Held) looking() (time.Duration, error) {
	if l.s.config.Inquiries == nil {
		return 0, nil
	}
	c, err := l.claims()
	if err != nil || !c.unasked() || c.asked >= maxSaleInquiries {
		return 0, err
	}
	return min(max(c.last.Time.Add(models.InquiryDelay).Sub(l.now), 0), time.Second), nil
}

// InquireSale asks the terminal about a sale of which somebody claims that it is
// canceled: after the claim, at most maxSaleInquiries times, one after another. What
// stays without an answer is raised for a supervisor. Jobs call it, a minute after one
// another; number counts from 0. A positive wait means that it is too early, or that
// the terminal is busy: call again after it.
func (s *Service) InquireSale(ctx context.Context, saleID int64, number int) (wait time.Duration, err error) {
	var order *models.Order
	hold := func(t database.Tx) (*Held, error) {
		l, err := s.Hold(t, saleID)
		if err != nil {
			return nil, err
		}
		if err := l.Latest(); err != nil && err != models.ErrNotFound {
			return nil, err
		}
		return l, nil
	}
	err = s.config.DB.InTx(ctx, func(t database.Tx) error {
		l, err := hold(t)
		if err != nil {
			return err
		}
		order, wait, err = l.inquireSale(ctx, number)
		return err
	})
	if err != nil {
		return 0, fmt.Errorf("inquire about sale %d: %w", saleID, err)
	}
	if order == nil {
		return wait, nil
	}
	return 0, s.sendInquiry(ctx, order, hold)
}

// inquireSale decides what becomes of the sale's claims, and writes the inquiry if
// there is one to send.
func (l *Held) inquireSale(ctx context.Context, number int) (order *models.Order, wait time.Duration, err error) {
	c, err := l.claims()
	if err != nil {
		return nil, 0, err
	}
	older, err := l.question()
	claimed := c.open > 0 || c.unasked()
	switch {
	case err != nil || !claimed && !older.ask:
		return nil, 0, err // decided
	case l.sale.State == models.SaleConfirmed:
		return nil, 0, l.ConfirmClaims()
	case l.s.config.Inquiries == nil:
		return nil, 0, l.raiseClaims(c)
	case c.asked >= maxSaleInquiries && !older.ask:
		if wait = l.until(c.sent.Time.Add(askAgain)); wait == 0 {
			err = l.raiseClaims(c)
		}
		return nil, wait, err
	case l.c.State == models.Sending:
		return nil, models.BusyPause, nil
	}
	if wait, err = l.occupied(); err != nil || wait > 0 {
		return nil, wait, err
	}
	if order, err = l.writeInquiry("sale_id", l.sale.ID, number); err != nil {
		return nil, 0, err
	}
	if number > 0 || !claimed { // the first about a claim was recorded when it was enqueued
		err = l.record(models.System("verify", l.c.Requester), models.ActionInquirySent, models.OutcomeSuccess,
			audit.About{After: map[string]any{"try": number + 1}})
	}
	return order, 0, err
}

// ConfirmClaims stores that the sale's claims were right, those that were raised and nobody
// has reviewed as well: the sale is canceled.
func (l *Held) ConfirmClaims() error {
	raised := l.tx.Where("status = ? AND note = ? AND reviewed_at IS NULL", models.ResultConflict, models.ConflictUnidentified)
	return l.decide(l.openClaims().Or(raised), models.ResultDuplicate, string(models.Confirmed))
}

// RefuteClaims stores that the terminal answered otherwise to a question that was
// asked after the claims.
func (l *Held) RefuteClaims(askedAt time.Time) error {
	return l.decide(l.openClaims().Where("received_at <= ?", askedAt), models.ResultIgnored, "answeredOtherwise")
}

func (l *Held) openClaims() *gorm.DB {
	return l.tx.Where("status = ? AND note = ?", models.ResultIgnored, NoteAsked)
}

// decide stores what became of the claims of the sale that meet a condition.
func (l *Held) decide(which *gorm.DB, status models.ResultStatus, note string) error {
	err := l.tx.Model(&models.Result{}).Where("sale_id = ?", l.sale.ID).Where(which).
		Updates(map[string]any{"status": status, "note": note, "reviewed_at": nil}).Error
	if err != nil {
		return fmt.Errorf("decide the claims of sale %d: %w", l.sale.ID, err)
	}
	return nil
}

// raiseClaims shows a supervisor the claims that nothing could decide.
func (l *Held) raiseClaims(c *claims) error {
	if c.open == 0 {
		return nil // raised at once
	}
	const why = models.ConflictUnidentified
	if err := l.decide(l.openClaims(), models.ResultConflict, string(why)); err != nil {
		return err
	}
	by := models.System("verify", l.c.Requester)
	if l.c.ID != 0 {
		return l.raise(by, why, 0, "")
	}
	return l.record(by, models.ActionResultConflict, models.OutcomeUnknown, audit.About{Reason: string(why)})
}

// reinquireSales enqueues the inquiries about claims whose task was lost.
func (s *Service) reinquireSales(ctx context.Context, t database.Tx) error {
	var ids []int64
	err := t.Model(&models.Result{}).Distinct("sale_id").
		Where("status = "+models.IgnoredSQL+" AND note = '"+NoteAsked+"' AND sale_id IS NOT NULL").
		Where("received_at < ?", s.config.Clock.Now().Add(-inquiryLost)).Order("sale_id").Limit(1000).Find(&ids).Error
	if err != nil {
		return fmt.Errorf("list claims: %w", err)
	}
	for _, id := range ids {
		task := models.Task{Kind: models.TaskInquireSale, SubjectID: id, Attempt: maxSaleInquiries, Once: true}
		if err := database.Enqueue(ctx, s.config.Queue, t, task); err != nil {
			return err
		}
	}
	return nil
}
