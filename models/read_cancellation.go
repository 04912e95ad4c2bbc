package models

import (
	"context"
	"fmt"
	"strings"
	"time"
)

// match is the sale, and where it is known the attempt, that a result is about.
type match struct {
	*Held
	attempt int // number of the attempt that the result carries; 0 when it carries none
}

// readCancellation reads a cancellation's result, or an operation that the user
// left on the terminal: the same thing with a negative end.
func (rd *reading) readCancellation(ctx context.Context) (conclusion, error) {
	m, why, err := rd.match()
	if err != nil {
		return conclusion{}, err
	}
	if m == nil {
		if rd.r.Kind == ResultAbandoned {
			// A sale that somebody gave up: nothing of ours.
			return conclusion{status: ResultIgnored, note: "abandonedElsewhere"}, nil
		}
		return conclusion{status: ResultUnmatched, note: why}, nil
	}
	c := conclusion{saleID: m.sale.ID, caseID: m.c.ID, attempt: m.attempt}
	if differs := rd.differs(m); differs != "" {
		c.status, c.note = ResultConflict, string(differs)
		if m.c.ID == 0 {
			return c, nil
		}
		return c, rd.raise(m.Held, rd.actor, rd.now, differs, m.attempt)
	}
	if rd.r.Kind == ResultCancellation && rd.r.ResponseCode == responseApproved {
		return rd.positive(ctx, m, c, DetailTerminalConfirmed)
	}
	return rd.negative(ctx, m, c)
}

// match finds what the result is about: by the attempt id it carries, else by
// order and terminal, else by folio and terminal. It returns nil and why when
// there is nothing, or when an attempt id of ours is not one that we gave.
func (rd *reading) match() (*match, string, error) {
	if rd.r.KeyHash != "" {
		return rd.matchAttempt()
	}
	q := rd.Where("serial_number = ?", rd.r.SerialNumber)
	switch {
	case rd.r.OrderID != "":
		q = q.Where("order_id = ?", rd.r.OrderID)
	case rd.r.Folio != "" && !strings.Contains(rd.r.Folio, masked) && rd.r.Kind == ResultCancellation:
		q = q.Where("folio = ?", rd.r.Folio)
	default:
		return nil, "nothingToMatch", nil
	}
	var sales []Sale
	if err := q.Limit(2).Find(&sales).Error; err != nil {
		return nil, "", fmt.Errorf("match sale: %w", err)
	}
	switch len(sales) {
	case 0:
		return nil, "noSuchSale", nil
	case 2:
		return nil, "severalSales", nil
	}
	l, err := rd.Hold(rd.tx, sales[0].ID)
	if err != nil {
		return nil, "", err
	}
	if err := l.Latest(); err != nil && err != ErrNotFound {
		return nil, "", err
	}
	return &match{Held: l}, "", nil
}

// masked is how the results door writes what must not be kept. Two folios of
// which nothing else is left are not the same folio.
const masked = "***"

func (rd *reading) matchAttempt() (*match, string, error) {
	var a Attempt
	err := take(rd.Where("key_hash = ?", rd.r.KeyHash), &a)
	if err == ErrNotFound {
		return nil, "unknownAttempt", nil
	}
	if err != nil {
		return nil, "", err
	}
	l, err := rd.HoldCase(rd.tx, a.CancellationID)
	if err != nil {
		return nil, "", err
	}
	return &match{Held: l, attempt: a.Number}, "", nil
}

// differs compares what the result names with what it is matched to. Fields are
// optional in practice: what is missing does not differ.
func (rd *reading) differs(m *match) Conflict {
	r := rd.r
	switch {
	case r.SerialNumber != "" && r.SerialNumber != string(m.sale.SerialNumber):
		return ConflictTerminalDiffers
	case r.OrderID != "" && r.OrderID != m.sale.OrderID:
		return ConflictOrderDiffers
	case r.Kind != ResultAbandoned && r.Amount != nil && *r.Amount != m.sale.Amount:
		return ConflictAmountDiffers
	}
	return ""
}

