package sales

import (
	"context"
	"net/url"
	"time"

	"veinte/models/sales"
	"veinte/views/ui"
)

// InWords says what a filter of sales, as an address has it, looks for.
func (v *SalesView) InWords(ctx context.Context, query string) string {
	values, err := url.ParseQuery(query)
	if err != nil {
		return ""
	}
	w := *v
	w.Filter, _ = sales.ParseFilter(values.Get, time.Time{})
	return ui.ChipsInWords(w.chips(ctx))
}
