package models

// The fragments that add up sales s. All sums use them, each with the field that the
// sum is read into.

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

// Conditions on sales s, by outcome.
const (
	CanceledSales = "s.state = " + ConfirmedSQL
	DoubtfulSales = "s.state = " + UnknownSQL
	UnderWaySales = "s.state IN " + UnderWaySQL
	OpenSales     = "s.state IN " + OpenSQL
	RejectedSales = "s.state = " + RejectedSQL
)
