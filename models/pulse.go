package models

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
)

// Pulse is how often today's sales of each store have changed, by store. While a
// store's number stays the same, so do its sales and the states of its cases.
type Pulse map[int64]int64

// Pulse reads the pulse of every store, in one question for all open pages.
func (s *Cancellations) Pulse(ctx context.Context) (Pulse, error) {
	rows, err := s.db.pool.Query(ctx, `SELECT store_id, sum(revision)::bigint FROM day_totals WHERE business_day = $1 GROUP BY store_id`,
		string(s.Window().Calendar.Day(s.clock.Now())))
	if err != nil {
		return nil, fmt.Errorf("read pulse: %w", err)
	}
	pulse := Pulse{}
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
