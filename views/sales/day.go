package sales

import (
	"context"
	"net/url"
	"strconv"
	"time"

	"veinte/models"
	"veinte/models/sales"
	"veinte/views/locale"
	"veinte/views/ui"
)

// DayView is a business day as pictures.
type DayView struct {
	ui.Page
	Filter    sales.Filter // its day and its store
	By        ui.ChartBy
	Stores    []models.Store // those the reader may see
	Terminals map[int64]models.Terminal
	Figures   sales.DayFigures
	Errors    ui.Errors // of the filter
}

// list is the sales list of the same day and store, for its page links and its text
// for an empty day.
func (v *DayView) list() *SalesView {
	return &SalesView{
		Page: v.Page, Filter: sales.Filter{Day: v.Filter.Day, StoreID: v.Filter.StoreID},
		Stores: v.Stores, Terminals: v.Terminals,
	}
}

// Url is the day's page.
func (v *DayView) Url(change func(*DayView)) string {
	to := *v
	if change != nil {
		change(&to)
	}
	q := url.Values{}
	if to.Filter.Day != v.Today() {
		q.Set("date", string(to.Filter.Day))
	}
	ui.SetID(q, "store", to.Filter.StoreID)
	if to.By == ui.ChartSales {
		q.Set("by", string(to.By))
	}
	return ui.Address("/sales/day", q)
}

// byURL is the page with bars that say something else.
func (v *DayView) byURL(by ui.ChartBy) string {
	return v.Url(func(to *DayView) { to.By = by })
}

// beside is the page of a day before or after.
func (v *DayView) beside(days int) string {
	return v.Url(func(to *DayView) {
		to.Filter.Day = v.Filter.Day.Plus(days)
	})
}

func (v *DayView) canceledURL() string {
	return v.list().url(func(f *sales.Filter) { f.State = models.SaleConfirmed })
}

// hour is an instant of the day on the clock of the cut-off's zone.
func (v *DayView) hour(h int) time.Time {
	y, m, d := v.Filter.Day.Time(v.Zone()).Date()
	return time.Date(y, m, d, h, 0, 0, 0, v.Zone())
}

// Where nothing was sold outside of these hours, the others are not drawn.
const firstHour, lastHour = 8, 20

// Hours are the day from left to right: those of a shop, and whatever lies beyond
// them if anything was sold.
func (v *DayView) Hours(ctx context.Context) *ui.Chart {
	from, to := firstHour, lastHour
	for h := range v.Figures.Hours {
		if v.Figures.Hours[h].Sales.Count > 0 {
			from, to = min(from, h), max(to, h)
		}
	}
	c := &ui.Chart{
		Id: "hours", Title: locale.T(ctx, "chart.byHour"), Head: ui.ZoneName(ctx, v.Zone().String()),
		By: v.By, Total: v.Figures.Total,
	}
	here := v.list().oneStore()
	for h := from; h <= to; h++ {
		at := v.hour(h)
		r := ui.ChartRow{
			Label: ui.Clock(at, v.Zone()), Short: strconv.Itoa(h), Minor: (h-from)%3 != 0, Sums: v.Figures.Hours[h],
			To:      v.list().url(func(f *sales.Filter) { f.Cursor = sales.ListBefore(v.hour(h + 1)) }),
			Unknown: v.Now.Before(at), Now: !v.Now.Before(at) && v.Now.Before(v.hour(h+1)),
		}
		if here != nil && !ui.SameClock(v.Zone(), here.Zone(), at) {
			r.Small = ui.Clock(at, here.Zone()) + " " + ui.ZoneName(ctx, here.TimeZone)
		}
		c.Rows = append(c.Rows, r)
	}
	if cutoff := v.Window.Calendar.Cutoff(v.hour(12)); cutoff.Before(v.hour(to + 1)) {
		c.Line = cutoff.Sub(v.hour(from)).Hours()
		c.LineWord = locale.T(ctx, "chart.cutoff", "Time", ui.Clock(cutoff, v.Zone()))
	}
	c.Desc = ui.SumWords(ctx, &c.Total)
	if r := c.Largest(); r != nil {
		c.Desc += " " + locale.T(ctx, "chart.topHour", "Hour", r.Label, "Amount", c.By.Text(ctx, &r.Sums))
	}
	return c
}

// ByTerminal are the terminals. Where those of several stores stand together, each is
// named with its own.
func (v *DayView) ByTerminal(ctx context.Context) *ui.Chart {
	c := &ui.Chart{
		Id: "terminals", Title: locale.T(ctx, "chart.byTerminal"), Head: locale.T(ctx, "sales.terminal"),
		By: v.By, Total: v.Figures.Total, Shares: true,
	}
	list := v.list()
	for i := range v.Figures.Terminals {
		t := &v.Figures.Terminals[i]
		name := ui.InStore(list.storeCode(t.StoreID), list.terminalLabel(t.TerminalID))
		c.Rows = append(c.Rows, ui.ChartRow{Label: name, To: list.terminalURL(t.TerminalID), Sums: t.Sums})
	}
	return c.Fold(ctx)
}

func (v *DayView) byStore(ctx context.Context) *ui.Chart {
	return ui.StoreShares(ctx, v.By, v.Figures.Total, v.Figures.Stores, v.Stores, func(id int64) string {
		return v.Url(func(to *DayView) { to.Filter.StoreID = id })
	})
}
