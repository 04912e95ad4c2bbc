package sales

import (
	"context"

	"veinte/models"
	"veinte/models/sales"
	"veinte/views/locale"
	"veinte/views/ui"
)

// foundNothing says that there is nothing, or that there is nothing on this day alone.
func (v *SalesView) foundNothing(ctx context.Context) string {
	if len(v.Elsewhere) > 0 {
		return locale.T(ctx, "sales.notFoundThatDay", "Day", v.dayName(ctx, v.Filter.Day), "Query", v.Filter.Query)
	}
	return locale.T(ctx, "sales.notFound", "Query", v.Filter.Query)
}

// searchedDays says on which days and in which stores nothing was found.
func (v *SalesView) searchedDays(ctx context.Context) string {
	first, last := v.Filter.Day, v.Filter.Day
	also := ""
	for _, d := range sales.SearchedDays(v.Filter) {
		switch {
		case d > v.Today():
		case d > v.Filter.Day.Plus(1) || d < v.Filter.Day.Plus(-searchedWeek):
			also = ui.Day(ctx, d)
		default:
			first, last = min(first, d), max(last, d)
		}
	}
	days := locale.T(ctx, "sales.searchedDays", "From", ui.Day(ctx, first), "To", ui.Day(ctx, last))
	if also != "" {
		days += ", " + also
	}
	where := locale.T(ctx, "sales.searchedStores")
	if len(v.Stores) == 1 {
		where = v.Stores[0].Name
	}
	return locale.T(ctx, "sales.searchedWhere", "Days", days, "Where", where)
}

// searchedWeek is how many days before the list's are searched.
const searchedWeek = 7

// earlier is the day before those that were searched.
func (v *SalesView) earlier() models.Day { return v.Filter.Day.Plus(-searchedWeek - 1) }
