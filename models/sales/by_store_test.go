package sales_test

import (
	"fmt"
	"slices"
	"testing"

	"veinte/models"
	"veinte/models/modelstest"
	"veinte/models/sales"
)

// TestStoresThatNeedSomethingComeFirst orders a chain's stores: doubts, what is under
// way, what canceled much more than the others, and only then by what was canceled.
func TestStoresThatNeedSomethingComeFirst(t *testing.T) {
	t.Parallel()
	p := &sales.DayPage{Doubts: map[int64]int64{7: 1}}
	add := func(store, sold, canceled, open int64) {
		sums := models.Sums{
			Sales: models.Sum{Count: sold, Amount: models.Money(sold * 100)}, Canceled: models.Sum{Count: canceled}, Open: open,
		}
		p.Totals = append(p.Totals, sales.TerminalTotals{
			PlaceSums: models.PlaceSums{StoreID: store, TerminalID: store*10 + open, Sums: sums},
		})
	}
	for store := int64(1); store <= 20; store++ {
		add(store, 100, 1, 0)
	}
	add(7, 20, 0, 1)    // a second terminal, with a doubt
	add(9, 20, 0, 2)    // under way
	add(5, 20, 9, 0)    // ten of 120, where others cancel one of 100
	add(21, 2, 2, 0)    // all it sold, and only two
	add(22, 1000, 9, 0) // many, of many sales
	var got []int64
	for _, s := range p.Stores() {
		if s.Needs() {
			got = append(got, s.StoreID)
		}
	}
	if want := []int64{7, 9, 5}; !slices.Equal(got, want) {
		t.Errorf("stores that need something = %v, want %v", got, want)
	}
	all := p.Stores()
	if all[2].Above < 5 || all[0].Doubt.Count != 1 || all[0].Sales.Count != 120 {
		t.Errorf("the first stores are %+v", all[:3])
	}
	p.Matched = p.Totals // of a text that was looked for
	for _, s := range p.Stores() {
		if s.Above != 0 {
			t.Errorf("store %d is out of the ordinary by what a search matched", s.StoreID)
		}
	}
}

// A list of many stores has shorter pages than that of one of them, and the same sales.
func TestAListOfManyStoresHasShorterPages(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	for i := range sales.ManyStores {
		modelstest.Store(t, o.DB, o.Clock.Now(), fmt.Sprintf("MAS-%d", i))
	}
	const all = sales.ManyStoresPage + 5
	for i := range all {
		o.Sale(models.Money(100 + i))
	}
	sizes := func(f sales.Filter) (sizes []int) {
		for f.Day = modelstest.SalesToday; ; {
			page, err := o.Sales.DaySales(t.Context(), o.Supervisor, f)
			if err != nil {
				t.Fatal(err)
			}
			if sizes = append(sizes, len(page.Sales)); page.Next == "" {
				return sizes
			}
			f.Cursor = page.Next
		}
	}
	modelstest.Equal(t, "pages of all stores", sizes(sales.Filter{}), []int{sales.ManyStoresPage, 5})
	modelstest.Equal(t, "pages of one store", sizes(sales.Filter{StoreID: o.Store.ID}), []int{all})
	modelstest.Equal(t, "pages of one terminal", sizes(sales.Filter{TerminalID: o.Terminal.ID}), []int{all})
	modelstest.Equal(t, "pages as long as a program asks", sizes(sales.Filter{Size: 20}), []int{20, 10})
}
