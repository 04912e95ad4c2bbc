package entrance

import (
	"errors"
	"math"
	"strconv"
	"time"

	"github.com/gofiber/fiber/v2"

	"veinte/handlers/kit"
	"veinte/models"
	"veinte/models/entrance"
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
	v := entranceview.LoginView{Page: h.Page(c), Samples: h.Samples, Ended: kit.Clip(ended, 10), Passkeys: h.passkeysHere(c)}
	v.Counter = c.Cookies(kit.CounterCookie) != ""
	if h.SSO != nil {
		v.SSO = &entranceview.SSOButton{Name: h.SSO.Name}
		v.Left = c.Query(leftQuery) != ""
	}
	if amount, err := models.ParseMoney(seen); err == nil && v.Ended == "form" {
		v.Sale = &amount
	}
	return v
}

const placeKey = "place"

// Admit takes a place in the line for a request to sign in, before anything else is done
// for it: whoever sends thousands at once costs hardly more than the refusals.
func (h *Handlers) Admit(c *fiber.Ctx) error {
	place, err := h.Entrance.Admit(c.UserContext(), kit.Actor(c), c.Cookies(kit.DeviceCookie))
	if errors.Is(err, entrance.ErrSignInBusy) {
		return h.busy(c)
	}
	if err != nil {
		return err
	}
	defer place.Leave()
	c.Locals(placeKey, place)
	return c.Next()
}

// pagesPerMinute is how many are refused with a whole page, which costs as much as many
// refusals in words.
const pagesPerMinute = 120

// Draws reports whether one more may be refused with a page.
func (h *Handlers) Draws() bool { return h.Pages.Wait(struct{}{}, pagesPerMinute, time.Now()) == 0 }

// busy asks somebody to try again, with what they typed unless too many are asked that.
func (h *Handlers) busy(c *fiber.Ctx) error {
	c.Set(fiber.HeaderRetryAfter, strconv.Itoa(int(entrance.SignInRetry.Seconds())))
	if _, wait := h.Pages.Take(struct{}{}, 1, pagesPerMinute, time.Now()); wait == 0 {
		return h.refused(c, entrance.ErrSignInBusy.Code, fiber.StatusServiceUnavailable)
	}
	c.Set(fiber.HeaderContentType, fiber.MIMETextPlainCharsetUTF8)
	c.Set(fiber.HeaderContentLanguage, locale.Of(c.UserContext()))
	return c.Status(fiber.StatusServiceUnavailable).SendString(locale.T(c.UserContext(), entrance.ErrSignInBusy.Code) + "\n")
}

// refused shows the form again, without the password.
func (h *Handlers) refused(c *fiber.Ctx, code string, status int) error {
	v := h.loginView(c, c.FormValue("ended"), c.FormValue("seen"))
	v.Own = c.FormValue("own") != ""
	v.Email, v.Next, v.Error = c.FormValue("email"), kit.LocalPath(c.FormValue("next")), code
	return kit.Render(c, status, entranceview.Login(v))
}

// Login handles POST /login.
func (h *Handlers) Login(c *fiber.Ctx) error {
	place, _ := c.Locals(placeKey).(*entrance.Place)
	in, err := h.Entrance.SignIn(c.UserContext(), kit.Actor(c), place, entrance.Attempt{
		Email: c.FormValue("email"), Password: c.FormValue("password"), Own: c.FormValue("own") != "", Gone: kit.Gone(c),
	})
	var known *models.Error
	var wait *entrance.TooManyLogins
	switch {
	case errors.Is(err, entrance.ErrSignInBusy):
		return kit.ShownIn(err, h.busy(c))
	case errors.As(err, &wait):
		c.Set(fiber.HeaderRetryAfter, strconv.Itoa(int(math.Ceil(wait.Wait.Seconds()))))
		return kit.ShownIn(err, h.refused(c, models.ErrTooManyLogins.Code, fiber.StatusTooManyRequests))
	case errors.As(err, &known):
		return kit.ShownIn(err, h.refused(c, known.Code, fiber.StatusUnprocessableEntity))
	case err != nil:
		return err
	}
	if in.Step != "" {
		return h.goOn(c, in)
	}
	h.signedIn(c, in)
	return c.Redirect(kit.LocalPath(c.FormValue("next")), fiber.StatusSeeOther)
}

// Logout handles POST /logout.
func (h *Handlers) Logout(c *fiber.Ctx) error {
	who := kit.ReaderOf(c)
	byProvider, err := h.Entrance.Logout(c.UserContext(), who.Actor, who.Token)
	if err != nil {
		return err
	}
	h.clear(c)
	to := "/login"
	switch {
	case byProvider && h.mayLeave(c):
		to += "?" + leftQuery + "=on"
	case c.Cookies(kit.CounterCookie) != "":
		return c.Redirect(kit.CounterPath, fiber.StatusSeeOther)
	}
	return h.Done(c, to, "flash.signedOut")
}

// clear has the browser forget what it stored of a session. Its cookies go one by one:
// "cookies" would take those of the device and of the language too, and those of sister
// sites. What scripts store goes, and so do the copies of pages that Back would show.
func (h *Handlers) clear(c *fiber.Ctx) {
	for _, name := range []string{kit.SessionCookie, kit.StepCookie, kit.VisitCookie} {
		c.Cookie(h.Cookie(name, "", -1))
	}
	c.Set("Clear-Site-Data", `"cache", "storage"`)
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
