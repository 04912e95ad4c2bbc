package cancellations

import (
	"context"
	"fmt"
	"time"

	"veinte/models"
	"veinte/models/database"
)

// SaleDetail is everything known about one sale.
type SaleDetail struct {
	Sale          models.Sale
	Facts         []models.SaleFact // what further doors said of it, oldest first
	Store         models.Store
	Terminal      models.Terminal
	Cancellations []CancellationDetail // oldest first
	Results       []models.Result      // what terminals posted about it, oldest first
	Entries       []models.AuditEntry  // the sale's audit entries, oldest first
}

// Latest returns the sale's latest cancellation; nil when there is none.
func (s *SaleDetail) Latest() *CancellationDetail {
	if len(s.Cancellations) == 0 {
		return nil
	}
	return &s.Cancellations[len(s.Cancellations)-1]
}

// CancellationDetail is a cancellation with its attempts, oldest first.
type CancellationDetail struct {
	models.Cancellation
	AttemptList []models.Attempt
	// NextInquiry is when the next automatic inquiry about a doubt is due, Tries how
	// many were sent; zero when there is none.
	NextInquiry time.Time
	Tries       int
}

// SaleDetail returns everything known about a sale that the actor may see.
//
// Errors: ErrNotFound, also for a sale of a store outside the actor's scope.
func (s *Service) SaleDetail(ctx context.Context, actor models.Actor, saleID int64) (*SaleDetail, error) {
	var st SaleDetail
	var all []models.Cancellation
	var attempts []models.Attempt
	var asked map[int64]Asked
	find := func(into any, what, where string, more ...string) func(context.Context) error {
		return func(ctx context.Context) error {
			g := s.config.DB.Gorm().WithContext(ctx).Where(where, saleID)
			for _, order := range more {
				g = g.Order(order)
			}
			if err := g.Limit(maxOfSale).Find(into).Error; err != nil {
				return fmt.Errorf("list %s of sale %d: %w", what, saleID, err)
			}
			return nil
		}
	}
	err := database.Together(ctx,
		func(ctx context.Context) error {
			return database.TakeRow(s.config.DB.Gorm().WithContext(ctx).Where("id = ?", saleID), &st.Sale)
		},
		find(&st.Store, "the store", "id = (SELECT store_id FROM sales WHERE id = ?)"),
		find(&st.Terminal, "the terminal", "id = (SELECT terminal_id FROM sales WHERE id = ?)"),
		find(&all, "cancellations", "sale_id = ?", "id"),
		find(&attempts, "attempts", "cancellation_id IN (SELECT id FROM cancellations WHERE sale_id = ?)", "number"),
		find(&st.Results, "results", "sale_id = ?", "id"),
		find(&st.Facts, "facts", "sale_id = ?", "told_at, fact, source"),
		find(&st.Entries, "the trail", "sale_id = ?", "id"),
		func(ctx context.Context) (err error) {
			asked, err = s.asked(ctx, "SELECT id FROM cancellations WHERE sale_id = ?", saleID)
			return err
		},
	)
	if err == nil && !actor.Sees(st.Sale.StoreID) {
		err = models.ErrNotFound
	}
	if err != nil {
		return nil, err
	}
	for _, c := range all {
		d := CancellationDetail{Cancellation: c}
		for i := range attempts {
			if attempts[i].CancellationID == c.ID {
				d.AttemptList = append(d.AttemptList, attempts[i])
			}
		}
		if c.State == models.Unknown {
			d.Tries, d.NextInquiry = asked[c.ID].Tries, s.NextInquiry(&c, asked[c.ID])
		}
		st.Cancellations = append(st.Cancellations, d)
	}
	return &st, nil
}

// maxOfSale limits what is read of a sale: posts and entries may come again and again.
const maxOfSale = 500

// SaleOf returns the sale of a cancellation that the actor may see.
func (s *Service) SaleOf(ctx context.Context, actor models.Actor, id int64) (saleID int64, err error) {
	var c models.Cancellation
	if err := database.TakeRow(s.config.DB.Gorm().WithContext(ctx).Where("id = ?", id), &c); err != nil {
		return 0, err
	}
	if !actor.Sees(c.StoreID) {
		return 0, models.ErrNotFound
	}
	return c.SaleID, nil
}
