package models

// Sales s are added up by these fragments, and nowhere else: each stands beside
// the field that its sum is read into.

// CountSQL and AmountSQL add up the sales s that a condition lets through; "" is all.
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

// Conditions by what became of sales s.
const (
	CanceledSales = "s.state = " + ConfirmedSQL
	DoubtfulSales = "s.state = " + UnknownSQL
	UnderWaySales = "s.state IN " + UnderWaySQL
	OpenSales     = "s.state IN " + OpenSQL
	RejectedSales = "s.state = " + RejectedSQL
)
