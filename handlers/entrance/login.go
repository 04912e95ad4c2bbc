package entrance

import (
	"errors"
	"strconv"

	"github.com/gofiber/fiber/v2"

	"veinte/handlers/kit"
	"veinte/models"
	"veinte/models/accounts"
	entranceview "veinte/views/entrance"
	"veinte/views/locale"
)

// ShowLogin handles GET /login.
func (h *Handlers) ShowLogin(c *fiber.Ctx) error {
	if kit.ReaderOf(c).Token != "" {
		return c.Redirect(kit.LocalPath(c.Query("next")), fiber.StatusSeeOther)
	}
	v := h.loginView(c, c.Query("ended"), c.Query("seen"))
	v.Next = c.Query("next")
	return kit.Render(c, fiber.StatusOK, entranceview.Login(v))
}

// loginView is the sign-in page, which says what became of a form that was sent after
// its session had ended.
func (h *Handlers) loginView(c *fiber.Ctx, ended, seen string) entranceview.LoginView {
	v := entranceview.LoginView{Page: h.Page(c), Samples: h.Samples, Ended: kit.Clip(ended, 10)}
	if amount, err := models.ParseMoney(seen); err == nil && v.Ended == "form" {
		v.Sale = &amount
	}
	return v
}

// Login handles POST /login.
func (h *Handlers) Login(c *fiber.Ctx) error {
	email, next := c.FormValue("email"), kit.LocalPath(c.FormValue("next"))
	token, _, err := h.Accounts.Login(c.UserContext(), kit.Actor(c), email, c.FormValue("password"))
	var known *models.Error
	if errors.As(err, &known) {
		status := fiber.StatusUnprocessableEntity
		if known.Kind == models.KindTooMany {
			status = fiber.StatusTooManyRequests
			c.Set(fiber.HeaderRetryAfter, strconv.Itoa(int(accounts.LoginWindow.Seconds())))
		}
		v := h.loginView(c, c.FormValue("ended"), c.FormValue("seen"))
		v.Email, v.Next, v.Error = email, next, known.Code
		return kit.ShownIn(err, kit.Render(c, status, entranceview.Login(v)))
	}
	if err != nil {
		return err
	}
	c.Cookie(h.Cookie(kit.SessionCookie, token, int(accounts.SessionLife.Seconds())))
	c.Cookie(h.Cookie(kit.VisitCookie, "", -1))
	return c.Redirect(next, fiber.StatusSeeOther)
}

// Logout handles POST /logout.
func (h *Handlers) Logout(c *fiber.Ctx) error {
	who := kit.ReaderOf(c)
	if err := h.Accounts.Logout(c.UserContext(), who.Actor, who.Token); err != nil {
		return err
	}
	c.Cookie(h.Cookie(kit.SessionCookie, "", -1))
	return h.Done(c, "/login", "flash.signedOut")
}

// ChooseLanguage handles POST /language. A person's choice follows them to
// other browsers; a visitor's stays in theirs.
func (h *Handlers) ChooseLanguage(c *fiber.Ctx) error {
	chosen := locale.Spoken(c.FormValue("language"))
	c.Cookie(h.Cookie(kit.LanguageCookie, chosen, 365*24*60*60)) // a year
	if who := kit.ReaderOf(c); who.Token != "" {
		if err := h.Accounts.SetLanguage(c.UserContext(), who.Actor, chosen); err != nil {
			return err
		}
	}
	return c.Redirect(kit.LocalPath(c.FormValue("next")), fiber.StatusSeeOther)
}

// Home handles GET / with the role's own first page.
func (h *Handlers) Home(c *fiber.Ctx) error {
	return c.Redirect(kit.Actor(c).Role.Row().Home, fiber.StatusSeeOther)
}
