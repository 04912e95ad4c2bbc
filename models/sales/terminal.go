package sales

import (
	"context"
	"fmt"
	"strconv"

	"github.com/jackc/pgx/v5"

	"veinte/models"
	"veinte/models/database"
)

// TerminalDay is what a terminal sold on a business day, wherever it stood then, and its
// newest sales of any day.
type TerminalDay struct {
	Total  models.Sums
	Stores []models.PlaceSums // the highest amount first
	Latest []models.Sale      // newest first
}

// latestOfTerminal is how many sales of a terminal its page shows.
const latestOfTerminal = 5

// TerminalDay adds up a business day of a terminal in the stores that the actor sees, and
// returns its newest sales there. Both are read in one round trip.
func (s *Service) TerminalDay(ctx context.Context, actor models.Actor, terminalID int64, day models.Day) (*TerminalDay, error) {
	stores, err := s.terminals.Scope(ctx, actor, 0)
	if err != nil {
		return nil, err
	}
	d := &TerminalDay{}
	var rows []Row
	batch := &pgx.Batch{}
	// A day of the cut-off's zone is within a day of it in any zone: the index has the instant.
	batch.Queue(`SELECT `+placeColumns.Values()+`
		FROM sales s WHERE s.terminal_id = $1 AND s.business_day = $2 AND s.store_id = ANY($3)
		  AND s.sold_at >= $4::timestamptz - interval '1 day' GROUP BY s.store_id, s.terminal_id`,
		terminalID, string(day), stores, day.Time(s.window().Calendar.Zone())).Query(placeColumns.To(&d.Stores))
	of := saleOfRow(listedColumns)
	batch.Queue(`SELECT `+of.Values()+` FROM sales s WHERE s.terminal_id = $1 AND s.store_id = ANY($2)
		ORDER BY s.sold_at DESC, s.id DESC LIMIT `+strconv.Itoa(latestOfTerminal), terminalID, stores).Query(of.To(&rows))
	if err := s.db.SendBatch(ctx, batch); err != nil {
		return nil, fmt.Errorf("read the day of terminal %d: %w", terminalID, err)
	}
	SortPlaces(d.Stores)
	for i := range d.Stores {
		d.Total.Add(&d.Stores[i].Sums)
	}
	for i := range rows {
		d.Latest = append(d.Latest, rows[i].Sale)
	}
	return d, nil
}

// placeColumns are the sums of a terminal in a store, added up from sales s.
var placeColumns = append(database.Columns[models.PlaceSums]{
	{Name: "store_id", SQL: "s.store_id", At: func(p *models.PlaceSums) any { return &p.StoreID }},
	{Name: "terminal_id", SQL: "s.terminal_id", At: func(p *models.PlaceSums) any { return &p.TerminalID }},
}, database.Within(func(p *models.PlaceSums) *models.Sums { return &p.Sums }, database.SumColumns)...)
