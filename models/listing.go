package models

import "time"

// SaleFilter narrows the list of a day's sales. Zero values do not filter.
type SaleFilter struct {
	Day        Day
	StoreID    int64
	TerminalID int64
	State      SaleState // tooLate and cancelable depend on the clock
	Query      string    // order number, amount, last four digits, folio
	Cursor     string    // where the page begins, as given by the page before
	Size       int       // of the page; 0 for PageSize
}

func (f SaleFilter) size() int {
	if f.Size > 0 {
		return f.Size
	}
	return PageSize
}

// PageSize is how many rows a page of a list holds.
const PageSize = 50

// DayPage is a page of a day's sales with what stands above it.
type DayPage struct {
	Sales    []SaleRow
	Next     string           // cursor of the next page; "" at the end
	Totals   []TerminalTotals // of the day
	Matched  []TerminalTotals // of what text and state let through, in the order of Totals; nil when neither filters
	Filtered Totals           // of everything the filter matches, not only this page
}

// Sums are those to show terminal by terminal: of what text and state let
// through. The filter's own terminal leaves none of them out.
func (p *DayPage) Sums() []TerminalTotals {
	if p.Matched != nil {
		return p.Matched
	}
	return p.Totals
}

// SaleRow is a sale as the list shows it.
type SaleRow struct {
	Sale
	Detail      Detail // of the latest case
	Requester   string // of the latest case; "" when there is none
	RequestedAt time.Time
}

// Totals are sums of sales.
type Totals struct {
	Sales          int64
	Amount         Money
	Canceled       int64
	CanceledAmount Money
	OpenCases      int64
}

// TerminalTotals are the sums of one terminal in one store on the day.
type TerminalTotals struct {
	StoreID    int64
	TerminalID int64
	Totals
	LastReceived time.Time
}

// SaleStory is everything known about one sale.
type SaleStory struct {
	Sale     Sale
	Store    Store
	Terminal Terminal
	Cases    []CaseStory  // oldest first
	Results  []Result     // what terminals posted about it, oldest first
	Entries  []AuditEntry // the trail of the sale, oldest first
}

// Latest returns the sale's latest case; nil when there is none.
func (s *SaleStory) Latest() *CaseStory {
	if len(s.Cases) == 0 {
		return nil
	}
	return &s.Cases[len(s.Cases)-1]
}

// CaseStory is a case with its attempts, oldest first.
type CaseStory struct {
	Cancellation
	AttemptList []Attempt
	// NextInquiry is when a doubt is verified by itself again, Tries how often it
	// has been; zero when that is over, or there is no such thing.
	NextInquiry time.Time
	Tries       int
	Place       int // how many pushes wait before it on its terminal; 0 when it is next or not waiting
}

// ResultFilter narrows what terminals posted. Zero values do not filter.
type ResultFilter struct {
	Status       ResultStatus
	SerialNumber string // exact, as posted: it need not be one
	Cursor       string
}

// ResultPage is a page of posted results, newest first.
type ResultPage struct {
	Results []Result
	Next    string
}
