package handlers

import (
	"github.com/gofiber/fiber/v2"

	"veinte/handlers/kit"
	"veinte/models"
)

// showGallery handles GET /gallery: every component, and with ?page= a page in one
// of its states. Only the demo has it.
func (h *Handlers) showGallery(c *fiber.Ctx) error {
	if h.gallery == nil {
		return models.ErrNotFound
	}
	page, ok := h.gallery(c.Query("page"), h.Page(c))
	if !ok {
		return models.ErrNotFound
	}
	return kit.Render(c, fiber.StatusOK, page)
}
