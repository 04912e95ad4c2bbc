package sales

import (
	"github.com/gofiber/fiber/v2"

	"veinte/handlers/kit"
	salesview "veinte/views/sales"
)

// ShowNotice handles GET /sales/:id/slip: the notice for the customer. Each view is
// recorded in the trail, since the document leaves the merchant.
func (h *Handlers) ShowNotice(c *fiber.Ctx, id int64) error {
	notice, err := h.Cancellations.CustomerNotice(c.UserContext(), kit.Actor(c), id)
	if err != nil {
		return err
	}
	return kit.Render(c, fiber.StatusOK, salesview.Slip(&salesview.SlipView{Page: h.Page(c), Slip: *notice}))
}
