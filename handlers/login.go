package handlers

import (
	"errors"
	"strconv"

	"github.com/gofiber/fiber/v2"

	"veinte/models"
	"veinte/models/accounts"
	entranceview "veinte/views/entrance"
	"veinte/views/locale"
)

// showLogin answers GET /login.
func (h *Handlers) showLogin(c *fiber.Ctx) error {
	if readerOf(c).token != "" {
		return c.Redirect(localPath(c.Query("next")), fiber.StatusSeeOther)
	}
	return render(c, fiber.StatusOK, entranceview.Login(entranceview.LoginView{
		Page: h.page(c), Next: c.Query("next"), Samples: h.Samples,
	}))
}

// login answers POST /login.
func (h *Handlers) login(c *fiber.Ctx) error {
	email, next := c.FormValue("email"), localPath(c.FormValue("next"))
	token, _, err := h.Accounts.Login(c.UserContext(), actor(c), email, c.FormValue("password"))
	var known *models.Error
	if errors.As(err, &known) {
		status := fiber.StatusUnprocessableEntity
		if known.Kind == models.KindTooMany {
			status = fiber.StatusTooManyRequests
			c.Set(fiber.HeaderRetryAfter, strconv.Itoa(int(accounts.LoginWindow.Seconds())))
		}
		return shownIn(err, render(c, status, entranceview.Login(entranceview.LoginView{
			Page: h.page(c), Email: email, Next: next, Error: known.Code, Samples: h.Samples,
		})))
	}
	if err != nil {
		return err
	}
	c.Cookie(h.cookie(sessionCookie, token, int(accounts.SessionLife.Seconds())))
	c.Cookie(h.cookie(visitCookie, "", -1))
	return c.Redirect(next, fiber.StatusSeeOther)
}

// logout answers POST /logout.
func (h *Handlers) logout(c *fiber.Ctx) error {
	who := readerOf(c)
	if err := h.Accounts.Logout(c.UserContext(), who.actor, who.token); err != nil {
		return err
	}
	c.Cookie(h.cookie(sessionCookie, "", -1))
	return h.done(c, "/login", "flash.signedOut")
}

// languageYear keeps a chosen language for a year, in seconds.
const languageYear = 365 * 24 * 60 * 60

// chooseLanguage answers POST /language. A person's choice follows them to
// other browsers; a visitor's stays in theirs.
func (h *Handlers) chooseLanguage(c *fiber.Ctx) error {
	chosen := locale.Match("", c.FormValue("language"))
	c.Cookie(h.cookie(languageCookie, chosen, languageYear))
	if who := readerOf(c); who.token != "" {
		if err := h.Accounts.SetLanguage(c.UserContext(), who.actor, chosen); err != nil {
			return err
		}
	}
	return c.Redirect(localPath(c.FormValue("next")), fiber.StatusSeeOther)
}

// home answers GET / with the role's own first page.
func (h *Handlers) home(c *fiber.Ctx) error {
	return c.Redirect(homeOf(actor(c)), fiber.StatusSeeOther)
}

// homeOf is the first page of somebody who signs in.
func homeOf(a models.Actor) string {
	switch a.Role {
	case models.Administrator:
		return "/terminals"
	case models.Auditor:
		return "/audit"
	}
	return "/sales"
}
