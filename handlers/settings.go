package handlers

import (
	"github.com/gofiber/fiber/v2"

	"veinte/views"
)

// showSettings answers GET /settings.
func (h *Handlers) showSettings(c *fiber.Ctx) error {
	return h.settingsPage(c, fiber.StatusOK, "", nil)
}

func (h *Handlers) settingsPage(c *fiber.Ctx, status int, reason string, errs views.Errors) error {
	rules, err := h.DB.Rules(c.UserContext())
	if err != nil {
		return err
	}
	p := h.page(c)
	v := &views.SettingsView{
		Page: p, Pause: p.Notices.Pause, Rules: rules, Reason: reason,
		Ahead: h.Cancellations.ClockAhead(), Inquiries: h.Cancellations.CanInquire(), Errors: errs,
	}
	return render(c, status, views.Settings(v))
}

// pause answers POST /settings/pause.
func (h *Handlers) pause(c *fiber.Ctx) error {
	reason := c.FormValue("reason")
	err := h.Cancellations.Pause(c.UserContext(), actor(c), reason)
	return h.settingsSaved(c, reason, "flash.paused", err)
}

// resume answers POST /settings/resumption.
func (h *Handlers) resume(c *fiber.Ctx) error {
	err := h.Cancellations.Resume(c.UserContext(), actor(c), chosenID(c.FormValue("pause")))
	return h.settingsSaved(c, "", "flash.resumed", err)
}

// changeRules answers POST /settings/rules.
func (h *Handlers) changeRules(c *fiber.Ctx) error {
	err := h.DB.SetManagersSettle(c.UserContext(), actor(c), h.Clock.Now(), c.FormValue("managersSettle") == "on")
	return h.settingsSaved(c, "", "flash.saved", err)
}

func (h *Handlers) settingsSaved(c *fiber.Ctx, reason, done string, err error) error {
	if errs, status, ok := refused(err); ok {
		return h.settingsPage(c, status, reason, errs)
	}
	if err != nil {
		return err
	}
	return h.done(c, "/settings", done)
}
