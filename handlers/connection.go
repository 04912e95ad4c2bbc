package handlers

import (
	"github.com/gofiber/fiber/v2"

	"veinte/views"
)

// showConnection answers GET /settings/connection.
func (h *Handlers) showConnection(c *fiber.Ctx) error {
	return render(c, fiber.StatusOK, views.Connection(&views.ConnectionView{
		Page: h.page(c), Ahead: h.Cancellations.ClockAhead(), Inquiries: h.Cancellations.CanInquire(),
	}))
}