// positive: the sale is canceled. It counts at any time, also over a closed
// case, and also when nobody here had asked.
func (rd *reading) positive(ctx context.Context, m *match, c conclusion, detail Detail) (conclusion, error) {
	c.status, c.note = ResultApplied, "confirmed"
	if m.c.ID == 0 {
		err := rd.openConfirmed(m.Held, rd.actor, rd.now, DetailCanceledOnTerminal, evidence(rd.r))
		c.caseID = m.c.ID
		return c, err
	}
	if m.c.State == Confirmed {
		c.status = ResultDuplicate
		return c, nil
	}
	to := move{to: Confirmed, detail: detail, attempt: m.attempt, reason: evidence(rd.r)}
	if !m.c.State.Open() {
		to.conflict = ConflictLatePositive
	}
	return c, rd.Cancellations.move(ctx, m.Held, rd.actor, rd.now, to)
}

// evidence is what the trail keeps of a positive result.
func evidence(r *Result) string {
	if r.AuthCode == "" {
		return ""
	}
	return "authCode " + r.AuthCode
}

// openConfirmed records that somebody canceled the sale on the device itself, as
// its terminal or the provider's report tells: a case that begins and ends
// confirmed, for a supervisor to look at.
func (s *Cancellations) openConfirmed(l *Held, actor Actor, now time.Time, detail Detail, evidence string) error {
	l.c = Cancellation{
		SaleID: l.sale.ID, StoreID: l.sale.StoreID, TerminalID: l.sale.TerminalID,
		State: Confirmed, Version: 1, Detail: detail, Reason: ReasonOther,
		Origin: FromTerminal, Requester: string(l.sale.SerialNumber),
		RequestedAt: now, CutoffAt: l.sale.CutoffAt, ChangedAt: now,
	}
	if err := l.Create(&l.c).Error; err != nil {
		return fmt.Errorf("open case from terminal: %w", err)
	}
	if err := l.showInSale(Confirmed); err != nil {
		return err
	}
	if err := l.approve(actor, now, detail.approval()); err != nil {
		return err
	}
	err := l.record(actor, now, ActionCaseMoved, OutcomeSuccess, about{
		store: &l.store, sale: &l.sale, caseID: l.c.ID, after: stateOf{Confirmed, detail}, reason: evidence,
	})
	if err != nil {
		return err
	}
	if err := s.deliveries.tell(l, EventConfirmed, now, ""); err != nil {
		return err
	}
	return s.raise(l, actor, now, ConflictWithoutCase, 0)
}

// negative: a refusal counts only when it carries the attempt under way. An old
// one, or one that could be anybody's, changes nothing.
func (rd *reading) negative(ctx context.Context, m *match, c conclusion) (conclusion, error) {
	if m.attempt == 0 {
		c.status, c.note = ResultIgnored, "negativeWithoutAttempt"
		return c, nil
	}
	if rd.r.Kind == ResultCancellation && rd.r.ResponseCode == "" {
		// It does not say how it ended: no evidence, either way.
		c.status, c.note = ResultIgnored, "noResponseCode"
		return c, nil
	}
	current := m.attempt == m.c.Attempts
	if current && m.c.State == Confirmed {
		c.status, c.note = ResultConflict, string(ConflictReportedRejected)
		return c, rd.raise(m.Held, rd.actor, rd.now, ConflictReportedRejected, m.attempt)
	}
	if !current || !m.c.State.CanMove(Rejected) {
		c.status, c.note = ResultIgnored, "oldNegative"
		return c, nil
	}
	detail := DetailDeclined
	if rd.r.Kind == ResultAbandoned {
		detail = DetailAbandoned
	}
	c.status, c.note = ResultApplied, "rejected"
	return c, rd.Cancellations.move(ctx, m.Held, rd.actor, rd.now, move{
		to: Rejected, detail: detail, attempt: m.attempt, reason: "responseCode " + clip(rd.r.ResponseCode, 10),
	})
}
