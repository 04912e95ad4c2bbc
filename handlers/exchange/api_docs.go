package exchange

import (
	"github.com/gofiber/fiber/v2"

	"veinte/handlers/kit"
	exchangeview "veinte/views/exchange"
	"veinte/views/locale"
)

// ShowAPIDocs handles GET /api/docs.
func (h *Handlers) ShowAPIDocs(c *fiber.Ctx) error {
	v := h.API.Reference(locale.Of(c.UserContext()))
	v.Page = h.Page(c)
	return kit.Render(c, fiber.StatusOK, exchangeview.APIDocs(v))
}

// ApiDocument handles GET /api/openapi.json.
func (h *Handlers) ApiDocument(c *fiber.Ctx) error {
	return h.document(c, "application/openapi+json", h.API.OpenAPI)
}

// ApiCollection handles GET /api/postman.json.
func (h *Handlers) ApiCollection(c *fiber.Ctx) error {
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
