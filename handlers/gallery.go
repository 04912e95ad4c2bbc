package handlers

import (
	"github.com/gofiber/fiber/v2"

	"veinte/handlers/kit"
	"veinte/models"
	"veinte/views/gallery"
)

// showGallery answers GET /gallery: every component, and with ?page= a page in
// one of its states. Only the demo has it, and nothing of it is in the database.
func (h *Handlers) showGallery(c *fiber.Ctx) error {
	if !h.Demo {
		return models.ErrNotFound
	}
	p := h.Page(c)
	name := c.Query("page")
	if name == "" {
		return kit.Render(c, fiber.StatusOK, gallery.Gallery(&gallery.GalleryView{Page: p}))
	}
	page, ok := gallery.GalleryPage(name, p)
	if !ok {
		return models.ErrNotFound
	}
	return kit.Render(c, fiber.StatusOK, page)
}
