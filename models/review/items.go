package review

import (
	"context"

	"gorm.io/gorm"

	"veinte/models"
)

// reviewItems reads the oldest items of a kind with their sales, stores and results.
func (s *Service) reviewItems(ctx context.Context, actor models.Actor, kind Kind) ([]Item, error) {
	q := s.toReview(ctx, actor, kind).Limit(models.PageSize)
	if kind == ReviewResult {
		return s.resultItems(ctx, q.Order("received_at, id"))
	}
	return s.cancellationItems(ctx, kind, q.Order(map[Kind]string{ReviewDoubt: "changed_at, id", ReviewConflict: "conflict_at, id"}[kind]))
}

func (s *Service) resultItems(ctx context.Context, q *gorm.DB) ([]Item, error) {
	var results []models.Result
	if err := q.Find(&results).Error; err != nil {
		return nil, err
	}
	items := make([]Item, len(results))
	var saleIDs []int64
	for i := range results {
		items[i] = Item{Kind: ReviewResult, Since: results[i].ReceivedAt, Result: &results[i]}
		if results[i].SaleID != nil {
			saleIDs = append(saleIDs, *results[i].SaleID)
		}
	}
	sales, err := s.salesOf(ctx, saleIDs)
	if err != nil {
		return nil, err
	}
	for i := range items {
		if id := items[i].Result.SaleID; id != nil {
			items[i].Sale, items[i].Store = sales[*id].Sale, sales[*id].Store
		}
	}
	return items, nil
}

func (s *Service) cancellationItems(ctx context.Context, kind Kind, q *gorm.DB) ([]Item, error) {
	var found []models.Cancellation
	if err := q.Find(&found).Error; err != nil {
		return nil, err
	}
	var saleIDs, ids []int64
	for i := range found {
		saleIDs, ids = append(saleIDs, found[i].SaleID), append(ids, found[i].ID)
	}
	sales, err := s.salesOf(ctx, saleIDs)
	if err != nil {
		return nil, err
	}
	asked, err := s.cancellations.AskedOf(ctx, ids)
	if err != nil {
		return nil, err
	}
	items := make([]Item, len(found))
	for i := range found {
		c := &found[i]
		of := sales[c.SaleID]
		items[i] = Item{Kind: kind, Since: c.ChangedAt, Sale: of.Sale, Store: of.Store, Cancellation: c, Tries: asked[c.ID].Tries}
		if kind == ReviewConflict {
			items[i].Since = *c.ConflictAt
		} else {
			items[i].NextInquiry = s.cancellations.NextInquiry(c, asked[c.ID])
		}
	}
	return items, nil
}

type saleAndStore struct {
	Sale  *models.Sale
	Store *models.Store
}

// salesOf reads sales with their stores, by id.
func (s *Service) salesOf(ctx context.Context, ids []int64) (map[int64]saleAndStore, error) {
	g := s.db.Gorm().WithContext(ctx)
	var sales []models.Sale
	if err := g.Where("id IN ?", ids).Find(&sales).Error; err != nil {
		return nil, err
	}
	dir, err := s.terminals.Directory(ctx)
	if err != nil {
		return nil, err
	}
	of := make(map[int64]saleAndStore, len(sales))
	for i := range sales {
		of[sales[i].ID] = saleAndStore{&sales[i], dir.Stores[sales[i].StoreID]}
	}
	return of, nil
}
