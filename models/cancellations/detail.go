package cancellations

import (
	"context"
	"fmt"
	"time"

	"gorm.io/gorm"

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
	g := s.config.DB.Gorm().WithContext(ctx)
	list := func(what string, into any, of *gorm.DB) func(context.Context) error {
		return func(context.Context) error {
			if err := of.Limit(maxOfSale).Find(into).Error; err != nil {
				return fmt.Errorf("list %s of sale %d: %w", what, saleID, err)
			}
			return nil
		}
	}
	err := database.Together(ctx,
		func(context.Context) error { return database.TakeRow(g.Where("id = ?", saleID), &st.Sale) },
		list("the store", &st.Store, g.Where("id = (SELECT store_id FROM sales WHERE id = ?)", saleID)),
		list("the terminal", &st.Terminal, g.Where("id = (SELECT terminal_id FROM sales WHERE id = ?)", saleID)),
		list("cancellations", &all, g.Where("sale_id = ?", saleID).Order("id")),
		list("attempts", &attempts, g.Where("cancellation_id IN (SELECT id FROM cancellations WHERE sale_id = ?)", saleID).Order("number")),
		list("results", &st.Results, g.Where("sale_id = ?", saleID).Order("id")),
		list("facts", &st.Facts, g.Where("sale_id = ?", saleID).Order("told_at, fact, source")),
		list("the trail", &st.Entries, g.Where("sale_id = ?", saleID).Order("id")),
		func(context.Context) (err error) {
			asked, err = askedAmong(g.Where("cancellation_id IN (SELECT id FROM cancellations WHERE sale_id = ?)", saleID))
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
