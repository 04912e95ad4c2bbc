package handlers

import (
	"github.com/gofiber/fiber/v2"

	"veinte/models"
	"veinte/views"
)

// ownGuide answers GET /help: to the guide of the reader's role.
func (h *Handlers) ownGuide(c *fiber.Ctx) error {
	return c.Redirect(views.HelpPath(actor(c)), fiber.StatusSeeOther)
}

// showGuide answers GET /help/:guide. Everybody who is signed in may read every
// guide: whoever does not do a job may still want to know how it is done.
func (h *Handlers) showGuide(c *fiber.Ctx) error {
	name := c.Params("guide")
	if !views.HasGuide(name) {
		return models.ErrNotFound
	}
	return render(c, fiber.StatusOK, views.Help(&views.HelpView{Page: h.page(c), Name: name, PracticeURL: h.PracticeURL}))
}
