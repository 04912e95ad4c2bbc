package handlers

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"net/url"
	"runtime/debug"

	"github.com/gofiber/fiber/v2"

	"veinte/handlers/api"
	"veinte/models"
	"veinte/views/locale"
)

// reader is whoever asks, as far as the request tells.
type reader struct {
	actor models.Actor
	token string // of the session; "" when nobody is signed in
}

const (
	sessionCookie  = "veinte_session"
	languageCookie = "veinte_language"
	readerKey      = "reader"
)

// readerOf returns who asks.
func readerOf(c *fiber.Ctx) reader {
	r, _ := c.Locals(readerKey).(reader)
	return r
}

// actor returns the person who asks.
func actor(c *fiber.Ctx) models.Actor { return readerOf(c).actor }

// begin gives a request its id and language, so that every answer has them.
func (h *Handlers) begin(c *fiber.Ctx) {
	var raw [8]byte
	_, _ = rand.Read(raw[:])
	c.Locals(readerKey, reader{actor: models.Actor{
		Address: c.IP(), UserAgent: c.Get(fiber.HeaderUserAgent), RequestID: hex.EncodeToString(raw[:]),
	}})
	chosen := c.Cookies(languageCookie)
	if api.Owns(c.Path()) {
		chosen = "" // programs have no cookies
	}
	h.speak(c, chosen)
}

// survive begins a request and turns a panic into an error page.
func (h *Handlers) survive(c *fiber.Ctx) (err error) {
	h.begin(c)
	defer func() {
		if p := recover(); p != nil {
			h.Logger.ErrorContext(c.UserContext(), "panic", "value", p, "stack", string(debug.Stack()))
			err = fmt.Errorf("panic in %s", c.Path())
		}
	}()
	return c.Next()
}

// speak sets the language of the answer: the chosen one, else the browser's.
func (h *Handlers) speak(c *fiber.Ctx, chosen string) {
	language := locale.Match(c.Get(fiber.HeaderAcceptLanguage), chosen)
	c.SetUserContext(locale.With(c.UserContext(), language))
}

// guard lets a request through to the route's handler, or not.
func (h *Handlers) guard(r route) fiber.Handler {
	return func(c *fiber.Ctx) error {
		if r.can == machine {
			return c.Next()
		}
		if err := h.recognise(c); err != nil {
			return err
		}
		who := readerOf(c)
		if r.can != anyone && who.token == "" {
			return h.askToSignIn(c)
		}
		if r.method == fiber.MethodPost {
			if err := h.checkOrigin(c); err != nil {
				return err
			}
		}
		if r.can == anyone || r.can == signedIn || who.actor.May(r.can) {
			return c.Next()
		}
		return h.denied(c, models.ErrForbidden)
	}
}

// denied passes on a refusal once the trail has it.
func (h *Handlers) denied(c *fiber.Ctx, refusal error) error {
	if err := h.DB.Refused(c.UserContext(), actor(c), h.Clock.Now(), c.Method()+" "+c.Path()); err != nil {
		return err
	}
	return refusal
}

// missed passes on the error of looking for a sale or a case. Whoever asks is
// not told whether there is none or it is another store's; that they asked is
// in the trail.
func (h *Handlers) missed(c *fiber.Ctx, err error) error {
	if errors.Is(err, models.ErrNotFound) {
		return h.denied(c, err)
	}
	return err
}

// recognise finds the person behind the session cookie, as they are now.
func (h *Handlers) recognise(c *fiber.Ctx) error {
	token := c.Cookies(sessionCookie)
	if token == "" || len(token) > 100 {
		return nil
	}
	who := readerOf(c)
	found, language, err := h.DB.SessionActor(c.UserContext(), h.Clock.Now(), token)
	if errors.Is(err, models.ErrNotFound) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("find session: %w", err)
	}
	found.Address, found.UserAgent, found.RequestID = who.actor.Address, who.actor.UserAgent, who.actor.RequestID
	c.Locals(readerKey, reader{actor: found, token: token})
	if language != "" {
		h.speak(c, language)
	}
	return nil
}

// askToSignIn sends a person to the sign-in page and back afterwards. A poll is
// told so by status: a page inside a page would help nobody.
func (h *Handlers) askToSignIn(c *fiber.Ctx) error {
	if c.Query("fragment") != "" || c.Get("HX-Request") != "" {
		return c.SendStatus(fiber.StatusUnauthorized)
	}
	to := "/login"
	if c.Method() == fiber.MethodGet && c.OriginalURL() != "/" {
		to += "?next=" + url.QueryEscape(c.OriginalURL())
	}
	return c.Redirect(to, fiber.StatusSeeOther)
}
