package sales_test

import (
	"fmt"
	"testing"
	"time"

	"veinte/models"
	"veinte/models/modelstest"
	"veinte/models/sales"
)

// TestTheDayOfAChainIsReadOnceASecond: the figures of all stores of a chain are up to a
// second old, for whoever sees them all; those of some stores are as they are now.
func TestTheDayOfAChainIsReadOnceASecond(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	for n := range 60 {
		modelstest.Store(t, o.DB, o.Clock.Now(), fmt.Sprintf("S-%d", n))
	}
	some := modelstest.Person(models.Supervisor, o.Store)
	today := sales.Filter{Day: modelstest.SalesToday}
	wants := func(what string, ofAll, ofSome int64) {
		t.Helper()
		modelstest.Wants(t, what+", all stores", dayFigures(t, o, o.Supervisor, today).Total.Sales.Count, ofAll)
		modelstest.Wants(t, what+", some", dayFigures(t, o, some, today).Total.Sales.Count, ofSome)
		one := sales.Filter{Day: modelstest.SalesToday, StoreID: o.Store.ID}
		modelstest.Wants(t, what+", one of all", dayFigures(t, o, o.Supervisor, one).Total.Sales.Count, ofSome)
	}
	o.Sale(100)
	wants("at first", 1, 1)
	o.SaleAt(o.NewTerminal(o.Store), 200)
	o.Clock.Advance(999 * time.Millisecond)
	wants("within the second", 1, 2)
	o.Clock.Advance(time.Millisecond)
	wants("after it", 2, 2)
	without, err := o.Sales.DayOfStores(t.Context(), o.Supervisor, today)
	if err != nil || without.Total.Sales.Count != 2 || len(without.Terminals) != 0 {
		t.Errorf("DayOfStores = %+v, %v, want the two sales and no terminals", without, err)
	}
	modelstest.Wants(t, "terminals of the other", len(dayFigures(t, o, o.Supervisor, today).Terminals), 2)
	yesterday := sales.Filter{Day: "2026-11-01"}
	modelstest.Wants(t, "another day", dayFigures(t, o, o.Supervisor, yesterday).Total.Sales.Count, 0)
}
