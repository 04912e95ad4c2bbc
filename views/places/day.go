package places

import (
	"context"
	"net/url"

	"veinte/models"
	"veinte/views/locale"
	"veinte/views/ui"
)

// figure is a figure of a place's day, and the list of its sales.
type figure struct{ name, value, more, to, look string }

// figuresOf are the figures of a day; by is how the list of sales calls the kind of place.
func figuresOf(ctx context.Context, day *models.Sums, by string, id int64) []figure {
	of := func(key string, s models.Sum, state models.SaleState) figure {
		q := url.Values{}
		ui.SetID(q, by, id)
		ui.Set(q, "state", string(state))
		f := figure{name: locale.T(ctx, key), value: ui.Number(s.Count), to: ui.Address("/sales", q)}
		if s.Count > 0 {
			f.more = ui.Money(s.Amount)
		}
		return f
	}
	doubt := of("store.doubt", day.Doubt, models.SaleUnknown)
	if day.Doubt.Count > 0 {
		doubt.look = "figure-doubt"
	}
	return []figure{
		of("store.sold", day.Sales, ""), of("store.canceled", day.Canceled, models.SaleConfirmed),
		of("store.open", day.Pending, models.SaleUnderway), doubt,
	}
}
