package webhooks

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"time"

	"veinte/models"
	"veinte/models/database"
)

// Filter narrows the log of an endpoint. Zero values do not filter.
type Filter struct {
	EndpointID int64
	State      State
	Cursor     string // where the page begins, from the previous page
}

// Page is a page of an endpoint's log of deliveries, newest first.
type Page struct {
	Deliveries []Delivery
	Next       string
}

// Log returns a page of the deliveries to an endpoint.
//
// Errors: ErrForbidden, filter.invalid, cursor.invalid.
func (d *Service) Log(ctx context.Context, actor models.Actor, f Filter) (*Page, error) {
	if !actor.May(models.ManageEndpoints) {
		return nil, models.ErrForbidden
	}
	q := d.db.Gorm().WithContext(ctx).Model(&Delivery{}).Where("endpoint_id = ?", f.EndpointID)
	if f.State != "" {
		if !slices.Contains(States, f.State) {
			return nil, models.Invalid("state", "filter.invalid")
		}
		q = q.Where("state = ?", f.State)
		if f.State == GivenUp || f.State == SetAside {
			q = q.Where("state IN " + deliveriesEndedSQL) // as in the index's predicate
		}
	}
	if f.Cursor != "" {
		before, err := strconv.ParseInt(f.Cursor, 10, 64)
		if err != nil || before <= 0 {
			return nil, models.Invalid("", "cursor.invalid")
		}
		q = q.Where("id < ?", before)
	}
	var page Page
	if err := q.Omit("payload").Order("id DESC").Limit(models.PageSize + 1).Find(&page.Deliveries).Error; err != nil {
		return nil, fmt.Errorf("list deliveries of endpoint %d: %w", f.EndpointID, err)
	}
	if len(page.Deliveries) > models.PageSize {
		page.Deliveries = page.Deliveries[:models.PageSize]
		page.Next = strconv.FormatInt(page.Deliveries[models.PageSize-1].ID, 10)
	}
	return &page, nil
}

// DeliveryHistory is a delivery with its tries and its related records.
type DeliveryHistory struct {
	Delivery
	Endpoint Endpoint
	Result   *models.Result // the forwarded result; nil for events
	SaleID   *int64         // the sale that it is about; nil when none is known
	TryList  []DeliveryTry
	DueAt    *time.Time // when it is tried next; nil when it is not
	Behind   *int64     // the delivery that it waits for; nil when it is next
}

// shownTries is how many tries a page shows, counted from the last.
const shownTries = 100

// DeliveryHistory returns a delivery with its tries, newest first.
//
// Errors: ErrForbidden, ErrNotFound.
func (d *Service) DeliveryHistory(ctx context.Context, actor models.Actor, id int64) (*DeliveryHistory, error) {
	if !actor.May(models.ManageEndpoints) {
		return nil, models.ErrForbidden
	}
	g := d.db.Gorm().WithContext(ctx)
	s := &DeliveryHistory{}
	if err := database.TakeRow(g.Where("id = ?", id), &s.Delivery); err != nil {
		return nil, err
	}
	if err := database.TakeRow(g.Where("id = ?", s.EndpointID), &s.Endpoint); err != nil {
		return nil, err
	}
	if err := g.Where("delivery_id = ?", id).Order("number DESC").Limit(shownTries).Find(&s.TryList).Error; err != nil {
		return nil, fmt.Errorf("list tries of delivery %d: %w", id, err)
	}
	switch {
	case s.ResultID != nil:
		s.Result = &models.Result{}
		if err := database.TakeRow(g.Where("id = ?", *s.ResultID), s.Result); err != nil {
			return nil, err
		}
		s.SaleID = s.Result.SaleID
	case s.CancellationID != nil:
		var c models.Cancellation
		if err := database.TakeRow(g.Select("sale_id").Where("id = ?", *s.CancellationID), &c); err != nil {
			return nil, err
		}
		s.SaleID = &c.SaleID
	}
	if s.State != Waiting {
		return s, nil
	}
	var line struct {
		DueAt  *time.Time
		Behind *int64
	}
	err := g.Raw(`SELECT (SELECT due_at FROM delivery_lanes WHERE endpoint_id = ? AND lane = ?) AS due_at,
		(SELECT id FROM deliveries WHERE endpoint_id = ? AND lane = ? AND state = `+deliveryWaitingSQL+`
			AND id < ? ORDER BY id LIMIT 1) AS behind`,
		s.EndpointID, s.Lane, s.EndpointID, s.Lane, id).Scan(&line).Error
	if err != nil {
		return nil, fmt.Errorf("read place of delivery %d: %w", id, err)
	}
	s.DueAt, s.Behind = line.DueAt, line.Behind
	return s, nil
}
