package sales

import (
	"cmp"
	"slices"

	"github.com/jackc/pgx/v5"

	"veinte/models"
	"veinte/models/stats"
)

// StoreSums are the sums of a store in a list of several, and why somebody may have to
// look there.
type StoreSums struct {
	StoreID int64
	models.Sums
	// Above is how many times as large a part of its sales the store canceled as all
	// others did, where that is more than chance explains, else 0; +Inf when they canceled
	// none.
	Above float64
}

// Needs reports whether something there waits, or is out of the ordinary.
func (s *StoreSums) Needs() bool { return s.Open > 0 || s.Above > 0 }

// What is out of the ordinary is worth a look from here on: one canceled sale more than
// elsewhere is none.
const (
	leastCanceled = 3
	leastAbove    = 2
)

// Stores returns the sums store by store, those first where somebody may have to look:
// by what is in doubt, then by what is under way, then by what is out of the ordinary,
// then by what was canceled. What text and state match says nothing of a store as a whole.
func (p *DayPage) Stores() []StoreSums {
	stores, total := p.byStore()
	if p.Matched == nil {
		for i := range stores {
			stores[i].Above = above(&stores[i].Sums, &total)
		}
	}
	slices.SortStableFunc(stores, func(a, b StoreSums) int {
		return cmp.Or(cmp.Compare(b.Doubt.Count, a.Doubt.Count), cmp.Compare(b.Open, a.Open), cmp.Compare(b.Above, a.Above),
			cmp.Compare(b.Canceled.Count, a.Canceled.Count), cmp.Compare(b.Sales.Amount, a.Sales.Amount))
	})
	return stores
}

func (p *DayPage) byStore() (stores []StoreSums, total models.Sums) {
	at := map[int64]int{}
	sums := p.Sums()
	for i := range sums {
		t := &sums[i]
		n, known := at[t.StoreID]
		if !known {
			n = len(stores)
			at[t.StoreID] = n
			stores = append(stores, StoreSums{StoreID: t.StoreID})
		}
		stores[n].Add(&t.Sums)
		total.Add(&t.Sums)
	}
	for i := range stores {
		stores[i].Doubt.Count = p.Doubts[stores[i].StoreID]
	}
	return stores, total
}

func above(s, total *models.Sums) float64 {
	if s.Canceled.Count < leastCanceled || total.Sales.Count == 0 {
		return 0
	}
	c := stats.Compare(s.Canceled.Count, total.Canceled.Count-s.Canceled.Count, float64(s.Sales.Count)/float64(total.Sales.Count))
	if !c.Out() || c.Times < leastAbove {
		return 0
	}
	return c.Times
}

// doubtsSQL counts the sales of a day in doubt, by store. There are few doubts, and an
// index of them.
const doubtsSQL = `SELECT s.store_id, count(*) FROM cancellations c JOIN sales s ON s.id = c.sale_id
	WHERE c.state = ` + models.UnknownSQL + ` AND s.store_id = ANY($1) AND s.business_day = $2 GROUP BY s.store_id`

func (p *DayPage) scanDoubts(rows pgx.Rows) error {
	p.Doubts = map[int64]int64{}
	var store, n int64
	_, err := pgx.ForEachRow(rows, []any{&store, &n}, func() error {
		p.Doubts[store] = n
		return nil
	})
	return err
}
