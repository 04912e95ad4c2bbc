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

// Figures are sums of sales by outcome, as the sales list and the closing report
// count them. Only a confirmed sale counts as canceled. A sale in none of the four
// parts is charged, and no cancellation of it is pending.
type Figures struct {
	Sales    models.Sum // all of them
	Canceled models.Sum // with evidence
	Doubt    models.Sum // unknown outcome
	Pending  models.Sum // requested, no result yet
	Rejected models.Sum // refused: still charged
}

func (f *Figures) Add(o *Figures) {
	f.Sales.Add(o.Sales)
	f.Canceled.Add(o.Canceled)
	f.Doubt.Add(o.Doubt)
	f.Pending.Add(o.Pending)
	f.Rejected.Add(o.Rejected)
}

// Charged returns the sales that are charged as far as is known: not canceled and
// not in doubt or pending. Rejected ones are included.
func (f *Figures) Charged() models.Sum {
	c := f.Sales
	for _, not := range []models.Sum{f.Canceled, f.Doubt, f.Pending} {
		c.Add(models.Sum{Count: -not.Count, Amount: -not.Amount})
	}
	return c
}

// StoreFigures are the figures of one store.
type StoreFigures struct {
	StoreID int64
	Figures
}

// TerminalFigures are the figures of one terminal in one store.
type TerminalFigures struct {
	StoreID, TerminalID int64
	Figures
}

// DayFigures are the figures of a business day: by hour, by terminal and by store.
// All are read at one moment, so that their sums agree.
type DayFigures struct {
	Total Figures
	// Hours are by the hour of the sale in the cut-off's zone: a day begins and ends
	// at midnight there, whatever the store's zone is.
	Hours     [24]Figures
	Terminals []TerminalFigures // the highest amount first
	Stores    []StoreFigures    // the highest amount first
}

// DayFigures adds up a business day for the actor's stores, or for one of them. Of
// the filter, the day and the store are used.
//
// Errors: ErrNotFound for a store outside the actor's scope.
func (s *Service) DayFigures(ctx context.Context, actor models.Actor, f Filter) (*DayFigures, error) {
	stores, err := s.terminals.Scope(ctx, actor, f.StoreID)
	if err != nil {
		return nil, err
	}
	// Grouping by hour and by terminal separately gives fewer rows than by both: a
	// chain has a few thousand terminals.
	rows, err := s.db.Pool().Query(ctx, `SELECT coalesce(s.hour, -1), coalesce(s.store_id, 0), coalesce(s.terminal_id, 0),
		`+FiguresColumns.Names("")+`
		FROM (SELECT extract(hour FROM sold_at AT TIME ZONE $3)::int AS hour, store_id, terminal_id, amount, state
			FROM sales WHERE store_id = ANY($1) AND business_day = $2) s
		GROUP BY GROUPING SETS ((s.hour), (s.store_id, s.terminal_id))`,
		stores, string(f.Day), s.window().Calendar.Zone().String())
	if err != nil {
		return nil, fmt.Errorf("add up %s: %w", f.Day, err)
	}
	d := &DayFigures{}
	var hour int
	var t TerminalFigures
	_, err = pgx.ForEachRow(rows, FiguresColumns.Into(&t.Figures, []any{&hour, &t.StoreID, &t.TerminalID}), func() error {
		if hour >= 0 {
			d.Hours[hour] = t.Figures
		} else {
			d.Terminals = append(d.Terminals, t)
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("add up %s: %w", f.Day, err)
	}
	d.finish()
	return d, nil
}

// finish adds up the terminals and sorts the largest first.
func (d *DayFigures) finish() {
	at := map[int64]int{}
	for i := range d.Terminals {
		t := &d.Terminals[i]
		n, known := at[t.StoreID]
		if !known {
			n = len(d.Stores)
			at[t.StoreID] = n
			d.Stores = append(d.Stores, StoreFigures{StoreID: t.StoreID})
		}
		d.Stores[n].Add(&t.Figures)
		d.Total.Add(&t.Figures)
	}
	slices.SortFunc(d.Terminals, func(a, b TerminalFigures) int {
		return cmp.Or(larger(&a.Figures, &b.Figures), cmp.Compare(a.StoreID, b.StoreID), cmp.Compare(a.TerminalID, b.TerminalID))
	})
	SortStores(d.Stores)
}

func SortStores(stores []StoreFigures) {
	slices.SortFunc(stores, func(a, b StoreFigures) int {
		return cmp.Or(larger(&a.Figures, &b.Figures), cmp.Compare(a.StoreID, b.StoreID))
	})
}

func larger(a, b *Figures) int {
	return cmp.Or(cmp.Compare(b.Sales.Amount, a.Sales.Amount), cmp.Compare(b.Sales.Count, a.Sales.Count))
}

// ListBefore returns the cursor with which the sales list begins at the last sale
// before an instant, for Filter.Cursor.
func ListBefore(at time.Time) string { return database.CursorOf(at, 0) }

// FiguresColumns are the five sums of figures.
var FiguresColumns = func() (all database.Columns[Figures]) {
	for _, c := range []struct {
		condition string
		of        func(*Figures) *models.Sum
	}{
		{"", func(f *Figures) *models.Sum { return &f.Sales }},
		{models.CanceledSales, func(f *Figures) *models.Sum { return &f.Canceled }},
		{models.DoubtfulSales, func(f *Figures) *models.Sum { return &f.Doubt }},
		{models.UnderWaySales, func(f *Figures) *models.Sum { return &f.Pending }},
		{models.RejectedSales, func(f *Figures) *models.Sum { return &f.Rejected }},
	} {
		all = append(all,
			database.Column[Figures]{Name: models.CountSQL(c.condition), At: func(f *Figures) any { return &c.of(f).Count }},
			database.Column[Figures]{Name: models.AmountSQL(c.condition), At: func(f *Figures) any { return &c.of(f).Amount }})
	}
	return all
}()
