package sales

import (
	"net/url"
	"slices"
	"time"

	"veinte/models"
	"veinte/models/review"
	"veinte/models/sales"
	"veinte/models/savedviews"
	"veinte/views/ui"
)

// SalesView is a day's sales with their sums.
type SalesView struct {
	ui.Page
	Filter    sales.Filter   // Day is never empty
	Stores    []models.Store // those the reader may see, for the picker
	Terminals map[int64]models.Terminal
	List      sales.DayPage
	Own       map[int64]bool // terminals that may be named to the reader, besides those of the list
	Saved     []savedviews.View
	Pending   *review.PendingDay // who still waits, once today has closed; else nil
	First     *Onboarding        // nil when they are put away
	Tag       string             // of the list as the whole page shows it, for the first poll; "" in the polled part
	HasStrip  string             // the tag of the strip that the polled page shows; "" for none
	Part      bool               // drawn alone, into a page that somebody looks at: nothing takes the focus
	Elsewhere sales.Elsewhere    // where the text is found, when little of it is in the list
	Errors    ui.Errors          // of the filter: date, store, state, cursor
}

// ofToday reports whether the list can change by itself: it is today's.
func (v *SalesView) ofToday() bool { return v.Filter.Day == v.Today() }

// mayCancelInBulk reports whether the reader may choose several sales to be canceled at
// once: those of today, while there is time.
func (v *SalesView) mayCancelInBulk() bool {
	return v.Actor.May(models.CancelInBulk) && v.ofToday() && v.Window.DayOpen(v.Now)
}

// oneStore returns the store all rows belong to; nil when there may be several.
func (v *SalesView) oneStore() *models.Store {
	if len(v.Stores) == 1 {
		return &v.Stores[0]
	}
	return ui.StoreOf(v.Stores, v.Filter.StoreID)
}

// lastReceived is when a sale of the day last came in; zero when none did.
func (v *SalesView) lastReceived() time.Time {
	var last time.Time
	for i := range v.List.Totals {
		if t := v.List.Totals[i].LastReceived; t.After(last) {
			last = t
		}
	}
	return last
}

// StoreTotals are the sums of every terminal, before state and search narrow them.
func (v *SalesView) StoreTotals() models.Sums { return totalOf(v.List.Totals) }

func totalOf(terminals []sales.TerminalTotals) (sum models.Sums) {
	for i := range terminals {
		sum.Add(&terminals[i].Sums)
	}
	return sum
}

// alone reports whether the text that was looked for is one sale and no other, of no other
// day either: that is what whoever looked wants to go on with.
func (v *SalesView) alone() bool {
	return v.Filter.Query != "" && len(v.List.Sales) == 1 && v.List.Filtered.Sales.Count == 1 && len(v.beside()) == 0
}

// beside is where the text is found besides the list.
func (v *SalesView) beside() []sales.FoundOn {
	return slices.DeleteFunc(slices.Clone(v.Elsewhere.On), func(f sales.FoundOn) bool {
		return f.Day == v.Filter.Day && f.Sales <= v.List.Filtered.Sales.Count
	})
}

// otherDays reports whether the text is found on another day too: today's sale of an
// amount is not yesterday's, and only the ticket tells which one is meant.
func (v *SalesView) otherDays() bool {
	return slices.ContainsFunc(v.beside(), func(f sales.FoundOn) bool { return f.Day != v.Filter.Day })
}

// onDay is the list of a day that only the text narrows.
func (v *SalesView) onDay(d models.Day) string {
	return v.url(func(f *sales.Filter) { *f = sales.Filter{Day: d, Query: f.Query} })
}

// narrowed reports whether the filter leaves something out of the day.
func (v *SalesView) narrowed() bool {
	return v.Filter.TerminalID != 0 || v.Filter.State != "" || v.Filter.Query != ""
}

// url is the address of the list under another filter. Today's needs no date,
// so that a page left open overnight shows the new day.
func (v *SalesView) url(change func(*sales.Filter), extra ...string) string {
	f := v.Filter
	if change != nil {
		change(&f)
	}
	q := url.Values{}
	if f.Day != "" && f.Day != v.Today() {
		q.Set("date", string(f.Day))
	}
	ui.SetID(q, "store", f.StoreID)
	ui.SetID(q, "terminal", f.TerminalID)
	ui.Set(q, "state", string(f.State))
	ui.Set(q, "q", f.Query)
	ui.Set(q, "cursor", f.Cursor)
	for i := 0; i+1 < len(extra); i += 2 {
		ui.Set(q, extra[i], extra[i+1])
	}
	return ui.Address("/sales", q)
}

func (v *SalesView) terminalURL(id int64) string {
	return v.url(func(f *sales.Filter) { f.TerminalID, f.Cursor = id, "" })
}

func (v *SalesView) onStore(id int64) string {
	return v.url(func(f *sales.Filter) { f.StoreID, f.TerminalID, f.Cursor = id, 0, "" })
}

func (v *SalesView) nextURL() string {
	return v.url(func(f *sales.Filter) { f.Cursor = v.List.Next })
}

func (v *SalesView) firstURL() string {
	return v.url(func(f *sales.Filter) { f.Cursor = "" })
}

// todayURL is today's list without the text: it was of another customer.
func (v *SalesView) todayURL() string {
	return v.url(func(f *sales.Filter) { f.Day, f.Query, f.Cursor = "", "", "" })
}

// entryURL leads to the form of a sale that is not in the list, for the terminal
// that the list is narrowed to.
func (v *SalesView) entryURL() string {
	if v.Filter.TerminalID == 0 {
		return "/sales/new"
	}
	return "/sales/new?terminal=" + ui.Itoa(v.Filter.TerminalID)
}

// dayURL is the day of the list as pictures.
func (v *SalesView) dayURL() string {
	return (&DayView{Page: v.Page, Filter: v.Filter}).Url(nil)
}

// exportURL is where the sales of this filter are exported.
func (v *SalesView) exportURL() string {
	f := v.Filter
	return "/sales/export?" + f.Encode()
}

func (v *SalesView) clearURL() string {
	return v.url(func(f *sales.Filter) { f.TerminalID, f.State, f.Query, f.Cursor = 0, "", "", "" })
}

// maxSavedShown is how many saved filters are shown above the list; a page lists all.
const maxSavedShown = 8
