package sales_test

import (
	"errors"
	"slices"
	"testing"

	"veinte/models"
	"veinte/models/closings"
	"veinte/models/modelstest"
	"veinte/models/oversight"
	"veinte/models/sales"
)

func dayFigures(t *testing.T, o *modelstest.Office, actor models.Actor, f sales.Filter) *sales.DayFigures {
	t.Helper()
	d, err := o.Sales.DayFigures(t.Context(), actor, f)
	if err != nil {
		t.Fatalf("DayFigures(%+v) = %v", f, err)
	}
	return d
}

func period(t *testing.T, o *modelstest.Office, actor models.Actor, f oversight.PeriodFilter) *oversight.PeriodFigures {
	t.Helper()
	p, err := o.Oversight.Period(t.Context(), actor, f)
	if err != nil {
		t.Fatalf("Period(%+v) = %v", f, err)
	}
	return p
}

// oneOfEach makes a sale with each outcome, in two stores.
func oneOfEach(t *testing.T, o *modelstest.Office) (other *models.Store) {
	t.Helper()
	for _, s := range []models.State{
		models.Requested, models.Withdrawn, models.Expired, models.Sending, models.Rejected,
		models.Unknown, models.Confirmed, models.NotCanceled, models.Accepted,
	} {
		o.Terminal = o.NewTerminal(o.Store)
		o.StateOf(s)
	}
	other = modelstest.Store(t, o.DB, o.Clock.Now(), "OTRA")
	o.SaleAt(o.NewTerminal(other), 7700)
	return other
}

