package views

import (
	"context"
	"net/url"
	"strconv"
	"time"

	"veinte/models"
	"veinte/views/locale"
)

// DayView is a business day as pictures.
type DayView struct {
	Page
	Filter    models.SaleFilter // its day and its store
	By        ChartBy
	Stores    []models.Store // those the reader may see
	Terminals map[int64]models.Terminal
	Figures   models.DayFigures
	Errors    Errors // of the filter
}

// list is the sales list of the same day and store: it knows where its pages are,
// and what an empty day is told.
func (v *DayView) list() *SalesView {
	return &SalesView{
		Page: v.Page, Filter: models.SaleFilter{Day: v.Filter.Day, StoreID: v.Filter.StoreID},
		Stores: v.Stores, Terminals: v.Terminals,
	}
}

// url is the day's page.
func (v *DayView) url(change func(*DayView)) string {
	to := *v
	if change != nil {
		change(&to)
	}
	q := url.Values{}
	if to.Filter.Day != v.today() {
		q.Set("date", string(to.Filter.Day))
	}
	setID(q, "store", to.Filter.StoreID)
	if to.By == ChartSales {
		q.Set("by", string(to.By))
	}
	return address("/sales/day", q)
}

// byURL is the page with bars that say something else.
func (v *DayView) byURL(by ChartBy) string {
	return v.url(func(to *DayView) { to.By = by })
}

// beside is the page of a day before or after.
func (v *DayView) beside(days int) string {
	return v.url(func(to *DayView) {
		to.Filter.Day = models.Day(v.Filter.Day.Time(time.UTC).AddDate(0, 0, days).Format(time.DateOnly))
	})
}

func (v *DayView) canceledURL() string {
	return v.list().url(func(f *models.SaleFilter) { f.State = models.SaleConfirmed })
}

// hour is an instant of the day on the clock of the cut-off's zone.
func (v *DayView) hour(h int) time.Time {
	y, m, d := v.Filter.Day.Time(v.zone()).Date()
	return time.Date(y, m, d, h, 0, 0, 0, v.zone())
}

// Where nothing was sold outside of these hours, the others are not drawn.
const firstHour, lastHour = 8, 20

// hours are the day from left to right: those of a shop, and whatever lies beyond
// them if anything was sold.
func (v *DayView) hours(ctx context.Context) *chart {
	from, to := firstHour, lastHour
	for h := range v.Figures.Hours {
		if v.Figures.Hours[h].Sales.Count > 0 {
			from, to = min(from, h), max(to, h)
		}
	}
	c := &chart{
		id: "hours", title: locale.T(ctx, "chart.byHour"), head: zoneName(ctx, v.zone().String()),
		by: v.By, total: v.Figures.Total,
	}
	here := v.list().oneStore()
	for h := from; h <= to; h++ {
		at := v.hour(h)
		r := chartRow{
			label: clock(at, v.zone()), short: strconv.Itoa(h), minor: (h-from)%3 != 0, Figures: v.Figures.Hours[h],
			to: v.list().url(func(f *models.SaleFilter) { f.Cursor = models.ListBefore(v.hour(h + 1)) }),
		}
		if here != nil && !sameClock(v.zone(), here.Zone(), at) {
			r.small = clock(at, here.Zone()) + " " + zoneName(ctx, here.TimeZone)
		}
		c.rows = append(c.rows, r)
	}
	if cutoff := v.Window.Calendar.Cutoff(v.hour(12)); cutoff.Before(v.hour(to + 1)) {
		c.line = cutoff.Sub(v.hour(from)).Hours()
		c.lineWord = locale.T(ctx, "chart.cutoff", "Time", clock(cutoff, v.zone()))
	}
	c.desc = sumWords(ctx, &c.total)
	if r := c.largest(); r != nil {
		c.desc += " " + locale.T(ctx, "chart.topHour", "Hour", r.label, "Amount", c.by.text(ctx, r.Sales))
	}
	return c
}

func (v *DayView) byTerminal(ctx context.Context) *chart {
	c := &chart{
		id: "terminals", title: locale.T(ctx, "chart.byTerminal"), head: locale.T(ctx, "sales.terminal"),
		by: v.By, total: v.Figures.Total,
	}
	list := v.list()
	for i := range v.Figures.Terminals {
		t := &v.Figures.Terminals[i]
		c.rows = append(c.rows, chartRow{
			label: list.terminalLabel(t.TerminalID), small: list.chipStore(&models.TerminalTotals{StoreID: t.StoreID}),
			to: list.terminalURL(t.TerminalID), Figures: t.Figures,
		})
	}
	c.tellShare(ctx)
	return c
}

func (v *DayView) byStore(ctx context.Context) *chart {
	return storeShares(ctx, v.By, v.Figures.Total, v.Figures.Stores, v.Stores, func(id int64) string {
		return v.url(func(to *DayView) { to.Filter.StoreID = id })
	})
}

// storeShares are the stores as shares of a whole.
func storeShares(ctx context.Context, by ChartBy, total models.Figures, figures []models.StoreFigures, stores []models.Store, to func(int64) string) *chart {
	c := &chart{id: "stores", title: locale.T(ctx, "chart.byStore"), head: locale.T(ctx, "sales.store"), by: by, total: total}
	known := make(map[int64]*models.Store, len(stores))
	for i := range stores {
		known[stores[i].ID] = &stores[i]
	}
	for i := range figures {
		r := chartRow{label: itoa(figures[i].StoreID), to: to(figures[i].StoreID), Figures: figures[i].Figures}
		if s := known[figures[i].StoreID]; s != nil {
			r.label, r.small = s.Name, s.Code
		}
		c.rows = append(c.rows, r)
	}
	c.tellShare(ctx)
	return c
}

// tellShare says in words who has most.
func (c *chart) tellShare(ctx context.Context) {
	c.desc = sumWords(ctx, &c.total)
	if r := c.largest(); r != nil {
		c.desc += " " + locale.T(ctx, "chart.topShare", "Name", r.label, "Part", partOf(c.by.of(r.Sales), c.by.of(c.total.Sales)), "Amount", c.by.text(ctx, r.Sales))
	}
}
