package handlers

import (
	"github.com/gofiber/fiber/v2"

	"veinte/models"
	entranceview "veinte/views/entrance"
	salesview "veinte/views/sales"
	"veinte/views/ui"
)

// ownGuide answers GET /help: to the guide of the reader's role.
func (h *Handlers) ownGuide(c *fiber.Ctx) error {
	return c.Redirect(entranceview.HelpPath(actor(c)), fiber.StatusSeeOther)
}

// showGuide answers GET /help/:guide. Everybody who is signed in may read every
// guide: whoever does not do a job may still want to know how it is done.
func (h *Handlers) showGuide(c *fiber.Ctx) error {
	name := c.Params("guide")
	if !ui.HasGuide(name) {
		return models.ErrNotFound
	}
	return render(c, fiber.StatusOK, entranceview.Help(&entranceview.HelpView{Page: h.page(c), Name: name, PracticeURL: h.PracticeURL}))
}

// firstSteps are what the person may do first: on the page that they come to when
// they sign in, until they put them away. Nobody else costs the database anything.
func (h *Handlers) firstSteps(c *fiber.Ctx) (*salesview.FirstSteps, error) {
	who := actor(c)
	if !who.ShowOnboarding || c.Path() != homeOf(who) || len(c.Request().URI().QueryString()) > 0 {
		return nil, nil
	}
	first := &salesview.FirstSteps{PracticeURL: h.PracticeURL}
	if who.Role != models.Administrator {
		return first, nil
	}
	var err error
	first.Begun, err = h.Operations.Onboarding(c.UserContext(), who)
	return first, err
}

// dismissFirstSteps answers POST /help/first/dismissal.
func (h *Handlers) dismissFirstSteps(c *fiber.Ctx) error {
	if err := h.Operations.SetOnboarding(c.UserContext(), actor(c), false); err != nil {
		return err
	}
	return h.done(c, localPath(c.FormValue("next")), "flash.firstHidden")
}

// restoreFirstSteps answers POST /help/first/restoration: where they stand.
func (h *Handlers) restoreFirstSteps(c *fiber.Ctx) error {
	if err := h.Operations.SetOnboarding(c.UserContext(), actor(c), true); err != nil {
		return err
	}
	return c.Redirect(homeOf(actor(c))+"#first-steps", fiber.StatusSeeOther)
}
