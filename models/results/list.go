package results

import (
	"context"
	"fmt"

	"veinte/models"
	"veinte/models/database"
)

// Filter filters what terminals posted. Zero values do not filter.
type Filter struct {
	ID           int64 // the one alone
	Status       models.ResultStatus
	SerialNumber string // exact, as posted: it may be no serial number at all
	Cursor       string
}

// Page is a page of posted results, newest first.
type Page struct {
	Results []models.Result
	Next    string
}

// Results returns a page of what terminals posted, newest first. People with a
// limited scope see the results of their stores' sales and, where there is no sale,
// of terminals that were in their stores.
func (s *Service) Results(ctx context.Context, actor models.Actor, f Filter) (*Page, error) {
	if !actor.May(models.ViewResults) {
		return nil, models.ErrForbidden
	}
	q := s.db.Gorm().WithContext(ctx).Model(&models.Result{}).Scopes(database.OfStores(actor))
	if f.ID != 0 {
		q = q.Where("id = ?", f.ID)
	}
	if f.Status != "" {
		q = q.Where("status = ?", f.Status)
	}
	if !models.Storable(f.SerialNumber) {
		q = q.Where("false") // a text that cannot be stored matches nothing
	} else if f.SerialNumber != "" {
		q = q.Where("serial_number = ?", f.SerialNumber)
	}
	if f.Cursor != "" {
		at, id, err := database.ParseCursor(f.Cursor)
		if err != nil {
			return nil, err
		}
		q = q.Where("(received_at, id) < (?, ?)", at, id)
	}
	var page Page
	if err := q.Order("received_at DESC, id DESC").Limit(models.PageSize + 1).Find(&page.Results).Error; err != nil {
		return nil, fmt.Errorf("list results: %w", err)
	}
	if len(page.Results) > models.PageSize {
		page.Results = page.Results[:models.PageSize]
		last := page.Results[models.PageSize-1]
		page.Next = database.CursorOf(last.ReceivedAt, last.ID)
	}
	return &page, nil
}
