package gallery

import (
	"veinte/models"
	"veinte/models/oversight"
	"veinte/models/sales"
	oversightview "veinte/views/oversight"
	salesview "veinte/views/sales"
	"veinte/views/samples"
	"veinte/views/ui"
)

// pictures are the pages with pictures.
func pictures(g samples.Shop) []Shown {
	past := g.StoreDay("10:00:00", 1, sales.DayFigures{})
	past.Filter.Day = "2026-11-18"
	wrong := g.Period(oversight.UnitWeek)
	wrong.Figures, wrong.Filter.From, wrong.Errors = nil, "ayer", ui.Errors{"from": "date.invalid"}
	none := g.Period(oversight.UnitMonth)
	none.Figures.Total, none.Figures.Stores = models.Sums{}, nil
	return []Shown{
		{"day", salesview.Day(g.StoreDay("19:52:03", 1, samples.DayOf(samples.SampleHours(), 3)))},
		{"day-all-stores", salesview.Day(g.Day("20:10:00", samples.DayOf(samples.SampleHours(), 30)))},
		{"day-other-clock", salesview.Day(g.StoreDay("19:52:03", 2, samples.DayOf(samples.SampleHours(), 2)))},
		{"day-empty", salesview.Day(g.StoreDay("10:00:00", 1, sales.DayFigures{}))},
		{"day-empty-past", salesview.Day(past)},
		{"period-week", oversightview.Period(g.Period(oversight.UnitWeek))},
		{"period-month", oversightview.Period(g.Period(oversight.UnitMonth))},
		{"period-empty", oversightview.Period(none)},
		{"period-wrong", oversightview.Period(wrong)},
	}
}
