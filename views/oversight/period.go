package oversight

import (
	"context"
	"net/url"
	"strconv"
	"time"

	"veinte/models"
	"veinte/models/oversight"
	"veinte/models/sales"
	"veinte/views/locale"
	salesview "veinte/views/sales"
	"veinte/views/ui"
)

// PeriodView is a week or a month as pictures.
type PeriodView struct {
	ui.Page
	By      ui.ChartBy
	Filter  oversight.PeriodFilter   // filled; what could not be read stays as it was typed
	Figures *oversight.PeriodFigures // nil when the filter was refused
	Stores  []models.Store           // those the reader may see
	Errors  ui.Errors                // of the filter
}

func (v *PeriodView) url(f oversight.PeriodFilter, by ui.ChartBy) string {
	q := url.Values{}
	ui.Set(q, "unit", string(f.Unit))
	ui.Set(q, "from", string(f.From))
	ui.SetID(q, "store", f.StoreID)
	if by == ui.ChartSales {
		q.Set("by", string(by))
	}
	return ui.Address("/oversight/days", q)
}

func (v *PeriodView) byURL(by ui.ChartBy) string { return v.url(v.Filter, by) }

// unitURL is the week or the month that the period is in.
func (v *PeriodView) unitURL(unit oversight.PeriodUnit) string {
	f := v.Filter
	f.Unit = unit
	return v.url(f, v.By)
}

// dayURL is one of its days by hour.
func (v *PeriodView) dayURL(d models.Day) string {
	to := salesview.DayView{Page: v.Page, By: v.By, Filter: sales.Filter{Day: d, StoreID: v.Filter.StoreID}}
	return to.Url(nil)
}

// hasNext reports whether the next period has begun.
func (v *PeriodView) hasNext() bool { return v.Filter.After().From <= v.Today() }

// span is the period in words.
func (v *PeriodView) span(ctx context.Context) string {
	first, last := v.Filter.Days()
	return ui.SpanWords(ctx, first, last)
}

// Days are the bars.
func (v *PeriodView) Days(ctx context.Context) *ui.Chart {
	c := &ui.Chart{
		Id: "days", Title: locale.T(ctx, "chart.byDay"), Head: locale.T(ctx, "chart.dayHead"), By: v.By, Total: v.Figures.Total,
	}
	for i := range v.Figures.Days {
		d := &v.Figures.Days[i]
		at := d.Day.Time(time.UTC)
		weekday := locale.T(ctx, "chart.weekday."+strconv.Itoa(int(at.Weekday())))
		r := ui.ChartRow{
			Label: weekday + " " + strconv.Itoa(at.Day()) + " " + ui.Months[locale.Of(ctx)][at.Month()-1], Short: strconv.Itoa(at.Day()),
			To: v.dayURL(d.Day), Minor: i%7 != 0, Sums: d.Sums, Now: d.Day == v.Today(), Unknown: d.Day > v.Today(),
		}
		if len(v.Figures.Days) == 7 {
			r.Short, r.Minor = weekday+" "+r.Short, false
		}
		c.Rows = append(c.Rows, r)
	}
	c.Desc = ui.SumWords(ctx, &c.Total)
	if r := c.Largest(); r != nil {
		c.Desc += " " + locale.T(ctx, "chart.topDay", "Day", r.Label, "Amount", c.By.Text(ctx, &r.Sums))
	}
	return c
}

func (v *PeriodView) byStore(ctx context.Context) *ui.Chart {
	return ui.StoreShares(ctx, v.By, v.Figures.Total, v.Figures.Stores, v.Stores, func(id int64) string {
		f := v.Filter
		f.StoreID = id
		return v.url(f, v.By)
	})
}
