package sales

import (
	"context"
	"fmt"
	"time"

	"veinte/models"
	"veinte/models/database"
)

// RangeFilter narrows the sales, or the cancellations, of a range of days. The days are
// needed; zero values of the rest do not filter.
type RangeFilter struct {
	From, To     models.Day // both are part of the range
	StoreID      int64
	TerminalID   int64
	State        models.SaleState // of sales
	CaseState    models.State     // of cancellations
	ChangedSince time.Time        // of cancellations
	Cursor       string
	Size         int
}

// MaxRange is how many days a range may have: a page of it is found in each of them.
const MaxRange = 92

// Days is how many days the range has; 0 or less when it ends before it begins.
func (f *RangeFilter) Days() int {
	return int(f.To.Time(time.UTC).Sub(f.From.Time(time.UTC))/(24*time.Hour)) + 1
}

// RangePage is a page of the sales of a range.
type RangePage struct {
	Sales []models.Sale
	Next  string // cursor of the next page; "" at the end
}

// rangeCursor is behind which sale, or cancellation, a page of a range begins. Day is
// that of a sale.
type rangeCursor struct {
	Day models.Day `json:",omitempty"`
	At  time.Time
	ID  int64
}

// parseRangeCursor reads a cursor; before the first page it is behind nothing.
func parseRangeCursor(text string, first rangeCursor) (rangeCursor, error) {
	if text == "" {
		return first, nil
	}
	var c rangeCursor
	if err := database.DecodeCursor(text, &c); err != nil {
		return c, err
	}
	if !c.Day.Valid() || (c.Day == "") != (first.Day == "") || c.At.Year() < 1970 || c.At.Year() > 9999 {
		return c, models.Invalid("cursor", "cursor.invalid")
	}
	return c, nil
}

// after is later than every instant that is stored.
var after = time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC)

// SalesOfRange returns a page of the sales of a range of days that the actor may see,
// newest first, in one statement. Each day is read from the index of days or of a store's
// days, which has it in this order, and only as far as the page goes.
//
// Errors: ErrNotFound for a store outside the actor's scope, cursor.invalid.
func (s *Service) SalesOfRange(ctx context.Context, actor models.Actor, f RangeFilter) (*RangePage, error) {
	behind, err := parseRangeCursor(f.Cursor, rangeCursor{Day: f.To, At: after})
	if err != nil {
		return nil, err
	}
	last := min(f.To, behind.Day)
	q := &query{args: []any{string(f.From), string(last), string(behind.Day), behind.At, behind.ID}}
	if err := q.within(actor, f.StoreID); err != nil {
		return nil, err
	}
	q.terminal(f.TerminalID)
	if f.State != "" {
		q.state(f.State, s.openOn(s.window().Calendar.Day(s.clock.Now())))
	}
	page := &RangePage{}
	rows, err := s.db.Query(ctx, fmt.Sprintf(`SELECT %s
		FROM (SELECT n FROM generate_series(0, $2::date - $1::date) n ORDER BY n) days
		CROSS JOIN LATERAL (
			SELECT %s FROM sales s WHERE s.business_day = $2::date - days.n%s
			AND (s.sold_at, s.id) < (CASE WHEN $2::date - days.n = $3::date THEN $4::timestamptz ELSE 'infinity' END, $5::bigint)
			ORDER BY s.sold_at DESC, s.id DESC LIMIT %d
		) sale
		ORDER BY days.n, sale.sold_at DESC, sale.id DESC LIMIT %[4]d`,
		listedColumns.Names("sale."), listedColumns.Names("s."), q.where.String(), f.Size+1), q.args...)
	if err == nil {
		page.Sales, err = listedColumns.Collect(rows, nil)
	}
	if err != nil {
		return nil, fmt.Errorf("list sales from %s to %s: %w", f.From, f.To, err)
	}
	if len(page.Sales) > f.Size {
		page.Sales = page.Sales[:f.Size]
		end := &page.Sales[f.Size-1]
		page.Next = database.EncodeCursor(rangeCursor{Day: end.BusinessDay, At: end.SoldAt, ID: end.ID})
	}
	return page, nil
}

// within narrows to a store, or to all that the actor sees: for who sees all of them
// nothing is narrowed.
//
// Errors: ErrNotFound for a store outside the actor's scope.
func (q *query) within(actor models.Actor, storeID int64) error {
	switch {
	case storeID != 0 && !actor.Sees(storeID):
		return models.ErrNotFound
	case storeID != 0:
		q.stores([]int64{storeID})
	case !actor.AllStores:
		q.stores(actor.StoreIDs)
	}
	return nil
}
