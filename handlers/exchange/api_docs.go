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
	language := locale.Of(c.UserContext())
	text, err := h.API.OpenAPI(language)
	if err != nil {
		return err
	}
	c.Set(fiber.HeaderContentType, "application/openapi+json")
	c.Set(fiber.HeaderContentLanguage, language)
	return c.Send(text)
}
