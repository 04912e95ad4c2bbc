package handlers

import (
	"github.com/gofiber/fiber/v2"

	settingsview "veinte/views/settings"
	"veinte/views/ui"
)

// showSettings answers GET /settings.
func (h *Handlers) showSettings(c *fiber.Ctx) error {
	return h.settingsPage(c, fiber.StatusOK, "", nil)
}

func (h *Handlers) settingsPage(c *fiber.Ctx, status int, reason string, errs ui.Errors) error {
	p := h.page(c)
	return render(c, status, settingsview.Settings(&settingsview.SettingsView{Page: p, Pause: p.Notices.Pause, Reason: reason, Errors: errs}))
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

func (h *Handlers) settingsSaved(c *fiber.Ctx, reason, done string, err error) error {
	if errs, status, ok := refused(err); ok {
		return shownIn(err, h.settingsPage(c, status, reason, errs))
	}
	if err != nil {
		return err
	}
	return h.done(c, "/settings", done)
}
