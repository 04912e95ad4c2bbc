package oversight

import (
	"github.com/gofiber/fiber/v2"

	"veinte/handlers/kit"
	"veinte/models"
	"veinte/views/ui"
)

// Count fills in the numbers beside the links of the navigation: the items that wait
// for the user. If a query fails, the page is drawn without its number.
func (h *Handlers) Count(c *fiber.Ctx, p *ui.Page) {
	ctx, who := c.UserContext(), kit.Actor(c)
	count := func(what string, n int, err error) int {
		if err != nil {
			h.Logger.WarnContext(ctx, "count "+what, "error", err)
		}
		return n
	}
	n, err := h.Review.ReviewCount(ctx, who)
	p.Review = count("reviews", n, err)
	n, err = h.Oversight.Unreviewed(ctx, who)
	p.Unlooked = count("outliers", n, err)
	if who.May(models.ReviewCancellations) {
		unseen, err := h.Alerts.Unseen(ctx, who)
		p.Alerts = count("alerts", int(unseen), err)
	}
}
