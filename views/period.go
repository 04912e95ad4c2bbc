package views

import (
	"context"
	"net/url"
	"strconv"
	"time"

	"veinte/models"
	"veinte/views/locale"
)

// PeriodView is a week or a month as pictures.
type PeriodView struct {
	Page
	By      ChartBy
	Filter  models.PeriodFilter   // filled; what could not be read stays as it was typed
	Figures *models.PeriodFigures // nil when the filter was refused
	Stores  []models.Store        // those the reader may see
	Errors  Errors                // of the filter
}

func (v *PeriodView) url(f models.PeriodFilter, by ChartBy) string {
	q := url.Values{}
	set(q, "unit", string(f.Unit))
	set(q, "from", string(f.From))
	setID(q, "store", f.StoreID)
	if by == ChartSales {
		q.Set("by", string(by))
	}
	return address("/oversight/days", q)
}

func (v *PeriodView) byURL(by ChartBy) string { return v.url(v.Filter, by) }

// dayURL is one of its days by hour.
func (v *PeriodView) dayURL(d models.Day) string {
	to := DayView{Page: v.Page, By: v.By, Filter: models.SaleFilter{Day: d, StoreID: v.Filter.StoreID}}
	return to.url(nil)
}

// hasNext reports whether the next period has begun.
func (v *PeriodView) hasNext() bool { return v.Filter.After().From <= v.today() }

// span is the period in words.
func (v *PeriodView) span(ctx context.Context) string {
	first, last := v.Filter.Days()
	return spanWords(ctx, first, last)
}

// days are the bars.
func (v *PeriodView) days(ctx context.Context) *chart {
	c := &chart{
		id: "days", title: locale.T(ctx, "chart.byDay"), head: locale.T(ctx, "chart.dayHead"), by: v.By, total: v.Figures.Total,
	}
	for i := range v.Figures.Days {
		d := &v.Figures.Days[i]
		at := d.Day.Time(time.UTC)
		weekday := locale.T(ctx, "chart.weekday."+strconv.Itoa(int(at.Weekday())))
		r := chartRow{
			label: weekday + " " + strconv.Itoa(at.Day()) + " " + months[locale.Of(ctx)][at.Month()-1], short: strconv.Itoa(at.Day()),
			to: v.dayURL(d.Day), minor: i%7 != 0, Figures: d.Figures,
		}
		if len(v.Figures.Days) == 7 {
			r.short, r.minor = weekday+" "+r.short, false
		}
		c.rows = append(c.rows, r)
	}
	c.desc = sumWords(ctx, &c.total)
	if r := c.largest(); r != nil {
		c.desc += " " + locale.T(ctx, "chart.topDay", "Day", r.label, "Amount", c.by.text(ctx, r.Sales))
	}
	return c
}

func (v *PeriodView) byStore(ctx context.Context) *chart {
	return storeShares(ctx, v.By, v.Figures.Total, v.Figures.Stores, v.Stores, func(id int64) string {
		f := v.Filter
		f.StoreID = id
		return v.url(f, v.By)
	})
}

func unitOptions(ctx context.Context) []option {
	var options []option
	for _, u := range models.PeriodUnits {
		options = append(options, option{string(u), locale.T(ctx, "chart.unit."+string(u))})
	}
	return options
}
