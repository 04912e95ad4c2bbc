package models

import "strings"

// Sales s are added up by these fragments, and nowhere else: each stands beside
// the field that its sum is read into.

// countSQL and amountSQL add up the sales s that a condition lets through; "" is all.
func countSQL(condition string) string { return "count(*)" + filterSQL(condition) }

func amountSQL(condition string) string {
	return "coalesce(sum(s.amount)" + filterSQL(condition) + ", 0)::bigint"
}

func filterSQL(condition string) string {
	if condition == "" {
		return ""
	}
	return " FILTER (WHERE " + condition + ")"
}

// Conditions by what became of sales s.
const (
	canceledSales = "s.state = " + ConfirmedSQL
	doubtfulSales = "s.state = " + UnknownSQL
	underWaySales = "s.state IN " + UnderWaySQL
	openSales     = "s.state IN " + OpenSQL
	rejectedSales = "s.state = " + RejectedSQL
)

// figuresColumns are the five sums of figures.
var figuresColumns = func() (all columns[Figures]) {
	for _, c := range []struct {
		condition string
		of        func(*Figures) *Sum
	}{
		{"", func(f *Figures) *Sum { return &f.Sales }},
		{canceledSales, func(f *Figures) *Sum { return &f.Canceled }},
		{doubtfulSales, func(f *Figures) *Sum { return &f.Doubt }},
		{underWaySales, func(f *Figures) *Sum { return &f.Pending }},
		{rejectedSales, func(f *Figures) *Sum { return &f.Rejected }},
	} {
		all = append(all,
			column[Figures]{countSQL(c.condition), func(f *Figures) any { return &c.of(f).Count }},
			column[Figures]{amountSQL(c.condition), func(f *Figures) any { return &c.of(f).Amount }})
	}
	return all
}()

// exportSums are those of the sales of an export.
var exportSums = columns[Sums]{
	{countSQL(""), func(s *Sums) any { return &s.Sales }},
	{amountSQL(""), func(s *Sums) any { return &s.Amount }},
	{countSQL(canceledSales), func(s *Sums) any { return &s.Canceled }},
	{amountSQL(canceledSales), func(s *Sums) any { return &s.CanceledAmount }},
}

// totalsColumns are the sums of a terminal on a day, as day_totals keeps them.
var totalsColumns = columns[TerminalTotals]{
	{"store_id", func(t *TerminalTotals) any { return &t.StoreID }},
	{"terminal_id", func(t *TerminalTotals) any { return &t.TerminalID }},
	{"sales", func(t *TerminalTotals) any { return &t.Sales }},
	{"amount", func(t *TerminalTotals) any { return &t.Amount }},
	{"canceled", func(t *TerminalTotals) any { return &t.Canceled }},
	{"canceled_amount", func(t *TerminalTotals) any { return &t.CanceledAmount }},
	{"open_cases", func(t *TerminalTotals) any { return &t.OpenCases }},
	{"last_received", func(t *TerminalTotals) any { return &t.LastReceived }},
}

// totalsOfSales is totalsColumns added up from sales s themselves.
var totalsOfSales = func() string {
	of := map[string]string{
		"store_id": "s.store_id", "terminal_id": "s.terminal_id", "sales": countSQL(""), "amount": amountSQL(""),
		"canceled": countSQL(canceledSales), "canceled_amount": amountSQL(canceledSales), "open_cases": countSQL(openSales),
		"last_received": "max(s.received_at)",
	}
	parts := make([]string, len(totalsColumns))
	for i, c := range totalsColumns {
		parts[i] = of[c.name] + " AS " + c.name
	}
	return strings.Join(parts, ", ")
}()
