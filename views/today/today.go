// Package today has the first page of those who oversee: what needs them, and how the
// day goes.
package today

import (
	"cmp"
	"context"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"veinte/models"
	"veinte/models/review"
	"veinte/models/sales"
	"veinte/views/locale"
	oversightview "veinte/views/oversight"
	salesview "veinte/views/sales"
	"veinte/views/ui"
)

// View is the first page of those who oversee: whether anything needs them, and how
// the day goes.
type View struct {
	ui.Page
	Day    sales.DayFigures // without its terminals
	Stores []models.Store   // those the reader may see
	Waits  review.Page      // the first of what waits, of whoever may review
	Wrong  []Wrong          // of administrators
	Query  string           // part of a store's name or code
	At     int              // the page of the list of stores, from 1
	First  *salesview.Onboarding
}

// Wrong is something that an administrator may have to mend.
type Wrong struct {
	Key, To string // what to say of it, and where it is mended
	N       int64
}

// storesAPage is how many are listed: the page is read in a moment.
const storesAPage = 12

// reviews reports whether the inbox is the reader's.
func (v *View) reviews() bool { return v.Actor.May(models.ReviewCancellations) }

// needs is how much needs the reader.
func (v *View) needs() int {
	n := v.Waits.Count()
	for i := range v.Wrong {
		n += int(v.Wrong[i].N)
	}
	return n
}

// verdict says in one line whether anything needs the reader.
func (v *View) verdict(ctx context.Context) string {
	n := v.needs()
	if n == 0 {
		return locale.T(ctx, "today.nothing")
	}
	return locale.T(ctx, "today.waits", "Count", n, "N", ui.Waiting(n))
}

// oldest says since when the oldest doubt is one; "" without doubts.
func (v *View) oldest(ctx context.Context) string {
	for i := range v.Waits.Items {
		if it := &v.Waits.Items[i]; it.Kind == review.ReviewDoubt {
			return locale.T(ctx, "today.oldest", "Age", oversightview.Age(ctx, v.Now.Sub(it.Since)))
		}
	}
	return ""
}

// closes says until when a sale can be canceled, or that the day has closed.
func (v *View) closes(ctx context.Context) string {
	key := "today.closes"
	if !v.Now.Before(v.Window.DayCloses(v.Now)) {
		key = "today.closed"
	}
	return locale.T(ctx, key, "Time", ui.Clock(v.Window.Calendar.Cutoff(v.Now), v.Zone()), "Zone", ui.ZoneName(ctx, v.Zone().String()))
}

// figure is one of the day.
type figure struct {
	name, value, more string
	to, look          string
}

// figures are the day's, the one that needs a person first.
func (v *View) figures(ctx context.Context) []figure {
	t := &v.Day.Total
	count := func(s models.Sum) string { return ui.Number(s.Count) }
	more := func(s models.Sum) string {
		if s.Count == 0 {
			return ""
		}
		return ui.Money(s.Amount)
	}
	doubt := figure{locale.T(ctx, "today.doubt"), count(t.Doubt), more(t.Doubt), "/sales?state=unknown", "doubt"}
	if v.reviews() { // of any day
		doubt.value, doubt.more, doubt.to = ui.Waiting(v.Waits.Counts[review.ReviewDoubt]), v.oldest(ctx), "/review?kind=doubt"
	}
	if doubt.value == "0" {
		doubt.look = ""
	}
	return []figure{
		doubt,
		{locale.T(ctx, "today.pending"), count(t.Pending), more(t.Pending), "/sales?state=" + string(models.SaleUnderway), ""},
		{locale.T(ctx, "today.canceled"), count(t.Canceled), more(t.Canceled), "/sales?state=confirmed", ""},
		{
			locale.T(ctx, "today.share"), ui.PartOf(t.Canceled.Count, t.Sales.Count),
			locale.T(ctx, "today.ofSales", "Count", t.Sales.Count, "N", ui.Number(t.Sales.Count), "Amount", ui.Money(t.Sales.Amount)), "/sales", "",
		},
	}
}

// storeLine is a store with its day.
type storeLine struct {
	*models.Store
	*models.Sums
}

// nothing are the sums of a store without sales.
var nothing models.Sums

// listed are the stores that the search matches: first where something is in doubt, then
// where most is under way, then where most was canceled.
func (v *View) listed() []storeLine {
	sums := make(map[int64]*models.Sums, len(v.Day.Stores))
	for i := range v.Day.Stores {
		sums[v.Day.Stores[i].StoreID] = &v.Day.Stores[i].Sums
	}
	text := strings.ToLower(strings.TrimSpace(v.Query))
	var lines []storeLine
	for i := range v.Stores {
		s := &v.Stores[i]
		if text == "" || strings.Contains(strings.ToLower(s.Name), text) || strings.Contains(strings.ToLower(s.Code), text) {
			lines = append(lines, storeLine{s, cmp.Or(sums[s.ID], &nothing)})
		}
	}
	slices.SortStableFunc(lines, func(a, b storeLine) int {
		return cmp.Or(cmp.Compare(b.Doubt.Count, a.Doubt.Count), cmp.Compare(b.Pending.Count, a.Pending.Count),
			cmp.Compare(b.Canceled.Amount, a.Canceled.Amount), cmp.Compare(b.Sales.Amount, a.Sales.Amount))
	})
	return lines
}

// pageOf are the stores of this page, and the pages before and after; "" for none. A page
// beyond the last is the last.
func (v *View) pageOf(lines []storeLine) (shown []storeLine, before, after string) {
	last := max((len(lines)+storesAPage-1)/storesAPage, 1)
	at := min(v.At, last)
	if at > 1 {
		before = v.url(at - 1)
	}
	if at < last {
		after = v.url(at + 1)
	}
	return lines[(at-1)*storesAPage : min(at*storesAPage, len(lines))], before, after
}

// url is a page of the list of stores.
func (v *View) url(page int) string {
	q := url.Values{}
	ui.Set(q, "q", v.Query)
	if page > 1 {
		q.Set("page", strconv.Itoa(page))
	}
	return ui.Address("/today", q)
}

// part is where the page asks for what has changed of it.
func (v *View) part() string {
	u := v.url(v.At)
	if strings.Contains(u, "?") {
		return u + "&fragment=today"
	}
	return u + "?fragment=today"
}

// most is the largest share of sales that any of the lines canceled: the longest bar.
func most(lines []storeLine) (share float64) {
	for i := range lines {
		share = max(share, lines[i].share())
	}
	return share
}

// share is how much of its sales a store canceled.
func (l *storeLine) share() float64 {
	if l.Sales.Count == 0 {
		return 0
	}
	return float64(l.Canceled.Count) / float64(l.Sales.Count)
}

// hours is the day by hour.
func (v *View) hours(ctx context.Context) *ui.Chart {
	day := salesview.DayView{Page: v.Page, Filter: sales.Filter{Day: v.Today()}, By: ui.ChartAmount, Stores: v.Stores, Figures: v.Day}
	return day.Hours(ctx)
}
