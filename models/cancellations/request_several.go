package cancellations

import (
	"context"
	"errors"
	"strconv"

	"veinte/models"
	"veinte/models/audit"
	"veinte/models/database"
)

// MaxBulk is how many cancellations one press asks for at most: as many as a
// page of the list shows. Nobody has looked at more one by one.
const MaxBulk = 50

// BulkRequest is a person's wish to cancel several sales for one reason.
type BulkRequest struct {
	Sales       []ChosenSale // each once, in the order in which they are asked for
	OmitReceipt bool
	Reason      string
	Note        string
	Click       string // drawn with the page; with a sale's id it is that sale's own click
}

// ChosenSale is a sale as the person saw it.
type ChosenSale struct {
	SaleID int64
	Amount models.Money
}

// RequestBulk asks for each sale as Request does, one after the other, each in
// a transaction of its own: one that is refused is in the trail and keeps none of
// the others. Several tells what became of them. The same click opens no second
// case for any of them.
//
// Errors: ErrForbidden, or *Error of a field, before anything was asked for.
// Anything else ended it before all were reached; reached says how many were.
func (s *Service) RequestBulk(ctx context.Context, actor models.Actor, r BulkRequest) (reached int, err error) {
	if !actor.May(models.CancelInBulk) {
		return 0, models.ErrForbidden
	}
	if err := s.checkBulk(ctx, &r); err != nil {
		return 0, err
	}
	together := &audit.BulkPart{Reference: r.Click, Of: len(r.Sales)}
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

// clickOf is a press for several sales as the click for one of them.
func clickOf(click string, saleID int64) string {
	return click + "." + strconv.FormatInt(saleID, 10)
}

// checkBulk looks at what is the same for all, so that a person is told once
// and before anything is asked for.
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
	known, err := reasonInUse(database.Tx{DB: s.db.Gorm().WithContext(ctx)}, r.Reason)
	if err == nil && !known {
		err = models.Invalid("reason", "reason.unknown")
	}
	return err
}
