package sales

import (
	"context"

	"veinte/models"
	"veinte/views/locale"
	"veinte/views/ui"
)

// foundNothing says that there is nothing, or that there is nothing on this day alone.
func (v *SalesView) foundNothing(ctx context.Context) string {
	if len(v.Elsewhere.On) > 0 {
		return locale.T(ctx, "sales.notFoundThatDay", "Day", v.dayName(ctx, v.Filter.Day), "Query", v.Filter.Query)
	}
	return locale.T(ctx, "sales.notFound", "Query", v.Filter.Query)
}

// searchedDays says on which days and in which stores nothing was found.
func (v *SalesView) searchedDays(ctx context.Context) string {
	days := locale.T(ctx, "sales.searchedDays", "From", ui.Day(ctx, v.searchedFrom()), "To",
		ui.Day(ctx, max(v.Filter.Day, min(v.Elsewhere.To, v.Today()))))
	if v.Elsewhere.Order != "" {
		days += ", " + ui.Day(ctx, v.Elsewhere.Order)
	}
	where := locale.T(ctx, "sales.searchedStores")
	if len(v.Stores) == 1 {
		where = v.Stores[0].Name
	}
	return locale.T(ctx, "sales.searchedWhere", "Days", days, "Where", where)
}

// searchedFrom is the first day that was searched: the list's own, where no other was.
func (v *SalesView) searchedFrom() models.Day {
	if v.Elsewhere.From == "" {
		return v.Filter.Day
	}
	return min(v.Elsewhere.From, v.Filter.Day)
}

// earlier is the day before those that were searched.
func (v *SalesView) earlier() models.Day { return v.searchedFrom().Plus(-1) }
