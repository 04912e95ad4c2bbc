// Package oversight handles the supervisors' pages: the inbox of reviews, figures
// and findings, closings of days, alerts and their rules.
package oversight

import (
	"context"

	"github.com/gofiber/fiber/v2"

	"veinte/handlers/kit"
	"veinte/models"
	"veinte/models/alerts"
	"veinte/models/closings"
	"veinte/models/oversight"
	"veinte/models/review"
	"veinte/views/ui"
)

// Handlers handle the pages of this area. Figures and alerts have their only pages
// here, which use nearly all that their services do.
type Handlers struct {
	*kit.Kit
	Review interface {
		Review(ctx context.Context, actor models.Actor, kind review.Kind, cursor string) (*review.Page, error)
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
	Alerts     *alerts.Service
	Oversight  *oversight.Service
}

// Count fills in the number of the navigation: what waits for the user, of every kind. If
// it cannot be counted, the page is drawn without it.
func (h *Handlers) Count(c *fiber.Ctx, p *ui.Page) {
	n, err := h.Review.ReviewCount(c.UserContext(), kit.Actor(c))
	if err != nil {
		h.Logger.WarnContext(c.UserContext(), "count what waits", "error", err)
	}
	p.Review = n
}
