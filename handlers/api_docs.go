package handlers

import (
	"github.com/gofiber/fiber/v2"

	exchangeview "veinte/views/exchange"
	"veinte/views/locale"
)

// showAPIDocs answers GET /api/docs.
func (h *Handlers) showAPIDocs(c *fiber.Ctx) error {
	v := h.API.Reference(locale.Of(c.UserContext()), c.BaseURL())
	v.Page = h.page(c)
	return render(c, fiber.StatusOK, exchangeview.APIDocs(v))
}

// apiDocument answers GET /api/openapi.json.
func (h *Handlers) apiDocument(c *fiber.Ctx) error {
	return h.document(c, "application/openapi+json", h.API.OpenAPI)
}

// apiCollection answers GET /api/postman.json.
func (h *Handlers) apiCollection(c *fiber.Ctx) error {
	return h.document(c, fiber.MIMEApplicationJSON, h.API.Postman)
}

func (h *Handlers) document(c *fiber.Ctx, kind string, write func(language string) ([]byte, error)) error {
	language := locale.Of(c.UserContext())
	text, err := write(language)
	if err != nil {
		return err
	}
	c.Set(fiber.HeaderContentType, kind)
	c.Set(fiber.HeaderContentLanguage, language)
	return c.Send(text)
}
