package handlers

import (
	"crypto/rand"
	"errors"
	"fmt"
	"net/url"
	"runtime/debug"
	"strings"

	"github.com/gofiber/fiber/v2"

	"veinte/handlers/api"
	"veinte/models"
	"veinte/models/audit"
	"veinte/models/cards"
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

// requestID is 80 random bits, mostly letters: what has thirteen digits in a row
// could be a card number, and the trail would hide it.
func requestID() string { return strings.ToLower(rand.Text()[:16]) }

// begin gives a request its id and language, so that every answer has them.
func (h *Handlers) begin(c *fiber.Ctx) {
	c.Locals(readerKey, reader{actor: models.Actor{
		Address: c.IP(), UserAgent: c.Get(fiber.HeaderUserAgent), RequestID: requestID(),
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
		return h.told(c, h.pass(c, r, who.actor))
	}
}

// pass goes on to the route's handler, unless a permission or the form's origin
// stands against it.
func (h *Handlers) pass(c *fiber.Ctx, r route, who models.Actor) error {
	if r.method == fiber.MethodPost {
		if err := h.checkOrigin(c); err != nil {
			return err
		}
	}
	if r.can != anyone && r.can != signedIn && !who.May(r.can) {
		return models.ErrForbidden
	}
	return c.Next()
}

// told sees to it that a refusal is in the trail before anybody is answered, also
// one that a page shows already.
func (h *Handlers) told(c *fiber.Ctx, err error) error {
	request := audit.RefusedRequest{Line: c.Method() + " " + c.Path(), Changes: c.Method() == fiber.MethodPost}
	if failed := h.Audit.RecordRefusal(c.UserContext(), actor(c), request, err); failed != nil {
		return failed
	}
	var page *answered
	if errors.As(err, &page) {
		return nil
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
	found, language, err := h.Accounts.SessionActor(c.UserContext(), token)
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
	if c.Query("fragment") != "" || c.Get("HX-Request") != "" || c.Get(fiber.HeaderAccept) == "text/event-stream" {
		return c.SendStatus(fiber.StatusUnauthorized)
	}
	to := "/login"
	if c.Method() == fiber.MethodGet && asked(c) != "/" {
		to += "?next=" + url.QueryEscape(asked(c))
	}
	return c.Redirect(to, fiber.StatusSeeOther)
}

// asked is the address that was asked for, as it may be kept: without its query
// where that holds what could be a card number.
func asked(c *fiber.Ctx) string {
	for _, value := range c.Queries() {
		if cards.Holds(value) {
			return c.Path()
		}
	}
	return c.OriginalURL()
}
