package sales

import (
	"context"

	"veinte/models"
	"veinte/views/locale"
	"veinte/views/ui"
)

// total is how long the latest cancellation took from the request to its end, or has
// taken so far.
func (v *SaleDetailView) total(ctx context.Context) string {
	c := v.Detail.Latest()
	if c == nil || c.Origin == models.FromTerminal {
		return ""
	}
	if c.State.Open() {
		return locale.T(ctx, "lapse.soFar", "Time", ui.Lapse(ui.Between(c.RequestedAt, v.Now)))
	}
	end := c.RequestedAt
	for i := range v.Detail.Entries {
		e := &v.Detail.Entries[i]
		if e.Action == models.ActionCancellationMoved && e.CancellationID != nil && *e.CancellationID == c.ID && e.At.After(end) {
			end = e.At
		}
	}
	return locale.T(ctx, "lapse.total", "Time", ui.Lapse(ui.Between(c.RequestedAt, end)))
}
