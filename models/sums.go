package models

// Sums are sums of sales by outcome. Only a confirmed sale counts as canceled. A sale
// in none of the parts is charged, and no cancellation of it is pending. A statement
// that selects some of SumColumns leaves the others at zero: what is stored of a day
// has Sales, Canceled and Open.
type Sums struct {
	Sales    Sum   // all of them
	Canceled Sum   // with evidence
	Doubt    Sum   // unknown outcome
	Pending  Sum   // requested, no result yet
	Rejected Sum   // refused: still charged
	Open     int64 // sales in doubt or pending
}

func (s *Sums) Add(o *Sums) {
	s.Sales.Add(o.Sales)
	s.Canceled.Add(o.Canceled)
	s.Doubt.Add(o.Doubt)
	s.Pending.Add(o.Pending)
	s.Rejected.Add(o.Rejected)
	s.Open += o.Open
}

// Charged returns the sales that are charged as far as is known: not canceled and
// not in doubt or pending. Rejected ones are included.
func (s *Sums) Charged() Sum {
	charged := s.Sales
	for _, not := range []Sum{s.Canceled, s.Doubt, s.Pending} {
		charged.Add(Sum{Count: -not.Count, Amount: -not.Amount})
	}
	return charged
}

// PlaceSums are the sums of a terminal in a store, or of a whole store.
type PlaceSums struct {
	StoreID    int64
	TerminalID int64 // 0 for a whole store
	Sums
}

// SumColumn is a column of Sums: its name, as in the stored sums of a day, its value
// added up from sales s, and where it is read into.
type SumColumn struct {
	Name, SQL string
	At        func(*Sums) any
}

// SumColumns are the columns of Sums.
var SumColumns = []SumColumn{
	{"sales", CountSQL(""), func(s *Sums) any { return &s.Sales.Count }},
	{"amount", AmountSQL(""), func(s *Sums) any { return &s.Sales.Amount }},
	{"canceled", CountSQL(CanceledSales), func(s *Sums) any { return &s.Canceled.Count }},
	{"canceled_amount", AmountSQL(CanceledSales), func(s *Sums) any { return &s.Canceled.Amount }},
	{"doubt", CountSQL(DoubtfulSales), func(s *Sums) any { return &s.Doubt.Count }},
	{"doubt_amount", AmountSQL(DoubtfulSales), func(s *Sums) any { return &s.Doubt.Amount }},
	{"pending", CountSQL(UnderWaySales), func(s *Sums) any { return &s.Pending.Count }},
	{"pending_amount", AmountSQL(UnderWaySales), func(s *Sums) any { return &s.Pending.Amount }},
	{"rejected", CountSQL(RejectedSales), func(s *Sums) any { return &s.Rejected.Count }},
	{"rejected_amount", AmountSQL(RejectedSales), func(s *Sums) any { return &s.Rejected.Amount }},
	{"open_cases", CountSQL(OpenSales), func(s *Sums) any { return &s.Open }},
}

// Conditions on sales s, by outcome.
const (
	CanceledSales = "s.state = " + ConfirmedSQL
	DoubtfulSales = "s.state = " + UnknownSQL
	UnderWaySales = "s.state IN " + UnderWaySQL
	OpenSales     = "s.state IN " + OpenSQL
	RejectedSales = "s.state = " + RejectedSQL
)

// CountSQL and AmountSQL add up the sales s that match a condition; "" matches all.
func CountSQL(condition string) string { return "count(*)" + filterSQL(condition) }

func AmountSQL(condition string) string {
	return "coalesce(sum(s.amount)" + filterSQL(condition) + ", 0)::bigint"
}

func filterSQL(condition string) string {
	if condition == "" {
		return ""
	}
	return " FILTER (WHERE " + condition + ")"
}
