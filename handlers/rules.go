package handlers

import (
	"github.com/gofiber/fiber/v2"

	"veinte/views"
)

// showRules answers GET /settings/rules.
func (h *Handlers) showRules(c *fiber.Ctx) error {
	rules, err := h.DB.Rules(c.UserContext())
	if err != nil {
		return err
	}
	return render(c, fiber.StatusOK, views.Rules(&views.RulesView{Page: h.page(c), Rules: rules}))
}

// changeRules answers POST /settings/rules.
func (h *Handlers) changeRules(c *fiber.Ctx) error {
	err := h.DB.SetManagersSettle(c.UserContext(), actor(c), h.Clock.Now(), c.FormValue("managersSettle") == "on")
	if err != nil {
		return err
	}
	return h.done(c, "/settings/rules", "flash.saved")
}
