package sales

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"veinte/models"
	"veinte/models/database"
)

// DayFigures are the figures of a business day: by hour, by terminal and by store.
// All are read at one moment, so that their sums agree.
type DayFigures struct {
	Total models.Sums
	// Hours are by the hour of the sale in the cut-off's zone: a day begins and ends
	// at midnight there, whatever the store's zone is.
	Hours     [24]models.Sums
	Terminals []models.PlaceSums // the highest amount first
	Stores    []models.PlaceSums // the highest amount first
}

// DayFigures adds up a business day for the actor's stores, or for one of them. Of
// the filter, the day and the store are used. What it returns is not to be changed: those
// of a whole chain are shared, and up to a second old.
//
// Errors: ErrNotFound for a store outside the actor's scope.
func (s *Service) DayFigures(ctx context.Context, actor models.Actor, f Filter) (*DayFigures, error) {
	return s.dayFigures(ctx, actor, f, true)
}

// DayOfStores is DayFigures without its terminals, of which a chain has thousands.
//
// Errors: ErrNotFound for a store outside the actor's scope.
func (s *Service) DayOfStores(ctx context.Context, actor models.Actor, f Filter) (*DayFigures, error) {
	return s.dayFigures(ctx, actor, f, false)
}

func (s *Service) dayFigures(ctx context.Context, actor models.Actor, f Filter, byTerminal bool) (*DayFigures, error) {
	stores, err := s.terminals.Scope(ctx, actor, f.StoreID)
	if err != nil {
		return nil, err
	}
	if !actor.AllStores || len(stores) < chainStores {
		return s.addUp(ctx, stores, f.Day, byTerminal)
	}
	key, now := recentKey{f.Day, byTerminal}, s.clock.Now()
	if d := s.recent.take(key, now); d != nil {
		return d, nil
	}
	d, err := s.addUp(ctx, stores, f.Day, byTerminal)
	if err == nil {
		s.recent.keep(key, now, d)
	}
	return d, err
}

// addUp reads a day's figures.
func (s *Service) addUp(ctx context.Context, stores []int64, day models.Day, byTerminal bool) (*DayFigures, error) {
	// Grouping by hour and by terminal separately gives fewer rows than by both: a
	// chain has a few thousand terminals.
	rows, err := s.db.Query(ctx, `SELECT `+groupColumns.Values()+`
		FROM (SELECT extract(hour FROM sold_at AT TIME ZONE $3)::int AS hour, store_id, amount, state,
				CASE WHEN $4 THEN terminal_id ELSE 0 END AS terminal_id
			FROM sales WHERE store_id = ANY($1) AND business_day = $2) s
		GROUP BY GROUPING SETS ((s.hour), (s.store_id, s.terminal_id))`,
		stores, string(day), s.window().Calendar.Zone().String(), byTerminal)
	if err != nil {
		return nil, fmt.Errorf("add up %s: %w", day, err)
	}
	groups, err := groupColumns.Collect(rows, nil)
	if err != nil {
		return nil, fmt.Errorf("add up %s: %w", day, err)
	}
	d := &DayFigures{}
	for i := range groups {
		if g := &groups[i]; g.hour >= 0 {
			d.Hours[g.hour] = g.Sums
		} else {
			d.Terminals = append(d.Terminals, g.PlaceSums)
		}
	}
	d.finish()
	if !byTerminal {
		d.Terminals = nil
	}
	return d, nil
}

// CanceledAt is when the cancellations of a store's day came to be, the earliest first.
// Of several stores there is no list: the line that it is drawn on is a shop's.
//
// Errors: ErrNotFound for a store outside the actor's scope.
func (s *Service) CanceledAt(ctx context.Context, actor models.Actor, f Filter) ([]time.Time, error) {
	stores, err := s.terminals.Scope(ctx, actor, f.StoreID)
	if err != nil || len(stores) != 1 {
		return nil, err
	}
	rows, err := s.db.Query(ctx, `SELECT c.changed_at FROM sales s JOIN cancellations c ON c.sale_id = s.id AND c.state = s.state
		WHERE s.store_id = $1 AND s.business_day = $2 AND `+models.CanceledSales+` ORDER BY 1`, stores[0], string(f.Day))
	if err != nil {
		return nil, fmt.Errorf("read when sales of %s were canceled: %w", f.Day, err)
	}
	return pgx.CollectRows(rows, pgx.RowTo[time.Time])
}

// group is an hour of a day, or a terminal with the hour -1.
type group struct {
	hour int
	models.PlaceSums
}

var groupColumns = append(database.Columns[group]{
	{Name: "hour", SQL: "coalesce(s.hour, -1)", At: func(g *group) any { return &g.hour }},
	{Name: "store_id", SQL: "coalesce(s.store_id, 0)", At: func(g *group) any { return &g.StoreID }},
	{Name: "terminal_id", SQL: "coalesce(s.terminal_id, 0)", At: func(g *group) any { return &g.TerminalID }},
}, database.Within(func(g *group) *models.Sums { return &g.Sums }, database.SumColumns)...)

// finish adds up the terminals and sorts the largest first.
func (d *DayFigures) finish() {
	at := map[int64]int{}
	for i := range d.Terminals {
		t := &d.Terminals[i]
		n, known := at[t.StoreID]
		if !known {
			n = len(d.Stores)
			at[t.StoreID] = n
			d.Stores = append(d.Stores, models.PlaceSums{StoreID: t.StoreID})
		}
		d.Stores[n].Add(&t.Sums)
		d.Total.Add(&t.Sums)
	}
	SortPlaces(d.Terminals)
	SortPlaces(d.Stores)
}

// SortPlaces puts the highest amount first.
func SortPlaces(places []models.PlaceSums) {
	slices.SortFunc(places, func(a, b models.PlaceSums) int {
		return cmp.Or(cmp.Compare(b.Sales.Amount, a.Sales.Amount), cmp.Compare(b.Sales.Count, a.Sales.Count),
			cmp.Compare(a.StoreID, b.StoreID), cmp.Compare(a.TerminalID, b.TerminalID))
	})
}

// ListBefore returns the cursor with which the sales list begins at the last sale
// before an instant, for Filter.Cursor.
func ListBefore(at time.Time) string { return database.CursorOf(at, 0) }
