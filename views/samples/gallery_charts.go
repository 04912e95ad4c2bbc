package samples

import (
	"context"

	"veinte/models"
	"veinte/models/oversight"
	"veinte/views/ui"
)

// Charts are the pictures in the states that they must survive.
func (s Shop) Charts(ctx context.Context) []*ui.Chart {
	const now = "19:52:03"
	var quiet, huge, night [24]models.Sums
	for h := range night {
		night[h] = with(sum(int64(3+h%5), int64(200+11*h)), sum(int64(h%3/2), 210), sum(int64(h%11/10), 210), models.Sum{}, models.Sum{})
		if h > 8 && h < 20 {
			quiet[h].Sales = sum(int64(4+h%4), 250)
		}
	}
	huge[10].Sales, huge[12], huge[17].Sales = sum(1, 120), with(
		sum(1, 1_250_000), models.Sum{}, models.Sum{}, models.Sum{}, models.Sum{},
	), sum(2, 90)
	huge[17].Canceled = sum(1, 90)
	counted := s.StoreDay(now, 1, DayOf(SampleHours(), 3))
	counted.By = ui.ChartSales
	var all []*ui.Chart
	add := func(id string, c *ui.Chart) {
		c.Id = id // each picture on a page has its own
		all = append(all, c)
	}
	add("c-day", s.StoreDay(now, 1, DayOf(SampleHours(), 3)).Hours(ctx))
	add("c-count", counted.Hours(ctx))
	add("c-quiet", s.StoreDay(now, 1, DayOf(quiet, 2)).Hours(ctx))
	add("c-huge", s.StoreDay(now, 1, DayOf(huge, 1)).Hours(ctx))
	add("c-night", s.StoreDay(now, 2, DayOf(night, 2)).Hours(ctx))
	add("c-week", s.Period(oversight.UnitWeek).Days(ctx))
	add("c-month", s.Period(oversight.UnitMonth).Days(ctx))
	add("c-shares", s.Day(now, DayOf(SampleHours(), 3)).ByTerminal(ctx))
	add("c-whole", s.StoreDay(now, 1, DayOf(quiet, 1)).ByTerminal(ctx))
	add("c-many", s.Day(now, DayOf(night, 30)).ByTerminal(ctx))
	return all
}
