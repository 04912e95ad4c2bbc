package sales

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
)

// Revisions is the number of changes of today's sales, by store. While a store's
// number stays the same, so do its sales and the states of its cancellations.
type Revisions map[int64]int64

// Revisions reads the revisions of every store, in one query for all open pages.
func (s *Service) Revisions(ctx context.Context) (Revisions, error) {
	rows, err := s.db.Query(ctx, `SELECT store_id, sum(revision)::bigint FROM day_totals WHERE business_day = $1 GROUP BY store_id`,
		string(s.window().Calendar.Day(s.clock.Now())))
	if err != nil {
		return nil, fmt.Errorf("read pulse: %w", err)
	}
	pulse := Revisions{}
	var store, revision int64
	_, err = pgx.ForEachRow(rows, []any{&store, &revision}, func() error {
		pulse[store] = revision
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read pulse: %w", err)
	}
	return pulse, nil
}
