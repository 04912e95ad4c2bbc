package entrance

import (
	"slices"

	"github.com/gofiber/fiber/v2"

	"veinte/handlers/kit"
	"veinte/models"
	entranceview "veinte/views/entrance"
	salesview "veinte/views/sales"
	"veinte/views/ui"
)

// OwnGuide handles GET /help: to the guide of the reader's role.
func (h *Handlers) OwnGuide(c *fiber.Ctx) error {
	return c.Redirect(entranceview.HelpPath(kit.Actor(c)), fiber.StatusSeeOther)
}

// ShowGuide handles GET /help/:guide. Every signed-in user may read every guide, not
// just the one of their role.
func (h *Handlers) ShowGuide(c *fiber.Ctx) error {
	name := c.Params("guide")
	if !slices.Contains(ui.Guides(), name) {
		return models.ErrNotFound
	}
	v := &entranceview.HelpView{Page: h.Page(c), Name: name, PracticeURL: h.PracticeURL}
	return kit.Render(c, fiber.StatusOK, entranceview.Help(v))
}

// Onboarding returns the first steps for the user's first page until they dismiss
// them. It queries the database only for users who still see them.
func (h *Handlers) Onboarding(c *fiber.Ctx) (*salesview.Onboarding, error) {
	who := kit.Actor(c)
	if !who.ShowOnboarding || c.Path() != who.Role.Row().Home || len(c.Request().URI().QueryString()) > 0 {
		return nil, nil
	}
	first := &salesview.Onboarding{PracticeURL: h.PracticeURL}
	if who.Role != models.Administrator {
		return first, nil
	}
	var err error
	first.Begun, err = h.Operations.Onboarding(c.UserContext(), who)
	return first, err
}

// DismissOnboarding handles POST /help/first/dismissal.
func (h *Handlers) DismissOnboarding(c *fiber.Ctx) error {
	if err := h.Operations.SetOnboarding(c.UserContext(), kit.Actor(c), false); err != nil {
		return err
	}
	return h.Done(c, kit.LocalPath(c.FormValue("next")), "flash.firstHidden")
}

// RestoreOnboarding handles POST /help/first/restoration: it shows the first steps
// again.
func (h *Handlers) RestoreOnboarding(c *fiber.Ctx) error {
	if err := h.Operations.SetOnboarding(c.UserContext(), kit.Actor(c), true); err != nil {
		return err
	}
	return c.Redirect(kit.Actor(c).Role.Row().Home+"#first-steps", fiber.StatusSeeOther)
}
