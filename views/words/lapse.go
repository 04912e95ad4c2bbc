package words

import (
	"context"
	"time"

	"veinte/models"
	"veinte/views/ui"
)

// Moment is when the i-th entry was; the date stands with the first of a day.
func (n *AuditNames) Moment(ctx context.Context, entries []models.AuditEntry, i int) string {
	at := entries[i].At
	if i > 0 && at.In(n.zone).Format(time.DateOnly) == entries[i-1].At.In(n.zone).Format(time.DateOnly) {
		return ui.ClockSeconds(at, n.zone)
	}
	return ui.DateSeconds(ctx, at, n.zone)
}
