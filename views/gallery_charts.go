package views

import (
	"context"

	"veinte/models"
)

// sampleChart is a picture, and which of the two it is.
type sampleChart struct {
	*chart
	shared bool
}

// charts are the pictures in the states that they must survive.
func (s sampleShop) charts(ctx context.Context) []sampleChart {
	const now = "19:52:03"
	var quiet, huge, night [24]models.Figures
	for h := range night {
		night[h] = with(sum(int64(3+h%5), int64(200+11*h)), sum(int64(h%3/2), 210), sum(int64(h%11/10), 210), models.Sum{}, models.Sum{})
		if h > 8 && h < 20 {
			quiet[h].Sales = sum(int64(4+h%4), 250)
		}
	}
	huge[10].Sales, huge[12], huge[17].Sales = sum(1, 120), with(sum(1, 1_250_000), models.Sum{}, models.Sum{}, models.Sum{}, models.Sum{}), sum(2, 90)
	huge[17].Canceled = sum(1, 90)
	counted := s.storeDay(now, 1, dayOf(sampleHours(), 3))
	counted.By = ChartSales
	var all []sampleChart
	add := func(id string, c *chart, shared bool) {
		c.id = id // each picture on a page has its own
		all = append(all, sampleChart{c, shared})
	}
	add("c-day", s.storeDay(now, 1, dayOf(sampleHours(), 3)).hours(ctx), false)
	add("c-count", counted.hours(ctx), false)
	add("c-quiet", s.storeDay(now, 1, dayOf(quiet, 2)).hours(ctx), false)
	add("c-huge", s.storeDay(now, 1, dayOf(huge, 1)).hours(ctx), false)
	add("c-night", s.storeDay(now, 2, dayOf(night, 2)).hours(ctx), false)
	add("c-week", s.period(models.UnitWeek).days(ctx), false)
	add("c-month", s.period(models.UnitMonth).days(ctx), false)
	add("c-shares", s.day(now, dayOf(sampleHours(), 3)).byTerminal(ctx), true)
	add("c-whole", s.storeDay(now, 1, dayOf(quiet, 1)).byTerminal(ctx), true)
	add("c-many", s.day(now, dayOf(night, 30)).byTerminal(ctx), true)
	return all
}

// pictures are the pages with pictures.
func (g galleryShop) pictures() []galleryPage {
	at := func(v *DayView) *DayView {
		g.framed(&v.Page)
		return v
	}
	over := func(v *PeriodView) *PeriodView {
		g.framed(&v.Page)
		return v
	}
	past := g.storeDay("10:00:00", 1, models.DayFigures{})
	past.Filter.Day = "2026-11-18"
	wrong := g.period(models.UnitWeek)
	wrong.Figures, wrong.Filter.From, wrong.Errors = nil, "ayer", Errors{"from": "date.invalid"}
	none := g.period(models.UnitMonth)
	none.Figures.Total, none.Figures.Stores = models.Figures{}, nil
	return []galleryPage{
		{"day", Day(at(g.storeDay("19:52:03", 1, dayOf(sampleHours(), 3))))},
		{"day-all-stores", Day(at(g.day("20:10:00", dayOf(sampleHours(), 30))))},
		{"day-other-clock", Day(at(g.storeDay("19:52:03", 2, dayOf(sampleHours(), 2))))},
		{"day-empty", Day(at(g.storeDay("10:00:00", 1, models.DayFigures{})))},
		{"day-empty-past", Day(at(past))},
		{"period-week", Period(over(g.period(models.UnitWeek)))},
		{"period-month", Period(over(g.period(models.UnitMonth)))},
		{"period-empty", Period(over(none))},
		{"period-wrong", Period(over(wrong))},
	}
}
