package handlers

import (
	"errors"
	"sync"

	"github.com/gofiber/fiber/v2"
	"github.com/valyala/fasthttp"

	"veinte/handlers/kit"
	"veinte/models"
	"veinte/models/database"
	"veinte/models/operations"
	"veinte/static"
	"veinte/views/ui"
)

// live handles GET /livez: the process responds.
func (h *Handlers) live(c *fiber.Ctx) error { return c.SendString("ok\n") }

// ready handles GET /readyz: whether requests should be sent here.
func (h *Handlers) ready(c *fiber.Ctx) error {
	if h.config.Probe == nil {
		return c.SendString("ok\n")
	}
	err := h.config.Probe(c.UserContext())
	if err == nil {
		return c.SendString("ok\n")
	}
	why := "stopping"
	if outage := database.OutageOf(err); outage != nil {
		why = outage.Code
		h.Logger.WarnContext(c.UserContext(), "not ready", "error", err)
	}
	return c.Status(fiber.StatusServiceUnavailable).SendString("not ready: " + why + "\n")
}

// health handles GET /healthz: what is out, in words for whoever operates the server. The
// names of what is concerned are for the listener of ADMIN_ADDR alone.
func (h *Handlers) health(c *fiber.Ctx) error {
	var found []operations.Problem
	if h.config.Health != nil {
		found = h.config.Health(c.UserContext())
	}
	for i := range found {
		found[i].Names = nil
	}
	status, body := operations.HealthAnswer(found)
	c.Set(fiber.HeaderContentType, fiber.MIMEApplicationJSON)
	return c.Status(status).Send(body)
}

// static handles GET /static/*. Names contain a hash of the content, so browsers may
// cache the files for a year, and each is made as small as it gets once. What a page of
// another version asks for gets this version's file.
func (h *Handlers) static(c *fiber.Ctx) error {
	address, caching := c.Path(), "public, max-age=31536000, immutable"
	data, contentType, ok := static.Open(address)
	if !ok {
		if address, ok = static.Current(address); !ok {
			return fiber.ErrNotFound
		}
		data, contentType, _ = static.Open(address)
		caching = "no-store" // whoever has this version gives it to everybody
	}
	c.Set(fiber.HeaderContentType, contentType)
	c.Set(fiber.HeaderCacheControl, caching)
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
	small, _ := smallest.LoadOrStore(coding+address, sync.OnceValue(func() []byte {
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
