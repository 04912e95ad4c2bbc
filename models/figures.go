package models

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
)

// Figures are sums of sales by what became of them, as the sales list and the
// closing report count them. Only what is confirmed is canceled. What is none of the
// four parts is charged, and nobody asks otherwise.
type Figures struct {
	Sales    Sum // all of them
	Canceled Sum // with evidence
	Doubt    Sum // nobody knows whether they are canceled
	Pending  Sum // asked for, no result yet
	Rejected Sum // refused: still charged
}

func (f *Figures) add(o *Figures) {
	f.Sales.add(o.Sales)
	f.Canceled.add(o.Canceled)
	f.Doubt.add(o.Doubt)
	f.Pending.add(o.Pending)
	f.Rejected.add(o.Rejected)
}

// Charged are the sales that are charged for all that is known: neither canceled
// nor asked to be. What was rejected is among them.
func (f *Figures) Charged() Sum {
	c := f.Sales
	for _, not := range []Sum{f.Canceled, f.Doubt, f.Pending} {
		c.add(Sum{-not.Count, -not.Amount})
	}
	return c
}

// StoreFigures are those of one store.
type StoreFigures struct {
	StoreID int64
	Figures
}

// TerminalFigures are those of one terminal in one store.
type TerminalFigures struct {
	StoreID, TerminalID int64
	Figures
}

// DayFigures are those of a business day: by hour, by terminal and by store. All
// are of one moment, so that each way of adding them up comes to the same.
type DayFigures struct {
	Total Figures
	// Hours are by the hour of the sale on the clock of the cut-off's zone: a day
	// begins and ends at midnight there, in whatever zone a store stands.
	Hours     [24]Figures
	Terminals []TerminalFigures // the highest amount first
	Stores    []StoreFigures    // the highest amount first
}

// DayFigures adds a business day up as far as the actor's stores go, or in one of
// them. Of the filter, the day and the store count.
//
// Errors: ErrNotFound for a store outside the actor's scope.
func (s *Cancellations) DayFigures(ctx context.Context, actor Actor, f SaleFilter) (*DayFigures, error) {
	stores, err := s.db.scope(ctx, actor, f.StoreID)
	if err != nil {
		return nil, err
	}
	// What would be counted for every hour of every terminal is counted twice
	// instead: a chain has a few thousand terminals, and one day.
	rows, err := s.db.pool.Query(ctx, `SELECT coalesce(s.hour, -1), coalesce(s.store_id, 0), coalesce(s.terminal_id, 0),
		`+figuresColumns.names("")+`
		FROM (SELECT extract(hour FROM sold_at AT TIME ZONE $3)::int AS hour, store_id, terminal_id, amount, state
			FROM sales WHERE store_id = ANY($1) AND business_day = $2) s
		GROUP BY GROUPING SETS ((s.hour), (s.store_id, s.terminal_id))`,
		stores, string(f.Day), s.Window().Calendar.Zone().String())
	if err != nil {
		return nil, fmt.Errorf("add up %s: %w", f.Day, err)
	}
	d := &DayFigures{}
	var hour int
	var t TerminalFigures
	_, err = pgx.ForEachRow(rows, figuresColumns.into(&t.Figures, []any{&hour, &t.StoreID, &t.TerminalID}), func() error {
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

// finish adds the terminals up and puts the largest first.
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
		d.Stores[n].add(&t.Figures)
		d.Total.add(&t.Figures)
	}
	slices.SortFunc(d.Terminals, func(a, b TerminalFigures) int {
		return cmp.Or(larger(&a.Figures, &b.Figures), cmp.Compare(a.StoreID, b.StoreID), cmp.Compare(a.TerminalID, b.TerminalID))
	})
	sortStores(d.Stores)
}

func sortStores(stores []StoreFigures) {
	slices.SortFunc(stores, func(a, b StoreFigures) int {
		return cmp.Or(larger(&a.Figures, &b.Figures), cmp.Compare(a.StoreID, b.StoreID))
	})
}

func larger(a, b *Figures) int {
	return cmp.Or(cmp.Compare(b.Sales.Amount, a.Sales.Amount), cmp.Compare(b.Sales.Count, a.Sales.Count))
}

// ListBefore is where the sales list begins with the last sale made before an
// instant: what SaleFilter.Cursor takes.
func ListBefore(at time.Time) string { return cursorOf(at, 0) }
