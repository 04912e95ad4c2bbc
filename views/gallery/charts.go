package gallery

import (
	"veinte/models"
	oversightview "veinte/views/oversight"
	salesview "veinte/views/sales"
	"veinte/views/samples"
	"veinte/views/ui"
)

// pictures are the pages with pictures.
func (g galleryShop) pictures() []Shown {
	at := func(v *salesview.DayView) *salesview.DayView {
		g.framed(&v.Page)
		return v
	}
	over := func(v *oversightview.PeriodView) *oversightview.PeriodView {
		g.framed(&v.Page)
		return v
	}
	past := g.StoreDay("10:00:00", 1, models.DayFigures{})
	past.Filter.Day = "2026-11-18"
	wrong := g.Period(models.UnitWeek)
	wrong.Figures, wrong.Filter.From, wrong.Errors = nil, "ayer", ui.Errors{"from": "date.invalid"}
	none := g.Period(models.UnitMonth)
	none.Figures.Total, none.Figures.Stores = models.Figures{}, nil
	return []Shown{
		{"day", salesview.Day(at(g.StoreDay("19:52:03", 1, samples.DayOf(samples.SampleHours(), 3))))},
		{"day-all-stores", salesview.Day(at(g.Day("20:10:00", samples.DayOf(samples.SampleHours(), 30))))},
		{"day-other-clock", salesview.Day(at(g.StoreDay("19:52:03", 2, samples.DayOf(samples.SampleHours(), 2))))},
		{"day-empty", salesview.Day(at(g.StoreDay("10:00:00", 1, models.DayFigures{})))},
		{"day-empty-past", salesview.Day(at(past))},
		{"period-week", oversightview.Period(over(g.Period(models.UnitWeek)))},
		{"period-month", oversightview.Period(over(g.Period(models.UnitMonth)))},
		{"period-empty", oversightview.Period(over(none))},
		{"period-wrong", oversightview.Period(over(wrong))},
	}
}
