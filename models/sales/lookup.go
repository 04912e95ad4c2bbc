package sales

import (
	"context"
	"fmt"

	"veinte/models"
	"veinte/models/database"
)

// OrderName identifies a sale by its order number. The terminal and the merchant id
// select one of several sales with the same number.
type OrderName struct {
	OrderID      string
	SerialNumber string // "" for any
	MerchantID   string // "" for any
}

// Found is a sale with its latest cancellation, nil when it has none.
type Found struct {
	Sale         models.Sale
	Cancellation *models.Cancellation
}

// maxOfOrder is the limit of sales returned for one order number or reference.
const maxOfOrder = 50

// SalesOfOrder returns the matching sales that the actor may see, newest first.
// hidden reports whether there are others, in stores outside the actor's scope.
func (s *Service) SalesOfOrder(ctx context.Context, actor models.Actor, name OrderName) (found []Found, hidden bool, err error) {
	if !models.Storable(name.OrderID) || !models.Storable(name.SerialNumber) || !models.Storable(name.MerchantID) {
		return nil, false, nil // a text that cannot be stored matches nothing
	}
	where, args := "order_id = ?", []any{name.OrderID}
	if name.SerialNumber != "" {
		where, args = where+" AND serial_number = ?", append(args, name.SerialNumber)
	}
	if name.MerchantID != "" {
		where, args = where+" AND merchant_id = ?", append(args, name.MerchantID)
	}
	return s.found(ctx, actor, where, args...)
}

// SaleOfID returns the sale of an id, or none.
func (s *Service) SaleOfID(ctx context.Context, actor models.Actor, id int64) (found []Found, hidden bool, err error) {
	return s.found(ctx, actor, "id = ?", id)
}

// SalesOfReference returns the sales with the merchant's reference that the actor may
// see, newest first. hidden reports whether there are others.
func (s *Service) SalesOfReference(ctx context.Context, actor models.Actor, reference string) (found []Found, hidden bool, err error) {
	if !models.Storable(reference) {
		return nil, false, nil
	}
	return s.found(ctx, actor, "reference = ? AND reference <> ''", reference)
}

// found reads the sales of a condition with their latest cancellations.
func (s *Service) found(ctx context.Context, actor models.Actor, where string, args ...any) (found []Found, hidden bool, err error) {
	var all []models.Sale
	err = s.db.Gorm().WithContext(ctx).Where(where, args...).Order("sold_at DESC, id DESC").Limit(maxOfOrder).Find(&all).Error
	if err != nil {
		return nil, false, fmt.Errorf("find sales: %w", err)
	}
	for _, sale := range all {
		if !actor.Sees(sale.StoreID) {
			hidden = true
			continue
		}
		f := Found{Sale: sale}
		if f.Cancellation, err = s.latestOf(ctx, sale.ID); err != nil {
			return nil, false, err
		}
		found = append(found, f)
	}
	return found, hidden, nil
}

// latestOf reads the sale's latest cancellation; nil when there is none.
func (s *Service) latestOf(ctx context.Context, saleID int64) (*models.Cancellation, error) {
	var c models.Cancellation
	err := database.TakeRow(s.db.Gorm().WithContext(ctx).Where("sale_id = ?", saleID).Order("id DESC"), &c)
	switch {
	case err == models.ErrNotFound:
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("read latest cancellation of sale %d: %w", saleID, err)
	}
	return &c, nil
}

// Latest returns a cancellation with its sale. hidden reports whether it exists in a
// store outside the actor's scope.
//
// Errors: ErrNotFound.
func (s *Service) Latest(ctx context.Context, actor models.Actor, id int64) (found *Found, hidden bool, err error) {
	g := s.db.Gorm().WithContext(ctx)
	f := &Found{Cancellation: &models.Cancellation{}}
	if err := database.TakeRow(g.Where("id = ?", id), f.Cancellation); err != nil {
		return nil, false, err
	}
	if !actor.Sees(f.Cancellation.StoreID) {
		return nil, true, models.ErrNotFound
	}
	return f, false, database.TakeRow(g.Where("id = ?", f.Cancellation.SaleID), &f.Sale)
}
