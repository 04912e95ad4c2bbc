package models

import (
	"context"
	"errors"
	"strconv"
)

// MostSeveral is how many cancellations one press asks for at most: as many as a
// page of the list shows. Nobody has looked at more one by one.
const MostSeveral = 50

// SeveralRequest is a person's wish to cancel several sales for one reason.
type SeveralRequest struct {
	Sales       []ChosenSale // each once, in the order in which they are asked for
	OmitReceipt bool
	Reason      string
	Note        string
	Click       string // drawn with the page; with a sale's id it is that sale's own click
}

// ChosenSale is a sale as the person saw it.
type ChosenSale struct {
	SaleID int64
	Amount Money
}

// Together says in the trail that a request was one of several at once.
type Together struct {
	Reference string // the press; what has it in the trail was asked for by it
	Of        int    // how many sales it asked for
}

func (t *Together) tell(after map[string]any) {
	if t != nil {
		after["together"], after["togetherOf"] = t.Reference, t.Of
	}
}

// RequestSeveral asks for each sale as Request does, one after the other, each in
// a transaction of its own: one that is refused is in the trail and keeps none of
// the others. Several tells what became of them. The same click opens no second
// case for any of them.
//
// Errors: ErrForbidden, or *Error of a field, before anything was asked for.
// Anything else ended it before all were reached; reached says how many were.
func (s *Cancellations) RequestSeveral(ctx context.Context, actor Actor, r SeveralRequest) (reached int, err error) {
	if !actor.May(CancelSeveral) {
		return 0, ErrForbidden
	}
	if err := s.checkSeveral(ctx, &r); err != nil {
		return 0, err
	}
	together := &Together{Reference: r.Click, Of: len(r.Sales)}
	for i, sale := range r.Sales {
		_, err := s.Request(ctx, actor, CancelRequest{
			SaleID: sale.SaleID, OmitReceipt: r.OmitReceipt, Reason: r.Reason, Note: r.Note,
			Click: clickOf(r.Click, sale.SaleID), Seen: &sale.Amount, Together: together,
		})
		var refused *Error
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

// checkSeveral looks at what is the same for all, so that a person is told once
// and before anything is asked for.
func (s *Cancellations) checkSeveral(ctx context.Context, r *SeveralRequest) error {
	switch {
	case len(r.Sales) == 0:
		return Invalid("sale", "several.none")
	case len(r.Sales) > MostSeveral:
		return Invalid("sale", "several.tooMany")
	}
	seen := make(map[int64]bool, len(r.Sales))
	for _, sale := range r.Sales {
		if seen[sale.SaleID] {
			return Invalid("sale", "error.badRequest")
		}
		seen[sale.SaleID] = true
	}
	if r.Click == "" {
		return Invalid("click", "error.badRequest")
	}
	one := CancelRequest{Reason: r.Reason, Note: r.Note, Click: clickOf(r.Click, r.Sales[0].SaleID)}
	one.trim()
	if err := one.check(); err != nil {
		return err
	}
	known, err := tx{DB: s.db.gorm.WithContext(ctx)}.reasonInUse(r.Reason)
	if err == nil && !known {
		err = Invalid("reason", "reason.unknown")
	}
	return err
}
