package cancellations

import (
	"context"
	"errors"
	"strconv"

	"veinte/models"
	"veinte/models/audit"
)

// MaxBulk is the limit of cancellations in a bulk request: one page of the list.
// Nobody has checked more sales one by one.
const MaxBulk = 50

// BulkRequest is a person's request to cancel several sales for one reason.
type BulkRequest struct {
	Sales       []ChosenSale // each once, in the order in which they are requested
	OmitReceipt bool
	Reason      string
	Note        string
	Click       string // drawn with the page; with a sale's id it is the click of that sale
}

// ChosenSale is a sale as the person saw it.
type ChosenSale struct {
	SaleID int64
	Amount models.Money
}

// RequestBulk requests each sale as Request does, one after the other, each in its
// own transaction. A refused sale is recorded in the trail and does not stop the
// others. Bulk returns the outcomes. The same click opens no second cancellation for
// any sale.
//
// Nothing is requested when a sale's amount is not the one that was seen.
//
// Errors: ErrForbidden, ErrAmountChanged, or *Error of a field, before anything was
// requested. Any other error stopped it on the way; reached is how many sales were
// processed.
func (s *Service) RequestBulk(ctx context.Context, actor models.Actor, r BulkRequest) (reached int, err error) {
	if !actor.May(models.CancelInBulk) {
		return 0, models.ErrForbidden
	}
	if err := s.checkBulk(ctx, &r); err != nil {
		return 0, err
	}
	together := &audit.BulkPart{Reference: r.Click, Of: len(r.Sales)}
	if err := s.bulkAsSeen(ctx, actor, r, together); err != nil {
		return 0, err
	}
	for i, sale := range r.Sales {
		_, err := s.Request(ctx, actor, CancelRequest{
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

// checkBulk validates what all requests share, so that a problem is reported once
// and before anything is requested.
func (s *Service) checkBulk(ctx context.Context, r *BulkRequest) error {
	switch {
	case len(r.Sales) == 0:
		return models.Invalid("sale", "several.none")
	case len(r.Sales) > MaxBulk:
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
	one := CancelRequest{Reason: r.Reason, Note: r.Note, Click: clickOf(r.Click, r.Sales[0].SaleID)}
	one.trim()
	if err := one.check(); err != nil {
		return err
	}
	return inUse(s.config.DB.Gorm().WithContext(ctx), r.Reason)
}
