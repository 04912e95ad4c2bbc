package handlers

import (
	"errors"
	"sync"

	"github.com/gofiber/fiber/v2"
	"github.com/valyala/fasthttp"

	"veinte/handlers/kit"
	"veinte/models"
	"veinte/models/database"
	"veinte/static"
	"veinte/views/ui"
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
// cache the files for a year, and each is made as small as it gets once.
func (h *Handlers) static(c *fiber.Ctx) error {
	data, contentType, ok := static.Open(c.Path())
	if !ok {
		return fiber.ErrNotFound
	}
	c.Set(fiber.HeaderContentType, contentType)
	c.Set(fiber.HeaderCacheControl, "public, max-age=31536000, immutable")
	c.Vary(fiber.HeaderAcceptEncoding)
	coding := "gzip"
	switch takes := c.Request().Header.HasAcceptEncoding; {
	case contentType == "image/webp", contentType == "image/png": // which are small already
		return c.Send(data)
	case takes("br"):
		coding = "br"
	case !takes(coding):
		return c.Send(data)
	}
	small, _ := smallest.LoadOrStore(coding+c.Path(), sync.OnceValue(func() []byte {
		if coding == "br" {
			return fasthttp.AppendBrotliBytesLevel(nil, data, fasthttp.CompressBrotliBestCompression)
		}
		return fasthttp.AppendGzipBytesLevel(nil, data, fasthttp.CompressBestCompression)
	}))
	c.Set(fiber.HeaderContentEncoding, coding)
	return c.Send(small.(func() []byte)())
}

// smallest are the files as browsers take them, each made when it is first asked for, by
// coding and address. Both are few: addresses are those of files, codings those above.
var smallest sync.Map

// favicon handles the address that browsers request by themselves.
func (h *Handlers) favicon(c *fiber.Ctx) error {
	return c.Redirect(static.URL("favicon.svg"), fiber.StatusFound)
}

// showGallery handles GET /gallery: every component, and with ?page= a page in one
// of its states. Only the demo has it.
func (h *Handlers) showGallery(c *fiber.Ctx) error {
	if h.config.Gallery == nil {
		return models.ErrNotFound
	}
	page, ok := h.config.Gallery(c.Query("page"), h.Page(c))
	if !ok {
		return models.ErrNotFound
	}
	return kit.Render(c, fiber.StatusOK, page)
}

// showShortcuts handles GET /shortcuts.
func (h *Handlers) showShortcuts(c *fiber.Ctx) error {
	return kit.Render(c, fiber.StatusOK, ui.Shortcuts(h.Page(c)))
}

// result handles POST /results/:serial/:token and POST /results/:secret. A post that is
// refused is recorded in the trail.
func (h *Handlers) result(c *fiber.Ctx) error {
	err := h.config.TakeResult(c)
	var refusal interface{ Reason() string }
	if errors.As(err, &refusal) {
		if failed := h.config.Audit.RefusedResult(c.UserContext(), kit.Actor(c), refusal.Reason()); failed != nil {
			return failed
		}
	}
	return err
}
