package cancellations

import (
	"context"
	"fmt"

	"veinte/models"
	"veinte/models/database"
)

type saleAndStore struct {
	Sale  *models.Sale
	Store *models.Store
}

// SalesOf reads sales with their stores, by id.
func (s *Service) SalesOf(ctx context.Context, ids []int64) (map[int64]saleAndStore, error) {
	g := s.db.Gorm().WithContext(ctx)
	var sales []models.Sale
	if err := g.Where("id IN ?", ids).Find(&sales).Error; err != nil {
		return nil, err
	}
	var storeIDs []int64
	for i := range sales {
		storeIDs = append(storeIDs, sales[i].StoreID)
	}
	var stores []models.Store
	if err := g.Where("id IN ?", storeIDs).Find(&stores).Error; err != nil {
		return nil, err
	}
	byID := make(map[int64]*models.Store, len(stores))
	for i := range stores {
		byID[stores[i].ID] = &stores[i]
	}
	of := make(map[int64]saleAndStore, len(sales))
	for i := range sales {
		of[sales[i].ID] = saleAndStore{&sales[i], byID[sales[i].StoreID]}
	}
	return of, nil
}

// SaleDetail returns everything known about a sale that the actor may see.
//
// Errors: ErrNotFound, also for a sale of a store outside the actor's scope.
func (s *Service) SaleDetail(ctx context.Context, actor models.Actor, saleID int64) (*SaleDetail, error) {
	g := s.db.Gorm().WithContext(ctx)
	var st SaleDetail
	if err := database.TakeRow(g.Where("id = ?", saleID), &st.Sale); err != nil {
		return nil, err
	}
	if !actor.Sees(st.Sale.StoreID) {
		return nil, models.ErrNotFound
	}
	if err := database.TakeRow(g.Where("id = ?", st.Sale.StoreID), &st.Store); err != nil {
		return nil, err
	}
	if err := database.TakeRow(g.Where("id = ?", st.Sale.TerminalID), &st.Terminal); err != nil {
		return nil, err
	}
	var cases []models.Cancellation
	if err := g.Where("sale_id = ?", saleID).Order("id").Find(&cases).Error; err != nil {
		return nil, fmt.Errorf("list cases of sale %d: %w", saleID, err)
	}
	for _, c := range cases {
		told, err := s.detail(ctx, c)
		if err != nil {
			return nil, fmt.Errorf("tell case %d: %w", c.ID, err)
		}
		st.Cancellations = append(st.Cancellations, told)
	}
	if err := g.Where("sale_id = ?", saleID).Order("id").Limit(200).Find(&st.Results).Error; err != nil {
		return nil, fmt.Errorf("list results of sale %d: %w", saleID, err)
	}
	if err := g.Where("sale_id = ?", saleID).Order("id").Limit(500).Find(&st.Entries).Error; err != nil {
		return nil, fmt.Errorf("list trail of sale %d: %w", saleID, err)
	}
	return &st, nil
}

// detail adds a cancellation's attempts and its position in the terminal's queue.
func (s *Service) detail(ctx context.Context, c models.Cancellation) (CancellationDetail, error) {
	told := CancellationDetail{Cancellation: c}
	g := s.db.Gorm().WithContext(ctx)
	if err := g.Where("cancellation_id = ?", c.ID).Order("number").Find(&told.AttemptList).Error; err != nil {
		return told, err
	}
	if c.State == models.Unknown {
		tries, err := s.TriesOf(ctx, []int64{c.ID})
		told.Tries, told.NextInquiry = tries[c.ID], s.NextInquiry(&c, tries[c.ID])
		return told, err
	}
	if c.State != models.Requested {
		return told, nil
	}
	var before int64
	err := g.Model(&models.Cancellation{}).Where("terminal_id = ? AND id <> ? AND (state IN ? OR (state = ? AND id < ?))",
		c.TerminalID, c.ID, []models.State{models.Sending, models.Accepted}, models.Requested, c.ID).Count(&before).Error
	told.Place = int(before)
	return told, err
}

// SaleOf returns the sale of a cancellation that the actor may see.
func (s *Service) SaleOf(ctx context.Context, actor models.Actor, caseID int64) (saleID int64, err error) {
	var c models.Cancellation
	if err := database.TakeRow(s.db.Gorm().WithContext(ctx).Where("id = ?", caseID), &c); err != nil {
		return 0, err
	}
	if !actor.Sees(c.StoreID) {
		return 0, models.ErrNotFound
	}
	return c.SaleID, nil
}
