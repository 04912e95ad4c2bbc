package handlers

import (
	"github.com/gofiber/fiber/v2"

	"veinte/handlers/kit"
	"veinte/models"
	"veinte/views/gallery"
)

// showGallery handles GET /gallery: every component, and with ?page= a page in one
// of its states. It exists only in the demo and uses sample data, not the database.
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
