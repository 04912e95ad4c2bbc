package handlers

import (
	"github.com/gofiber/fiber/v2"

	"veinte/views/ui"
)

// showShortcuts answers GET /shortcuts.
func (h *Handlers) showShortcuts(c *fiber.Ctx) error {
	return render(c, fiber.StatusOK, ui.Shortcuts(h.page(c)))
}