// TestTheSameNumbersOnEveryPage: the day by hour, by terminal and by store, its bar
// in the week and in the month, the list's sums and the closing report show the same
// figures.
func TestTheSameNumbersOnEveryPage(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	other := oneOfEach(t, o)
	o.Terminal = o.NewTerminal(o.Store)
	o.StateOf(models.Unknown) // a second one: a doubt is not taken for another state
	// A sale that was refused twice is still one rejected sale.
	o.Terminal = o.NewTerminal(o.Store)
	again, _ := o.StateOf(models.Rejected)
	o.API.Then(modelstest.NoTerminal)
	o.Dispatch(o.Request(again).ID)
	if s := o.SaleDetail(again.ID); s.Sale.State != models.SaleRejected || len(s.Cancellations) != 2 {
		t.Fatalf("the sale is %s with %d cases, want it rejected twice", s.Sale.State, len(s.Cancellations))
	}
	o.Clock.Set(modelstest.At(t, "2026-11-20T20:00:00-06:00")) // when the report is made
	for _, f := range []sales.Filter{
		{Day: modelstest.SalesToday},
		{Day: modelstest.SalesToday, StoreID: o.Store.ID},
		{Day: modelstest.SalesToday, StoreID: other.ID},
	} {
		d := dayFigures(t, o, o.Supervisor, f)
		var hours, terminals, stores models.Sums
		for i := range d.Hours {
			addFigures(&hours, d.Hours[i])
		}
		for _, x := range d.Terminals {
			addFigures(&terminals, x.Sums)
		}
		for _, x := range d.Stores {
			addFigures(&stores, x.Sums)
		}
		modelstest.Wants(t, "sums of the hours", hours, d.Total)
		modelstest.Wants(t, "sums of the terminals", terminals, d.Total)
		modelstest.Wants(t, "sums of the stores", stores, d.Total)

		list, err := o.Sales.DaySales(t.Context(), o.Supervisor, f)
		if err != nil {
			t.Fatal(err)
		}
		modelstest.Wants(t, "the list's sums", list.Filtered, models.Sums{
			Sales: d.Total.Sales, Canceled: d.Total.Canceled, Open: d.Total.Doubt.Count + d.Total.Pending.Count,
		})
		modelstest.Wants(t, "open sales of the day", d.Total.Open, list.Filtered.Open)
		if f.StoreID == 0 {
			for _, s := range list.Stores() {
				i := slices.IndexFunc(d.Stores, func(x models.PlaceSums) bool { return x.StoreID == s.StoreID })
				modelstest.Wants(t, "doubts of a store of the list", s.Doubt.Count, d.Stores[i].Doubt.Count)
			}
		}
		modelstest.Wants(t, "terminals of the list", len(list.Totals), len(d.Terminals))
		for _, unit := range oversight.PeriodUnits {
			p := period(t, o, o.Supervisor, oversight.PeriodFilter{Unit: unit, From: modelstest.SalesToday, StoreID: f.StoreID})
			i := slices.IndexFunc(p.Days, func(x oversight.DaySums) bool { return x.Day == modelstest.SalesToday })
			modelstest.Wants(t, "the day in its "+string(unit), p.Days[i].Sums, d.Total)
			modelstest.Wants(t, "the "+string(unit), p.Total, d.Total)
			modelstest.Wants(t, "stores of the "+string(unit), p.Stores, d.Stores)
		}
	}
	d := dayFigures(t, o, o.Supervisor, sales.Filter{Day: modelstest.SalesToday})
	if !slices.IsSortedFunc(d.Terminals, func(a, b models.PlaceSums) int { return int(b.Sales.Amount - a.Sales.Amount) }) ||
		d.Stores[0].StoreID != o.Store.ID || d.Terminals[len(d.Terminals)-1].StoreID != other.ID {
		t.Errorf("the highest amount does not come first: %+v, %+v", d.Stores, d.Terminals)
	}
	for name, part := range map[string]models.Sum{
		"canceled": d.Total.Canceled, "in doubt": d.Total.Doubt, "pending": d.Total.Pending,
		"rejected": d.Total.Rejected,
	} {
		if part.Count == 0 || part.Amount == 0 {
			t.Errorf("nothing is %s: %+v", name, part)
		}
	}
	r := modelstest.CloseDay(t, o, 0)
	modelstest.Wants(t, "sales of the closing", r.Sums.All(), d.Total.Sales)
	modelstest.Wants(t, "canceled of the closing", r.Sums.Of(closings.ClosedCanceled), d.Total.Canceled)
	modelstest.Wants(t, "doubts of the closing", r.Sums.Of(closings.ClosedDoubt), d.Total.Doubt)
	modelstest.Wants(t, "pending of the closing", r.Sums.Of(closings.ClosedPending), d.Total.Pending)
	modelstest.Wants(t, "rejected of the closing", r.Sums.Of(closings.ClosedRejected), d.Total.Rejected)
	charged := d.Total.Charged()
	var stillCharged models.Sum
	for _, s := range []closings.ClosedAs{
		closings.ClosedCharged, closings.ClosedRejected, closings.ClosedNotCanceled,
		closings.ClosedNotSent, closings.ClosedTooLate,
	} {
		stillCharged.Count, stillCharged.Amount = stillCharged.Count+r.Sums.Of(s).Count, stillCharged.Amount+r.Sums.Of(s).Amount
	}
	modelstest.Wants(t, "charged", charged, stillCharged)
}

func addFigures(to *models.Sums, f models.Sums) {
	for _, s := range []struct {
		to *models.Sum
		s  models.Sum
	}{{&to.Sales, f.Sales}, {&to.Canceled, f.Canceled}, {&to.Doubt, f.Doubt}, {&to.Pending, f.Pending}, {&to.Rejected, f.Rejected}} {
		s.to.Count, s.to.Amount = s.to.Count+s.s.Count, s.to.Amount+s.s.Amount
	}
	to.Open += f.Open
}

