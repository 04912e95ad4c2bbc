package ui

import (
	"context"
	"strconv"
	"time"

	"veinte/models"
	"veinte/views/locale"
)

// DayStep is a day as a step to it has room for: Hoy, 19 nov.
func DayStep(ctx context.Context, p Page, day models.Day) string {
	if day == p.Today() {
		return locale.T(ctx, "chart.today")
	}
	at := day.Time(time.UTC)
	return strconv.Itoa(at.Day()) + " " + Months[locale.Of(ctx)][at.Month()-1]
}

// StoreShares are the stores as shares of a whole.
func StoreShares(
	ctx context.Context, by ChartBy, total models.Sums, figures []models.PlaceSums, stores []models.Store, to func(int64) string,
) *Chart {
	c := &Chart{Id: "stores", Title: locale.T(ctx, "chart.byStore"), Head: locale.T(ctx, "sales.store"), By: by, Total: total, Shares: true}
	for i := range figures {
		r := ChartRow{Label: Itoa(figures[i].StoreID), To: to(figures[i].StoreID), Sums: figures[i].Sums}
		if s := StoreOf(stores, figures[i].StoreID); s != nil {
			r.Label, r.Small = s.Name, s.Code
		}
		c.Rows = append(c.Rows, r)
	}
	return c.Fold(ctx)
}
