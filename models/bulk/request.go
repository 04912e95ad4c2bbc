package bulk

import (
	"context"
	"errors"
	"slices"
	"strconv"

	"veinte/models"
	"veinte/models/audit"
	"veinte/models/cancellations"
)

// Max is the limit of cancellations in a bulk request: one page of the list.
// Nobody has checked more sales one by one.
const Max = 50

// Unasked is how many may be canceled at once without a fresh proof of who the person is.
const Unasked = 5

// Request is a person's request to cancel several sales for one reason.
type Request struct {
	Sales       []Sale // each once, in the order in which they are requested
	OmitReceipt bool
	Reason      string
	Note        string
	Click       string // drawn with the page; with a sale's id it is the click of that sale
}

// Sale is a sale as the person saw it.
type Sale struct {
	SaleID int64
	Amount models.Money
}

// Request requests each sale as Request does, one after the other, each in its
// own transaction. A refused sale is recorded in the trail and does not stop the
// others. Outcomes returns how each ended. The same click opens no second cancellation for
// any sale.
//
// Nothing is requested when a sale's amount is not the one that was seen.
//
// Errors: ErrForbidden, ErrProofNeeded for more than Unasked, ErrAmountChanged, or *Error of a field, before anything was
// requested. Any other error stopped it on the way; reached is how many sales were
// processed.
func (s *Service) Request(ctx context.Context, actor models.Actor, r Request) (reached int, err error) {
	if !actor.May(models.CancelInBulk) {
		return 0, models.ErrForbidden
	}
	if err := s.check(ctx, &r); err != nil {
		return 0, err
	}
	if len(r.Sales) > Unasked {
		if err := actor.Fresh(); err != nil {
			return 0, err
		}
	}
	together := &audit.BulkPart{Reference: r.Click, Of: len(r.Sales)}
	if err := s.asSeen(ctx, actor, r, together); err != nil {
		return 0, err
	}
	for i, sale := range r.Sales {
		_, err := s.cases.Request(ctx, actor, cancellations.CancelRequest{
			SaleID: sale.SaleID, OmitReceipt: r.OmitReceipt, Reason: r.Reason, Note: r.Note,
			Click: clickOf(r.Click, sale.SaleID), Seen: &sale.Amount, Together: together,
		})
		var refused *models.Error
		if err != nil && !errors.As(err, &refused) {
			return i, err
		}
	}
	return len(r.Sales), nil
}

// clickOf derives the click of one sale from the click of a bulk request.
func clickOf(click string, saleID int64) string {
	return click + "." + strconv.FormatInt(saleID, 10)
}

// check validates what all requests share, so that a problem is reported once
// and before anything is requested.
func (s *Service) check(ctx context.Context, r *Request) error {
	switch {
	case len(r.Sales) == 0:
		return models.Invalid("sale", "several.none")
	case len(r.Sales) > Max:
		return models.Invalid("sale", "several.tooMany")
	}
	seen := make(map[int64]bool, len(r.Sales))
	for _, sale := range r.Sales {
		if seen[sale.SaleID] {
			return models.Invalid("sale", "error.badRequest")
		}
		seen[sale.SaleID] = true
	}
	if r.Click == "" {
		return models.Invalid("click", "error.badRequest")
	}
	return s.cases.CheckRequest(ctx, cancellations.CancelRequest{
		Reason: r.Reason, Note: r.Note, Click: clickOf(r.Click, r.Sales[0].SaleID),
	})
}

// asSeen refuses a bulk request before any of it is requested, when the amount of
// a sale is not the one that was seen: the sum that was confirmed is then another. A
// request that has begun goes on; its sales are refused one by one.
func (s *Service) asSeen(ctx context.Context, actor models.Actor, r Request, part *audit.BulkPart) error {
	var ids []int64
	for _, sale := range r.Sales {
		ids = append(ids, sale.SaleID)
	}
	rows, err := s.Outcomes(ctx, actor, r.Click, ids)
	if err != nil {
		return err
	}
	if slices.ContainsFunc(rows, func(row Row) bool { return row.Cancellation != nil }) {
		return nil // begun
	}
	var refused error
	for i := range rows {
		sale, seen := rows[i].Sale, &r.Sales[i].Amount
		if sale == nil || !sale.State.Requestable() || sale.Amount == *seen {
			continue
		}
		refused = &cancellations.AmountChanged{Seen: *seen, Now: sale.Amount}
		r := cancellations.CancelRequest{SaleID: sale.ID, Seen: seen, Together: part}
		if err := s.cases.RecordRefused(ctx, actor, r, refused, models.ErrAmountChanged); err != nil {
			return err
		}
	}
	return models.Recorded(refused)
}
