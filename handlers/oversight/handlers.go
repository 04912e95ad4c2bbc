// Package oversight handles the supervisors' pages: the inbox of reviews, figures
// and findings, closings of days, alerts and their rules.
package oversight

import (
	"context"
	"time"

	"veinte/handlers/kit"
	"veinte/models"
	"veinte/models/alerts"
	"veinte/models/audit/compare"
	"veinte/models/closings"
	"veinte/models/oversight"
	"veinte/models/review"
	"veinte/views/seal"
)

// Handlers handle the pages of this area. Figures and alerts have their only pages
// here, which use nearly all that their services do.
type Handlers struct {
	*kit.Kit
	Review interface {
		Review(ctx context.Context, actor models.Actor, f review.Filter) (*review.Page, error)
		HandledLately(ctx context.Context, actor models.Actor) ([]review.Handled, error)
		Counts(ctx context.Context, actor models.Actor) (review.Counts, error)
		ReviewCount(ctx context.Context, actor models.Actor) (int, error)
		MarkReviewed(ctx context.Context, actor models.Actor, kind review.Kind, id int64, seen, note string) error
	}
	Closings interface {
		Closings(ctx context.Context, actor models.Actor, before string) (*closings.List, error)
		ClosingReport(ctx context.Context, actor models.Actor, day string, use closings.Use) (*closings.Report, error)
	}
	AllReasons func(context.Context) ([]models.Reason, error)
	// Compared returns the last comparison of the tables with the trail; nil: there was none.
	Compared func(context.Context) (*compare.Comparison, error)
	// Seal returns the checkpoint over the report that was made at that instant; nil: none.
	Seal      func(ctx context.Context, madeAt time.Time) *seal.View
	Alerts    *alerts.Service
	Oversight *oversight.Service
}

// Count returns the number of the navigation: what waits for the reader, of every kind. If
// it cannot be counted, the page is drawn without it.
func (h *Handlers) Count(ctx context.Context, reader models.Actor) int {
	n, err := h.Review.ReviewCount(ctx, reader)
	if err != nil && ctx.Err() == nil {
		h.Logger.WarnContext(ctx, "count what waits", "error", err)
	}
	return n
}
