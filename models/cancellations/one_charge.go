package cancellations

import (
	"context"
	"errors"
	"fmt"

	"gorm.io/gorm"

	"veinte/models"
	"veinte/models/database"
)

// One charge is one sale. Intake sees to that, but a terminal's own post is always
// believed, and older data has more rows of one charge: under another merchant id, or
// under another terminal. Of such rows only one can be canceled.

// OneCharge refuses a request because the order is recorded a second time, and that
// sale is canceled or about to be.
type OneCharge struct{ Other models.Sale }

func (e *OneCharge) Error() string {
	return fmt.Sprintf("%v: sale %d is %s", ErrOneCharge, e.Other.ID, e.Other.State)
}

// Unwrap lets errors.As find the *models.Error.
func (e *OneCharge) Unwrap() error { return ErrOneCharge }

// ErrOneCharge is what OneCharge is.
var ErrOneCharge = &models.Error{Kind: models.KindConflict, Code: "error.severalSales"}

// OtherSale returns the other sale of the charge that refused a request, where the
// actor may see it; otherwise nil.
func OtherSale(actor models.Actor, refusal error) *models.Sale {
	var e *OneCharge
	if !errors.As(refusal, &e) || !actor.Sees(e.Other.StoreID) {
		return nil
	}
	return &e.Other
}

// othersOfOrder are the other sales of the order: of the same terminal at any time,
// and of another terminal in the week in which a post may be late (intake.SaleTimeBehind).
// Terminals that count their orders begin again, and that is another charge.
func othersOfOrder(g *gorm.DB, sale *models.Sale) *gorm.DB {
	return g.Model(&models.Sale{}).Where(`order_id = ? AND id <> ? AND (serial_number = ?
		OR sold_at BETWEEN ?::timestamptz - interval '7 days' AND ?::timestamptz + interval '7 days')`,
		sale.OrderID, sale.ID, sale.SerialNumber, sale.SoldAt, sale.SoldAt)
}

// onlyOfItsOrder refuses when another sale of the same order is canceled or about to
// be. Where such a sale exists, requests for the two sales wait for each other.
func (l *Held) onlyOfItsOrder() error {
	var n int64
	if err := othersOfOrder(l.tx.DB, &l.sale).Count(&n).Error; err != nil || n == 0 {
		return err
	}
	// The first is the one that servers of before take as well, the second that of the
	// order under every terminal.
	for _, serial := range []models.SerialNumber{l.sale.SerialNumber, ""} {
		if err := l.tx.Lock(database.CancelLock(serial, l.sale.OrderID)); err != nil {
			return fmt.Errorf("wait for the other sale of order %s: %w", l.sale.OrderID, err)
		}
	}
	return otherUnderWay(l.tx.DB, &l.sale)
}

// otherUnderWay refuses when another sale of the same order is canceled or about to
// be.
func otherUnderWay(g *gorm.DB, sale *models.Sale) error {
	var others []models.Sale
	if err := othersOfOrder(g, sale).Order("id").Find(&others).Error; err != nil {
		return fmt.Errorf("look for other sales of order %s: %w", sale.OrderID, err)
	}
	return underWayAmong(others)
}

func underWayAmong(others []models.Sale) error {
	for i := range others {
		if state := others[i].State; state.Open() || state == models.SaleConfirmed {
			return &OneCharge{Other: others[i]}
		}
	}
	return nil
}

// OthersOf lists the other sales of a sale's order, as othersOfOrder, for Requestable.
func (s *Service) OthersOf(ctx context.Context, saleID int64) (others []models.Sale, err error) {
	err = s.config.DB.Gorm().WithContext(ctx).Where(`order_id = (SELECT order_id FROM sales WHERE id = @id) AND id <> @id
		AND (serial_number = (SELECT serial_number FROM sales WHERE id = @id)
			OR sold_at BETWEEN (SELECT sold_at - interval '7 days' FROM sales WHERE id = @id)
				AND (SELECT sold_at + interval '7 days' FROM sales WHERE id = @id))`, map[string]any{"id": saleID}).
		Order("id").Find(&others).Error
	if err != nil {
		return nil, fmt.Errorf("look for other sales of the order of sale %d: %w", saleID, err)
	}
	return others, nil
}

// OtherOf returns the other sale of the charge of a sale that is refused for it now; nil
// when it is not, or no longer, or the actor may not see the other.
func (s *Service) OtherOf(ctx context.Context, actor models.Actor, sale *models.Sale) (*models.Sale, error) {
	refusal := otherUnderWay(s.config.DB.Gorm().WithContext(ctx), sale)
	if refusal != nil && !errors.Is(refusal, ErrOneCharge) {
		return nil, refusal
	}
	return OtherSale(actor, refusal), nil
}
