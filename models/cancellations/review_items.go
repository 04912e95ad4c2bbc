package cancellations

import (
	"context"
	"time"

	"gorm.io/gorm"

	"veinte/models"
)

// reviewItems reads the oldest items of a kind with what they are about.
func (s *Service) reviewItems(ctx context.Context, actor models.Actor, kind ReviewKind) ([]ReviewItem, error) {
	q := s.toReview(ctx, actor, kind).Limit(models.PageSize)
	if kind == ReviewResult {
		return s.resultItems(ctx, q.Order("received_at, id"))
	}
	return s.cancellationItems(ctx, kind, q.Order(map[ReviewKind]string{ReviewDoubt: "changed_at, id", ReviewConflict: "conflict_at, id"}[kind]))
}

func (s *Service) resultItems(ctx context.Context, q *gorm.DB) ([]ReviewItem, error) {
	var results []models.Result
	if err := q.Find(&results).Error; err != nil {
		return nil, err
	}
	items := make([]ReviewItem, len(results))
	var saleIDs []int64
	for i := range results {
		items[i] = ReviewItem{Kind: ReviewResult, Since: results[i].ReceivedAt, Result: &results[i]}
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
			items[i].Sale, items[i].Store = sales[*id].sale, sales[*id].store
		}
	}
	return items, nil
}

func (s *Service) cancellationItems(ctx context.Context, kind ReviewKind, q *gorm.DB) ([]ReviewItem, error) {
	var cases []models.Cancellation
	if err := q.Find(&cases).Error; err != nil {
		return nil, err
	}
	var saleIDs, ids []int64
	for i := range cases {
		saleIDs, ids = append(saleIDs, cases[i].SaleID), append(ids, cases[i].ID)
	}
	sales, err := s.salesOf(ctx, saleIDs)
	if err != nil {
		return nil, err
	}
	tries, err := s.triesOf(ctx, ids)
	if err != nil {
		return nil, err
	}
	items := make([]ReviewItem, len(cases))
	for i := range cases {
		c := &cases[i]
		of := sales[c.SaleID]
		items[i] = ReviewItem{Kind: kind, Since: c.ChangedAt, Sale: of.sale, Store: of.store, Cancellation: c, Tries: tries[c.ID]}
		if kind == ReviewConflict {
			items[i].Since = *c.ConflictAt
		} else {
			items[i].NextInquiry = s.nextInquiry(c, tries[c.ID])
		}
	}
	return items, nil
}

type saleAndStore struct {
	sale  *models.Sale
	store *models.Store
}

// salesOf reads sales with their stores, by id.
func (s *Service) salesOf(ctx context.Context, ids []int64) (map[int64]saleAndStore, error) {
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

// triesOf counts the inquiries that were sent by themselves.
func (s *Service) triesOf(ctx context.Context, caseIDs []int64) (map[int64]int, error) {
	var rows []struct {
		CancellationID int64
		Tries          int
	}
	err := s.db.Gorm().WithContext(ctx).Table("inquiries").Select("cancellation_id, max(try) AS tries").
		Where("cancellation_id IN ?", caseIDs).Group("cancellation_id").Find(&rows).Error
	tries := make(map[int64]int, len(rows))
	for _, r := range rows {
		tries[r.CancellationID] = r.Tries
	}
	return tries, err
}

// nextInquiry is when a doubt is inquired about by itself again; zero when that
// is over, or there is no such thing.
func (s *Service) nextInquiry(c *models.Cancellation, tries int) time.Time {
	if s.inquiries == nil || tries >= len(inquiryTimes) {
		return time.Time{}
	}
	return c.ChangedAt.Add(inquiryTimes[tries])
}
