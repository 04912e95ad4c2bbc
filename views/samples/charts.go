package samples

import (
	"fmt"

	"veinte/models"
	"veinte/models/oversight"
	"veinte/models/sales"
	oversightview "veinte/views/oversight"
	salesview "veinte/views/sales"
	"veinte/views/ui"
)

// sum is so many sales of so many pesos each.
func sum(n, pesos int64) models.Sum {
	return models.Sum{Count: n, Amount: models.Money(n * pesos * 100)}
}

// with is figures of the sales, some of which went each of the other ways.
func with(list, canceled, doubt, pending, rejected models.Sum) models.Sums {
	return models.Sums{Sales: list, Canceled: canceled, Doubt: doubt, Pending: pending, Rejected: rejected}
}

// SampleHours is a day of a shop: quiet in the morning, most of it after lunch.
func SampleHours() (hours [24]models.Sums) {
	for h, n := range map[int]int64{9: 2, 10: 7, 11: 9, 12: 12, 13: 18, 14: 26, 15: 21, 16: 14, 17: 16, 18: 23, 19: 17} {
		hours[h].Sales = sum(n, 280+int64(h*7))
	}
	hours[11].Canceled, hours[14].Canceled, hours[18].Canceled = sum(1, 357), sum(3, 378), sum(1, 406)
	hours[18].Doubt, hours[19].Doubt, hours[19].Pending, hours[16].Rejected = sum(2, 406), sum(1, 413), sum(3, 413), sum(1, 392)
	return hours
}

// DayOf adds a day up from its hours, with so many terminals: the first sells most.
func DayOf(hours [24]models.Sums, terminals int64) sales.DayFigures {
	d := sales.DayFigures{Hours: hours}
	for h := range hours {
		d.Total.Add(&hours[h])
	}
	rest := d.Total
	for i := range terminals {
		t := models.PlaceSums{StoreID: 1 + i%2, TerminalID: 1 + i}
		if i+1 < terminals {
			n := max(rest.Sales.Count*2/(terminals-i+1), 1)
			t.Sales = models.Sum{Count: n, Amount: rest.Sales.Amount / models.Money(rest.Sales.Count) * models.Money(n)}
			rest.Sales.Count, rest.Sales.Amount = rest.Sales.Count-n, rest.Sales.Amount-t.Sales.Amount
		} else {
			t.Sums = rest
		}
		d.Terminals = append(d.Terminals, t)
	}
	for i := range min(terminals, 2) {
		s := models.PlaceSums{StoreID: 1 + i}
		for j := range d.Terminals {
			if d.Terminals[j].StoreID == s.StoreID {
				s.Sums.Add(&d.Terminals[j].Sums)
			}
		}
		d.Stores = append(d.Stores, s)
	}
	return d
}

// Day is the sample day as pictures, for a supervisor of all stores.
func (s Shop) Day(hhmmss string, figures sales.DayFigures) *salesview.DayView {
	v := &salesview.DayView{
		Page: s.Page(models.Supervisor, "/sales/day", hhmmss), Filter: sales.Filter{Day: SampleDay}, By: ui.ChartAmount,
		Stores: s.Stores(), Terminals: s.Terminals(), Figures: figures,
	}
	for i := int64(4); i <= int64(len(figures.Terminals)); i++ {
		v.Terminals[i] = models.Terminal{
			ID: i, SerialNumber: models.SerialNumber(fmt.Sprintf("30000000%02d", i)), Label: fmt.Sprintf("Caja %d", i),
		}
	}
	return v
}

// StoreDay is the day of one store.
func (s Shop) StoreDay(hhmmss string, store int64, figures sales.DayFigures) *salesview.DayView {
	v := s.Day(hhmmss, figures)
	v.Filter.StoreID = store
	for i := range v.Figures.Terminals {
		v.Figures.Terminals[i].StoreID = store
	}
	v.Figures.Stores = nil
	return v
}

// Period is a week or a month that has come as far as the sample day.
func (s Shop) Period(unit oversight.PeriodUnit) *oversightview.PeriodView {
	f := oversight.PeriodFilter{Unit: unit, From: SampleDay}
	v := &oversightview.PeriodView{
		Page: s.Page(models.Supervisor, "/oversight/days", "19:52:03"), By: ui.ChartAmount, Filter: f, Stores: s.Stores(),
	}
	v.Figures = &oversight.PeriodFigures{Filter: f}
	first, last := f.Days()
	for d := first; d <= last; d = models.Day(d.Time(s.Window().Calendar.Zone()).AddDate(0, 0, 1).Format("2006-01-02")) {
		x := oversight.DaySums{Day: d}
		n := int64(d[9]-'0') + 10*int64(d[8]-'0')
		if d <= SampleDay && n%7 != 1 {
			x.Sums = with(sum(90+n*37%60, 300+n), sum(n%5, 310), models.Sum{}, models.Sum{}, sum(n%2, 250))
		}
		if d == SampleDay {
			x.Doubt, x.Pending = sum(2, 300), sum(1, 280)
		}
		v.Figures.Total.Add(&x.Sums)
		v.Figures.Days = append(v.Figures.Days, x)
	}
	most := v.Figures.Total
	least := with(sum(40, 300), sum(1, 310), models.Sum{}, models.Sum{}, models.Sum{})
	most.Sales = models.Sum{Count: most.Sales.Count - least.Sales.Count, Amount: most.Sales.Amount - least.Sales.Amount}
	most.Canceled = models.Sum{Count: most.Canceled.Count - least.Canceled.Count, Amount: most.Canceled.Amount - least.Canceled.Amount}
	v.Figures.Stores = []models.PlaceSums{{StoreID: 1, Sums: most}, {StoreID: 2, Sums: least}}
	return v
}
