package sales

import (
	"time"

	"veinte/models"
	"veinte/models/cards"
)

// Filter filters the list of a day's sales. Zero values do not filter.
type Filter struct {
	Day        models.Day
	StoreID    int64
	TerminalID int64
	State      models.SaleState // tooLate and cancelable depend on the clock
	Query      string           // order number, amount, last four digits, folio
	Cursor     string           // where the page begins, from the previous page
	Size       int              // of the page; 0 for what suits the stores that it lists
}

// A list of more stores than ManyStores is read for its sums and searched, and no hand
// goes down it: a page of it is shorter.
const (
	ManyStores     = 6
	ManyStoresPage = 25
)

// size is how many sales a page of so many stores has.
func (f Filter) size(stores int) int {
	switch {
	case f.Size > 0:
		return f.Size
	case stores > ManyStores && f.TerminalID == 0:
		return ManyStoresPage
	}
	return models.PageSize
}

// DayPage is a page of a day's sales with the sums above it.
type DayPage struct {
	Revision int64 // of the day, from before the sales were read
	Sales    []Row
	Next     string           // cursor of the next page; "" at the end
	Totals   []TerminalTotals // of the day
	Matched  []TerminalTotals // what text and state match, in the order of Totals; nil when neither filters
	Doubts   map[int64]int64  // of a list of several stores: its sales in doubt, by store
	Waits    map[int64]Wait   // what the requested cancellations of these sales wait for, by sale
	Filtered models.Sums      // of everything the filter matches, not only this page
}

// Sums returns the sums to show terminal by terminal: what text and state match. The
// filter's terminal does not restrict them.
func (p *DayPage) Sums() []TerminalTotals {
	if p.Matched != nil {
		return p.Matched
	}
	return p.Totals
}

// Row is a sale as the list shows it.
type Row struct {
	models.Sale
	Detail      models.Detail // of the latest cancellation
	Requester   string        // of the latest cancellation; "" when there is none
	RequestedAt time.Time
}

// TerminalTotals are the stored sums of one terminal in one store on the day.
type TerminalTotals struct {
	models.PlaceSums
	LastReceived time.Time
}

func (f *Filter) List() models.ViewList { return models.ViewsOfSales }

func (f *Filter) HoldsCard(now time.Time) bool { return cards.InReference(f.Query, now) }
