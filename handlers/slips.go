package handlers

import (
	"github.com/gofiber/fiber/v2"

	salesview "veinte/views/sales"
)

// showSlip answers GET /sales/:id/slip: what the store can hand to the customer.
// Each showing is in the trail, since the paper leaves the house.
func (h *Handlers) showSlip(c *fiber.Ctx) error {
	id, err := paramID(c)
	if err != nil {
		return err
	}
	slip, err := h.Cancellations.CustomerNotice(c.UserContext(), actor(c), id)
	if err != nil {
		return err
	}
	return render(c, fiber.StatusOK, salesview.Slip(&salesview.SlipView{Page: h.page(c), Slip: *slip}))
}
