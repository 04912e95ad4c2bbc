package oversight

import (
	"github.com/gofiber/fiber/v2"

	"veinte/handlers/kit"
	"veinte/models"
	"veinte/views/ui"
)

// Count fills in the numbers beside the links of the navigation: the items that wait
// for the user.
func (h *Handlers) Count(c *fiber.Ctx, p *ui.Page) {
	p.Review, p.Unlooked, p.Alerts = h.toReview(c), h.unreviewed(c), h.unseenAlerts(c)
}

// unreviewed counts the outliers that were not reviewed. If the query fails, the
// page is drawn without the number.
func (h *Handlers) unreviewed(c *fiber.Ctx) int {
	n, err := h.Oversight.Unreviewed(c.UserContext(), kit.Actor(c))
	if err != nil {
		h.Logger.WarnContext(c.UserContext(), "count what nobody has looked at", "error", err)
	}
	return n
}

// toReview counts the reviews that wait for the user. If the query fails, the page
// is drawn without the number.
func (h *Handlers) toReview(c *fiber.Ctx) int {
	n, err := h.Review.ReviewCount(c.UserContext(), kit.Actor(c))
	if err != nil {
		h.Logger.WarnContext(c.UserContext(), "count what is to review", "error", err)
	}
	return n
}

// unseenAlerts counts the alerts that nobody attended to. If the query fails, the
// page is drawn without the number.
func (h *Handlers) unseenAlerts(c *fiber.Ctx) int {
	if !kit.Actor(c).May(models.ReviewCancellations) {
		return 0
	}
	n, err := h.Alerts.Unseen(c.UserContext(), kit.Actor(c))
	if err != nil {
		h.Logger.WarnContext(c.UserContext(), "count alerts", "error", err)
	}
	return int(n)
}