// TestOnlyWhatIsConfirmedIsCanceled: a request, an acknowledgement, a doubt and a
// refusal do not count as canceled.
func TestOnlyWhatIsConfirmedIsCanceled(t *testing.T) {
	t.Parallel()
	for state, want := range map[models.State]models.Sums{
		models.Requested:   {Pending: models.Sum{Count: 1}, Open: 1},
		models.Accepted:    {Pending: models.Sum{Count: 1}, Open: 1},
		models.Unknown:     {Doubt: models.Sum{Count: 1}, Open: 1},
		models.Rejected:    {Rejected: models.Sum{Count: 1}},
		models.NotCanceled: {},
		models.Withdrawn:   {},
		models.Confirmed:   {Canceled: models.Sum{Count: 1}},
	} {
		t.Run(string(state), func(t *testing.T) {
			t.Parallel()
			o := modelstest.NewOffice(t)
			sale, _ := o.StateOf(state)
			want.Sales.Count = 1
			for _, s := range []*models.Sum{&want.Sales, &want.Canceled, &want.Doubt, &want.Pending, &want.Rejected} {
				s.Amount = models.Money(s.Count) * sale.Amount
			}
			modelstest.Wants(t, "figures", dayFigures(t, o, o.Manager, sales.Filter{Day: modelstest.SalesToday}).Total, want)
		})
	}
}

// TestWhenADayCanceled: only what is confirmed has an instant on a store's line, and
// several stores have none.
func TestWhenADayCanceled(t *testing.T) {
	t.Parallel()
	for state, want := range map[models.State]int{models.Confirmed: 1, models.Accepted: 0, models.Unknown: 0, models.NotCanceled: 0} {
		t.Run(string(state), func(t *testing.T) {
			t.Parallel()
			o := modelstest.NewOffice(t)
			o.StateOf(state)
			today := sales.Filter{Day: modelstest.SalesToday}
			got, err := o.Sales.CanceledAt(t.Context(), o.Manager, today)
			if err != nil || len(got) != want {
				t.Fatalf("CanceledAt() = %v, %v; want %d", got, err, want)
			}
			if want > 0 && got[0].After(o.Clock.Now()) {
				t.Errorf("canceled at %s, want not after %s", got[0], o.Clock.Now())
			}
			modelstest.Store(t, o.DB, o.Clock.Now(), "SECOND")
			if got, err := o.Sales.CanceledAt(t.Context(), o.Supervisor, today); err != nil || len(got) > 0 {
				t.Errorf("CanceledAt() of several stores = %v, %v; want none", got, err)
			}
		})
	}
}

// TestADaysHoursAreThoseOfMexicoCity checks winter and July, and that the day begins
// at Mexico City's midnight, whatever the store's zone is.
func TestADaysHoursAreThoseOfMexicoCity(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, at string
		day      models.Day
		hour     int
	}{
		{"the first instant of a day", "2026-11-21T00:00:00-06:00", "2026-11-21", 0},
		{"the last instant of a day", "2026-11-20T23:59:59.999-06:00", "2026-11-20", 23},
		{"the UTC date is already tomorrow", "2026-11-21T01:59:59Z", "2026-11-20", 19},
		{"no daylight saving in July", "2027-07-10T12:00:00Z", "2027-07-10", 6},
		{"the day on which the United States change their clocks", "2027-03-14T09:30:00Z", "2027-03-14", 3},
		{"a store in Tijuana has the evening before", "2026-11-21T00:30:00-06:00", "2026-11-21", 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			o := modelstest.NewOffice(t)
			modelstest.Exec(t, o.Owner, `UPDATE stores SET time_zone = 'America/Tijuana' WHERE id = $1`, o.Store.ID)
			o.Clock.Set(modelstest.At(t, tt.at))
			sale := o.Sale(4200)
			modelstest.Wants(t, "day", sale.BusinessDay, tt.day)
			d := dayFigures(t, o, o.Manager, sales.Filter{Day: tt.day})
			modelstest.Wants(t, "sales of the hour", d.Hours[tt.hour].Sales, models.Sum{Count: 1, Amount: 4200})
			p := period(t, o, o.Supervisor, oversight.PeriodFilter{From: tt.day})
			i := slices.IndexFunc(p.Days, func(x oversight.DaySums) bool { return x.Day == tt.day })
			modelstest.Wants(t, "sales of the day in its week", p.Days[i].Sales, models.Sum{Count: 1, Amount: 4200})
		})
	}
}

