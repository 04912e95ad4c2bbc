package sales_test

import (
	"maps"
	"slices"
	"testing"

	"veinte/models"
	"veinte/models/modelstest"
	"veinte/models/sales"
)

// The filter "soon" matches the rows that are shown as expiring soon, to the second.
// They stay among the cancelable. On another day or after the cut-off there are
// none.
func TestWhatExpiresSoonIsFiltered(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	noon := modelstest.At(t, "2026-11-20T12:00:00-06:00")
	o.Clock.Set(noon)
	plain, asked := o.Sale(100), o.Sale(200)
	o.Request(asked)
	early := o.Sale(300) // its own cut-off is an hour before the others'
	if _, err := o.Owner.Exec(`UPDATE sales SET cutoff_at = cutoff_at - interval '1 hour' WHERE id = $1`, early.ID); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		at   string
		want []int64
	}{
		{"2026-11-20T18:44:54-06:00", nil},
		{"2026-11-20T18:44:55-06:00", []int64{early.ID}},
		{"2026-11-20T18:59:55-06:00", nil},
		{"2026-11-20T19:44:54-06:00", nil},
		{"2026-11-20T19:44:55-06:00", []int64{plain.ID}},
		{"2026-11-20T19:59:54-06:00", []int64{plain.ID}},
		{"2026-11-20T19:59:55-06:00", nil},
		{"2026-11-21T19:50:00-06:00", nil},
	}
	for _, tt := range tests {
		o.Clock.Set(modelstest.At(t, tt.at))
		list := func(state models.SaleState) []int64 {
			t.Helper()
			page, err := o.Sales.DaySales(t.Context(), o.Manager, sales.Filter{Day: modelstest.SalesToday, State: state})
			if err != nil {
				t.Fatalf("DaySales(%s) at %s = %v", state, tt.at, err)
			}
			var ids []int64
			for i := range page.Sales {
				ids = append(ids, page.Sales[i].ID)
			}
			return ids
		}
		got, cancelable := list(models.SaleSoon), list(models.SaleCancelable)
		if !slices.Equal(got, tt.want) {
			t.Errorf("what expires soon at %s = %v, want %v", tt.at, got, tt.want)
		}
		for _, id := range got {
			if !slices.Contains(cancelable, id) {
				t.Errorf("sale %d expires soon at %s and is not among the cancelable %v", id, tt.at, cancelable)
			}
		}
	}
}

// The sums of each terminal are those of what text and state match, whichever
// terminal is listed; a terminal without a match is shown with zero.
func TestTheSumsOfTerminalsFollowTheFilter(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	second := o.NewTerminal(o.Store)
	o.Sale(100)
	o.Request(o.Sale(700))
	o.SaleAt(second, 100)
	o.SaleAt(second, 100)
	tests := []struct {
		fact string
		f    sales.Filter
		want map[int64]models.Sums
		sum  models.Sums
	}{
		{"unfiltered", sales.Filter{}, map[int64]models.Sums{
			o.Terminal.ID: {Sales: models.Sum{Count: 2, Amount: 800}, Open: 1}, second.ID: {Sales: models.Sum{Count: 2, Amount: 200}},
		}, models.Sums{Sales: models.Sum{Count: 4, Amount: 1000}, Open: 1}},
		{"by a text", sales.Filter{Query: "1.00"}, map[int64]models.Sums{
			o.Terminal.ID: {Sales: models.Sum{Count: 1, Amount: 100}}, second.ID: {Sales: models.Sum{Count: 2, Amount: 200}},
		}, models.Sums{Sales: models.Sum{Count: 3, Amount: 300}}},
		{"by a text and a terminal", sales.Filter{Query: "1.00", TerminalID: second.ID}, map[int64]models.Sums{
			o.Terminal.ID: {Sales: models.Sum{Count: 1, Amount: 100}}, second.ID: {Sales: models.Sum{Count: 2, Amount: 200}},
		}, models.Sums{Sales: models.Sum{Count: 2, Amount: 200}}},
		{"by a state of one", sales.Filter{State: models.SaleRequested}, map[int64]models.Sums{
			o.Terminal.ID: {Sales: models.Sum{Count: 1, Amount: 700}, Open: 1}, second.ID: {},
		}, models.Sums{Sales: models.Sum{Count: 1, Amount: 700}, Open: 1}},
		{
			"by a state of none",
			sales.Filter{State: models.SaleConfirmed},
			map[int64]models.Sums{o.Terminal.ID: {}, second.ID: {}},
			models.Sums{},
		},
	}
	for _, tt := range tests {
		tt.f.Day = modelstest.SalesToday
		page, err := o.Sales.DaySales(t.Context(), o.Manager, tt.f)
		if err != nil {
			t.Fatalf("%s: DaySales(%+v) = %v", tt.fact, tt.f, err)
		}
		got := map[int64]models.Sums{}
		for _, s := range page.Sums() {
			got[s.TerminalID] = s.Sums
		}
		if !maps.Equal(got, tt.want) || page.Filtered != tt.sum {
			t.Errorf("%s: sums = %+v, together %+v, want %+v, together %+v", tt.fact, got, page.Filtered, tt.want, tt.sum)
		}
	}
}
