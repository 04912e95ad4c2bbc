package handlers_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"veinte/models"
	"veinte/models/modelstest"
	"veinte/models/sales"
)

// TestTheDayAsPictures: a manager sees the numbers of their store, and none of
// another; a supervisor both, and the week.
func TestTheDayAsPictures(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	here := h.Sale(123400)
	other := modelstest.Store(t, h.DB, h.Clock.Now(), "AJENA-9")
	there := h.NewTerminal(other)
	h.SaleAt(there, 987600)
	canceled, _ := h.StateOf(models.Confirmed)

	ana, sofia := h.manager(), h.supervisor()
	list := ana.get("/sales")
	list.holds(`data-testid="see-day"`, `href="/sales/day"`)
	day := ana.get("/sales/day")
	day.want(http.StatusOK)
	day.holds(`role="img"`, "$1,234.00", "/sales?state=confirmed", here.SoldAt.In(h.Rules.Window().Calendar.Zone()).Format("15:00"))
	for _, foreign := range []string{"9,876", "11,110", "AJENA-9", string(there.SerialNumber)} {
		if strings.Contains(day.body, foreign) {
			t.Errorf("the manager's day shows %q of a store that is not theirs:\n%s", foreign, day.words())
		}
	}
	ana.get("/sales/day?store=" + fmt.Sprint(other.ID)).want(http.StatusNotFound)
	ana.get("/oversight/days").want(http.StatusForbidden)
	ana.get("/sales/day?date=ayer").want(http.StatusUnprocessableEntity)
	if n := len(day.byTestID("chart-stores")); n != 0 {
		t.Error("a manager of one store is shown shares of stores")
	}

	whole := sofia.get("/sales/day")
	whole.holds("$2,484.00", "$9,876.00", `data-testid="chart-stores"`, `href="/sales/day?store=`+fmt.Sprint(other.ID)+`"`)
	for _, at := range []string{
		"/oversight/days", "/oversight/days?unit=month", "/oversight/days?from=" + string(canceled.BusinessDay) + "&by=sales",
	} {
		p := sofia.get(at)
		p.want(http.StatusOK)
		p.holds(`data-testid="chart-days"`, "$9,876.00")
	}
	for _, at := range []string{"/sales/day", "/oversight?by=terminal"} {
		sofia.get(at).holds(h.Store.Code + " · " + h.Terminal.Label)
	}
	one := sofia.get("/oversight/days?store=" + fmt.Sprint(h.Store.ID))
	if one.want(http.StatusOK); strings.Contains(one.body, "9,876") {
		t.Error("the week of one store has another's sale")
	}
	sofia.get("/oversight/days?unit=year").want(http.StatusUnprocessableEntity)
	if n := h.count(`SELECT count(*) FROM audit_entries WHERE action = 'oversight.read' AND after ->> 'page' = 'days'`); n != 4 {
		t.Errorf("%d entries of readings of the days, want 4: one for each that was shown", n)
	}
}

// TestAnHourOpensTheListAtItsEnd: the newest sale of the list is the hour's last.
func TestAnHourOpensTheListAtItsEnd(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.Clock.Set(modelstest.At(t, "2026-11-20T11:59:59-06:00"))
	before := h.Sale(11100)
	h.Clock.Set(modelstest.At(t, "2026-11-20T12:00:00-06:00"))
	after := h.Sale(22200)
	ana := h.manager()
	day := ana.get("/sales/day")
	links := 0
	for _, row := range day.byTestID("chart-row") {
		if strings.HasPrefix(textOf(row), "11:00") {
			links++
		}
	}
	if links != 1 {
		t.Fatalf("%d rows of 11:00, want 1:\n%s", links, day.words())
	}
	list := ana.get("/sales?cursor=" + sales.ListBefore(modelstest.At(t, "2026-11-20T12:00:00-06:00")))
	if !strings.Contains(day.body, sales.ListBefore(modelstest.At(t, "2026-11-20T12:00:00-06:00"))) {
		t.Error("no row leads to the end of the hour from 11 to 12")
	}
	if !strings.Contains(list.body, before.OrderID) || strings.Contains(list.body, after.OrderID) {
		t.Errorf("the list of that hour begins elsewhere:\n%s", list.words())
	}
}
