package handlers

import (
	"strings"

	"github.com/a-h/templ"
	"github.com/gofiber/fiber/v2"

	"veinte/views/locale"
	"veinte/views/ui"
)

// contentSecurity lets a page load from its own origin only and run no script
// that is written into it.
const contentSecurity = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; " +
	"font-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'; manifest-src 'self'"

// headers go with every answer. Pages hold sales, so no cache keeps them.
func (h *Handlers) headers(c *fiber.Ctx) error {
	h.setHeaders(c)
	return c.Next()
}

func (h *Handlers) setHeaders(c *fiber.Ctx) {
	c.Set("Content-Security-Policy", contentSecurity)
	c.Set("X-Content-Type-Options", "nosniff")
	c.Set("Referrer-Policy", "same-origin")
	c.Set("Cross-Origin-Opener-Policy", "same-origin")
	c.Set("Permissions-Policy", "camera=(), geolocation=(), microphone=(), payment=()")
	c.Set("Cache-Control", "no-store")
	if h.Practice {
		c.Set("Veinte-Practice", "on") // for programs, and files without a head of their own
	}
	if h.SecureCookies {
		c.Set("Strict-Transport-Security", "max-age=31536000")
	}
}

// render writes a page. It goes into the answer's buffer first, so an error
// half way leaves nothing of it.
func render(c *fiber.Ctx, status int, page templ.Component) error {
	c.Response().ResetBody()
	if err := page.Render(c.UserContext(), c.Response().BodyWriter()); err != nil {
		c.Response().ResetBody()
		return err
	}
	c.Set(fiber.HeaderContentType, fiber.MIMETextHTMLCharsetUTF8)
	c.Set(fiber.HeaderContentLanguage, locale.Of(c.UserContext()))
	c.Status(status)
	return nil
}

// page fills what every page shows. The flash is taken only by whole pages.
func (h *Handlers) page(c *fiber.Ctx) ui.Page {
	p := ui.Page{
		Actor: actor(c), CSRF: h.csrf(c), Path: asked(c), Now: h.Clock.Now(),
		Window: h.Rules.Window(), Demo: h.Demo, Practice: h.Practice, Notices: h.Operations.Notices(c.UserContext()),
	}
	if c.Method() != fiber.MethodGet {
		p.Path = "/" // what was posted cannot be asked for again
	}
	if c.Query("fragment") == "" && c.Get("HX-Request") == "" {
		p.Flash = h.takeFlash(c)
		p.Review = h.toReview(c)
		p.Unlooked, p.Alerts = h.unlooked(c), h.unseenAlerts(c)
	}
	return p
}

const flashCookie = "veinte_flash"

// done sends the person on, with a message about what they just did.
func (h *Handlers) done(c *fiber.Ctx, to, code string) error {
	return h.redirectWith(c, to, ui.FlashDone, code)
}

func (h *Handlers) redirectWith(c *fiber.Ctx, to string, kind ui.FlashKind, code string) error {
	c.Cookie(h.cookie(flashCookie, string(kind)+":"+code, 60))
	return c.Redirect(to, fiber.StatusSeeOther)
}

// takeFlash reads the message and forgets it.
func (h *Handlers) takeFlash(c *fiber.Ctx) *ui.Flash {
	kind, code, ok := strings.Cut(c.Cookies(flashCookie), ":")
	if !ok {
		return nil
	}
	c.Cookie(h.cookie(flashCookie, "", -1))
	if !locale.Has(code) {
		return nil
	}
	return &ui.Flash{Kind: ui.FlashKind(kind), Code: code}
}

// renderPolled writes the part of a page that asks for itself again, and the
// notices that take the place of those above it.
func (h *Handlers) renderPolled(c *fiber.Ctx, p ui.Page, part templ.Component) error {
	return render(c, fiber.StatusOK, templ.Join(part, ui.Notices(p, true)))
}
