package handlers

import (
	"github.com/gofiber/fiber/v2"

	"veinte/handlers/kit"
	"veinte/views/ui"
)

// showShortcuts handles GET /shortcuts.
func (h *Handlers) showShortcuts(c *fiber.Ctx) error {
	return kit.Render(c, fiber.StatusOK, ui.Shortcuts(h.Page(c)))
}
