package settings

import (
	"github.com/gofiber/fiber/v2"

	"veinte/handlers/kit"
	settingsview "veinte/views/settings"
	"veinte/views/ui"
)

// ShowSettings handles GET /settings.
func (h *Handlers) ShowSettings(c *fiber.Ctx) error {
	return h.settingsPage(c, fiber.StatusOK, "", nil)
}

func (h *Handlers) settingsPage(c *fiber.Ctx, status int, reason string, errs ui.Errors) error {
	p := h.Page(c)
	return kit.Render(c, status, settingsview.Settings(&settingsview.SettingsView{
		Page: p, Pause: p.Notices.Pause, Reason: reason, Errors: errs,
	}))
}

// Pause handles POST /settings/pause.
func (h *Handlers) Pause(c *fiber.Ctx) error {
	reason := c.FormValue("reason")
	err := h.Cancellations.Pause(c.UserContext(), kit.Actor(c), reason)
	return h.settingsSaved(c, reason, "flash.paused", err)
}

// Resume handles POST /settings/resumption.
func (h *Handlers) Resume(c *fiber.Ctx) error {
	err := h.Cancellations.Resume(c.UserContext(), kit.Actor(c), kit.ChosenID(c.FormValue("pause")))
	return h.settingsSaved(c, "", "flash.resumed", err)
}

func (h *Handlers) settingsSaved(c *fiber.Ctx, reason, done string, err error) error {
	return h.Finish(c, err, "/settings", done, func(status int, errs ui.Errors) error {
		return h.settingsPage(c, status, reason, errs)
	})
}
