package rules_test

import (
	"testing"
	"time"

	"veinte/models"
	"veinte/models/modelstest"
	"veinte/models/rules"
	"veinte/models/sales"
)

// The list's filters find what the page shows, whatever the cut-off of a sale.
func TestFiltersGoByTheCutoffOfEachSale(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	before := o.Sale(100)
	o.Clock.Advance(5 * time.Hour)
	late := o.Sale(200) // made at 17:00
	o.ChangeRules(func(in *rules.Input) { in.Cutoff = "17:30" })
	if _, err := o.Owner.Exec(`UPDATE sales SET cutoff_at = cutoff_at - interval '4 hours' WHERE id = $1`, before.ID); err != nil {
		t.Fatal(err) // as if its cut-off had been 16:00
	}
	for _, at := range []string{"17:00", "17:29", "17:30"} {
		o.Clock.Set(modelstest.At(t, "2026-11-20T"+at+":00-06:00"))
		for _, state := range []models.SaleState{models.SaleCancelable, models.SaleTooLate} {
			page, err := o.Sales.DaySales(t.Context(), o.Manager, sales.Filter{Day: modelstest.SalesToday, State: state})
			if err != nil {
				t.Fatal(err)
			}
			found := map[int64]bool{}
			for i := range page.Sales {
				found[page.Sales[i].ID] = true
			}
			for _, sale := range []*models.Sale{o.FindSale(before.OrderID), late} {
				if shown := sale.Shown(o.Rules.Window(), o.Clock.Now()); found[sale.ID] != (shown == state) {
					t.Errorf("%s: a sale shown as %s is found as %s: %t", at, shown, state, found[sale.ID])
				}
			}
		}
	}
}

// A shorter wait holds for requests from then on: an attempt in progress keeps its
// own, and the sweep ends what is overdue.
func TestWaitsThatGetShorter(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	sending, accepted := o.Request(o.Sale(100)), o.Request(o.SaleAt(o.NewTerminal(o.Store), 200))
	o.API.Arrived = func(models.Order) {
		o.ChangeRules(func(in *rules.Input) { in.Answer = "5" })
		o.Clock.Advance(20 * time.Second) // longer than new attempts may wait
		if err := o.Operations.Sweep(t.Context()); err != nil {
			t.Errorf("Sweep() = %v", err)
		}
		if got := o.Cancellation(sending.ID).State; got != models.Sending {
			t.Errorf("an attempt that may take 30 s is %s after 20 s, want sending", got)
		}
	}
	o.Dispatch(sending.ID)
	o.API.Arrived = nil
	o.Dispatch(accepted.ID)
	o.ChangeRules(func(in *rules.Input) { in.Result = "30" })
	o.Clock.Advance(29 * time.Second)
	for _, want := range []models.State{models.Accepted, models.Unknown} {
		if err := o.Operations.Sweep(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got := o.Cancellation(accepted.ID).State; got != want {
			t.Errorf("after the new wait's 29, then 30 s the case is %s, want %s", got, want)
		}
		o.Clock.Advance(time.Second)
	}
}
