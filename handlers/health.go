package handlers

import (
	"github.com/gofiber/fiber/v2"

	"veinte/models/database"
	"veinte/static"
)

// live handles GET /livez: the process responds.
func (h *Handlers) live(c *fiber.Ctx) error { return c.SendString("ok\n") }

// ready handles GET /readyz: the server can do its work.
func (h *Handlers) ready(c *fiber.Ctx) error {
	if h.Ready == nil {
		return c.SendString("ok\n")
	}
	if err := h.Ready(c.UserContext()); err != nil {
		h.Logger.WarnContext(c.UserContext(), "not ready", "error", err)
		why := "stopping"
		if outage := database.OutageOf(err); outage != nil {
			why = outage.Code
		}
		return c.Status(fiber.StatusServiceUnavailable).SendString("not ready: " + why + "\n")
	}
	return c.SendString("ok\n")
}

// static handles GET /static/*. Names contain a hash of the content, so browsers may
// cache the files for a year.
func (h *Handlers) static(c *fiber.Ctx) error {
	data, contentType, ok := static.Open(c.Path())
	if !ok {
		return fiber.ErrNotFound
	}
	c.Set(fiber.HeaderContentType, contentType)
	c.Set(fiber.HeaderCacheControl, "public, max-age=31536000, immutable")
	return c.Send(data)
}

// favicon handles the address that browsers request by themselves.
func (h *Handlers) favicon(c *fiber.Ctx) error {
	return c.Redirect(static.URL("favicon.svg"), fiber.StatusFound)
}
