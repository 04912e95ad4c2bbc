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
	all, err := s.readSale(ctx, actor, saleID, &st.Sale, &st.Store, &st.Terminal)
	if err != nil {
		return nil, err
	}
	for _, c := range all {
		detail, err := s.detail(ctx, c)
		if err != nil {
			return nil, fmt.Errorf("read cancellation %d: %w", c.ID, err)
		}
		st.Cancellations = append(st.Cancellations, detail)
	}
	g := s.config.DB.Gorm().WithContext(ctx).Where("sale_id = ?", saleID).Order("id").Session(&gorm.Session{})
	if err := g.Limit(200).Find(&st.Results).Error; err != nil {
		return nil, fmt.Errorf("list results of sale %d: %w", saleID, err)
	}
	facts := s.config.DB.Gorm().WithContext(ctx).Where("sale_id = ?", saleID).Order("told_at, fact, source")
	if err := facts.Find(&st.Facts).Error; err != nil {
		return nil, fmt.Errorf("list facts of sale %d: %w", saleID, err)
	}
	if err := g.Limit(500).Find(&st.Entries).Error; err != nil {
		return nil, fmt.Errorf("list trail of sale %d: %w", saleID, err)
	}
	return &st, nil
}

// readSale reads a sale that the actor may see, with its store and terminal, and
// returns its cancellations, the oldest first.
//
// Errors: ErrNotFound.
func (s *Service) readSale(
	ctx context.Context, actor models.Actor, id int64, sale *models.Sale, store *models.Store, terminal *models.Terminal,
) (all []models.Cancellation, err error) {
	g := s.config.DB.Gorm().WithContext(ctx)
	if err := database.TakeRow(g.Where("id = ?", id), sale); err != nil {
		return nil, err
	}
	if !actor.Sees(sale.StoreID) {
		return nil, models.ErrNotFound
	}
	if err := database.TakeRow(g.Where("id = ?", sale.StoreID), store); err != nil {
		return nil, err
	}
	if err := database.TakeRow(g.Where("id = ?", sale.TerminalID), terminal); err != nil {
		return nil, err
	}
	if err := g.Where("sale_id = ?", id).Order("id").Find(&all).Error; err != nil {
		return nil, fmt.Errorf("list cancellations of sale %d: %w", id, err)
	}
	return all, nil
}

// detail adds a cancellation's attempts and its next inquiry.
func (s *Service) detail(ctx context.Context, c models.Cancellation) (CancellationDetail, error) {
	detail := CancellationDetail{Cancellation: c}
	g := s.config.DB.Gorm().WithContext(ctx)
	if err := g.Where("cancellation_id = ?", c.ID).Order("number").Find(&detail.AttemptList).Error; err != nil {
		return detail, err
	}
	if c.State != models.Unknown {
		return detail, nil
	}
	asked, err := s.AskedOf(ctx, []int64{c.ID})
	detail.Tries, detail.NextInquiry = asked[c.ID].Tries, s.NextInquiry(&c, asked[c.ID])
	return detail, err
}

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
