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
		Review(ctx context.Context, actor models.Actor, kind review.Kind) (*review.Page, error)
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
// a query fails, the page is drawn without what it counts.
func (h *Handlers) Count(c *fiber.Ctx, p *ui.Page) {
	ctx, who := c.UserContext(), kit.Actor(c)
	count := func(what string, n int, err error) {
		if err != nil {
			h.Logger.WarnContext(ctx, "count "+what, "error", err)
		}
		p.Review += n
	}
	n, err := h.Review.ReviewCount(ctx, who)
	count("reviews", n, err)
	n, err = h.Oversight.Unreviewed(ctx, who)
	count("outliers", n, err)
	if who.May(models.ReviewCancellations) {
		unseen, err := h.Alerts.Unseen(ctx, who)
		count("alerts", int(unseen), err)
	}
}
