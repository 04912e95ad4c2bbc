package models

import (
	"context"
	"fmt"
)

// OrderName names a sale as its merchant knows it. Of several sales with one
// order number the terminal and the merchant id tell which.
type OrderName struct {
	OrderID      string
	SerialNumber string // "" for any
	MerchantID   string // "" for any
}

// FoundSale is a sale with its latest case, nil when it has none.
type FoundSale struct {
	Sale Sale
	Case *Cancellation
}

// mostOfOrder is how many sales of one order number are named at most.
const mostOfOrder = 50

// SalesOfOrder returns the sales that go by the name and that the actor may see,
// newest first. hidden reports whether there are others, of stores outside the
// actor's scope.
func (s *Cancellations) SalesOfOrder(ctx context.Context, actor Actor, name OrderName) (found []FoundSale, hidden bool, err error) {
	if !storable(name.OrderID) || !storable(name.SerialNumber) || !storable(name.MerchantID) {
		return nil, false, nil // what cannot be stored is nowhere
	}
	q := s.db.gorm.WithContext(ctx).Where("order_id = ?", name.OrderID)
	if name.SerialNumber != "" {
		q = q.Where("serial_number = ?", name.SerialNumber)
	}
	if name.MerchantID != "" {
		q = q.Where("merchant_id = ?", name.MerchantID)
	}
	var all []Sale
	if err := q.Order("sold_at DESC, id DESC").Limit(mostOfOrder).Find(&all).Error; err != nil {
		return nil, false, fmt.Errorf("find order: %w", err)
	}
	for _, sale := range all {
		if !actor.Sees(sale.StoreID) {
			hidden = true
			continue
		}
		f := FoundSale{Sale: sale}
		if f.Case, err = s.latestCase(ctx, sale.ID); err != nil {
			return nil, false, err
		}
		found = append(found, f)
	}
	return found, hidden, nil
}

// latestCase reads the sale's latest case; nil when there is none.
func (s *Cancellations) latestCase(ctx context.Context, saleID int64) (*Cancellation, error) {
	var c Cancellation
	err := take(s.db.gorm.WithContext(ctx).Where("sale_id = ?", saleID).Order("id DESC"), &c)
	switch {
	case err == ErrNotFound:
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("read latest case of sale %d: %w", saleID, err)
	}
	return &c, nil
}

// CaseOf returns a case with its sale. hidden reports whether there is one, but
// of a store outside the actor's scope.
//
// Errors: ErrNotFound.
func (s *Cancellations) CaseOf(ctx context.Context, actor Actor, id int64) (found *FoundSale, hidden bool, err error) {
	g := s.db.gorm.WithContext(ctx)
	f := &FoundSale{Case: &Cancellation{}}
	if err := take(g.Where("id = ?", id), f.Case); err != nil {
		return nil, false, err
	}
	if !actor.Sees(f.Case.StoreID) {
		return nil, true, ErrNotFound
	}
	return f, false, take(g.Where("id = ?", f.Case.SaleID), &f.Sale)
}