// TestFiguresWithinTheScope: figures contain no sale outside the actor's scope.
func TestFiguresWithinTheScope(t *testing.T) {
	t.Parallel()
	o := modelstest.NewOffice(t)
	o.Sale(100)
	other := modelstest.Store(t, o.DB, o.Clock.Now(), "OTRA")
	o.SaleAt(o.NewTerminal(other), 7700)
	d := dayFigures(t, o, o.Manager, sales.Filter{Day: modelstest.SalesToday})
	modelstest.Wants(t, "what the manager sees", d.Total.Sales, models.Sum{Count: 1, Amount: 100})
	modelstest.Wants(t, "stores", len(d.Stores), 1)
	modelstest.Wants(t, "terminals", len(d.Terminals), 1)
	if _, err := o.Sales.DayFigures(t.Context(), o.Manager, sales.Filter{Day: modelstest.SalesToday, StoreID: other.ID}); !errors.Is(err,
		models.ErrNotFound) {
		t.Errorf("DayFigures(of another store) = %v, want ErrNotFound", err)
	}
	nobody := models.Actor{UserID: 99, Role: models.Manager}
	modelstest.Wants(t, "without a store", dayFigures(t, o, nobody, sales.Filter{Day: modelstest.SalesToday}).Total, models.Sums{})

	some := modelstest.Person(models.Supervisor, o.Store)
	p := period(t, o, some, oversight.PeriodFilter{})
	modelstest.Wants(t, "what a supervisor of the store sees", p.Total.Sales, models.Sum{Count: 1, Amount: 100})
	modelstest.Wants(t, "stores", len(p.Stores), 1)
	view := o.Oversight
	for _, tt := range []struct {
		actor models.Actor
		f     oversight.PeriodFilter
		want  error
	}{
		{o.Manager, oversight.PeriodFilter{}, models.ErrForbidden},
		{some, oversight.PeriodFilter{StoreID: other.ID}, models.ErrNotFound},
		{some, oversight.PeriodFilter{Unit: "year"}, models.Invalid("unit", "filter.invalid")},
		{some, oversight.PeriodFilter{From: "2026-13-01"}, models.Invalid("from", "date.invalid")},
		{some, oversight.PeriodFilter{From: "9999-12-31"}, models.Invalid("from", "date.invalid")},
	} {
		_, err := view.Period(t.Context(), tt.actor, tt.f)
		if err == nil || err.Error() != tt.want.Error() {
			t.Errorf("Period(%+v) = %v, want %v", tt.f, err, tt.want)
		}
	}
}

func TestPeriods(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		unit         oversight.PeriodUnit
		from         models.Day
		first, last  models.Day
		before, next models.Day
	}{
		{oversight.UnitWeek, "2026-11-16", "2026-11-16", "2026-11-22", "2026-11-09", "2026-11-23"},
		{oversight.UnitWeek, "2026-11-22", "2026-11-16", "2026-11-22", "2026-11-09", "2026-11-23"},
		{oversight.UnitWeek, "2027-01-01", "2026-12-28", "2027-01-03", "2026-12-21", "2027-01-04"},
		{oversight.UnitMonth, "2026-11-20", "2026-11-01", "2026-11-30", "2026-10-01", "2026-12-01"},
		{oversight.UnitMonth, "2028-02-29", "2028-02-01", "2028-02-29", "2028-01-01", "2028-03-01"},
		{oversight.UnitMonth, "2026-12-31", "2026-12-01", "2026-12-31", "2026-11-01", "2027-01-01"},
	} {
		f := oversight.PeriodFilter{Unit: tt.unit, From: tt.from}
		first, last := f.Days()
		if first != tt.first || last != tt.last {
			t.Errorf("Days(%s of %s) = %s to %s, want %s to %s", tt.unit, tt.from, first, last, tt.first, tt.last)
		}
		if before, next := f.Before().From, f.After().From; before != tt.before || next != tt.next {
			t.Errorf("beside the %s of %s: %s and %s, want %s and %s", tt.unit, tt.from, before, next, tt.before, tt.next)
		}
	}
}
