package entrance

import (
	"context"
	"errors"
	"math"
	"net/url"
	"strconv"

	"github.com/gofiber/fiber/v2"

	"veinte/handlers/kit"
	"veinte/models"
	"veinte/models/entrance"
	entranceview "veinte/views/entrance"
	"veinte/views/locale"
	"veinte/views/ui"
)

// stepPath is the second step of a sign-in.
const stepPath = "/login/code"

// second is what the second step needs of the accounts.
type second interface {
	SecondStep(ctx context.Context, token string) (*entrance.Step, error)
	TakeStep(ctx context.Context, from models.Actor, token string, given entrance.Given) (*entrance.Taken, error)
}

// goOn leads from the password to the second step. There is no session yet: only the
// pages of that step read its cookie.
func (h *Handlers) goOn(c *fiber.Ctx, in *entrance.SignedIn) error {
	c.Cookie(h.Cookie(kit.StepCookie, in.Step, int(entrance.StepLife.Seconds())))
	to := stepPath
	if next := kit.LocalPath(c.FormValue("next")); next != "/" {
		to += "?" + url.Values{"next": {next}}.Encode()
	}
	return c.Redirect(to, fiber.StatusSeeOther)
}

// ShowStep handles GET /login/code.
func (h *Handlers) ShowStep(c *fiber.Ctx) error {
	return h.stepForm(c, fiber.StatusOK, c.Query("next"), nil)
}

func (h *Handlers) stepForm(c *fiber.Ctx, status int, next string, errs ui.Errors) error {
	step, err := h.Entrance.SecondStep(c.UserContext(), c.Cookies(kit.StepCookie))
	if errors.Is(err, entrance.ErrStepOver) {
		return h.stepOver(c, next)
	}
	if err != nil {
		return err
	}
	v := &entranceview.StepView{Page: h.Page(c), Email: step.Email, Next: kit.LocalPath(next), Errors: errs}
	v.Path = stepPath
	v.Passkeys, v.App = h.passkeysHere(c), step.App
	v.Passkeys.Has = step.Passkeys
	if step.Setup {
		v.Key, v.URL = step.Secret.Key(), step.Secret.URL()
	}
	return kit.Render(c, status, entranceview.Step(v))
}

// stepOver leads to where the step begins, with why when one was there.
func (h *Handlers) stepOver(c *fiber.Ctx, next string) error {
	to := "/login"
	if next = kit.LocalPath(next); next != "/" {
		to += "?" + url.Values{"next": {next}}.Encode()
	}
	if c.Cookies(kit.StepCookie) == "" {
		return c.Redirect(to, fiber.StatusSeeOther)
	}
	c.Cookie(h.Cookie(kit.StepCookie, "", -1))
	return h.RedirectWith(c, to, ui.FlashProblem, entrance.ErrStepOver.Code)
}

// TakeStep handles POST /login/code.
func (h *Handlers) TakeStep(c *fiber.Ctx) error {
	given := entrance.Given{Code: c.FormValue("code"), Passkey: c.FormValue("passkey"), Name: locale.T(c.UserContext(), "passkey.firstName")}
	if given == (entrance.Given{Name: given.Name}) && c.FormValue("with") == "passkey" {
		return h.stepForm(c, fiber.StatusUnprocessableEntity, c.FormValue("next"), ui.Errors{"passkey": errNoScript})
	}
	taken, err := h.Entrance.TakeStep(c.UserContext(), kit.Actor(c), c.Cookies(kit.StepCookie), given)
	var wait *entrance.TooManyLogins
	switch {
	case errors.Is(err, entrance.ErrStepOver):
		return kit.ShownIn(err, h.stepOver(c, c.FormValue("next")))
	case errors.As(err, &wait):
		c.Set(fiber.HeaderRetryAfter, strconv.Itoa(int(math.Ceil(wait.Wait.Seconds()))))
		errs := ui.Errors{"code": models.ErrTooManyLogins.Code}
		return kit.ShownIn(err, h.stepForm(c, fiber.StatusTooManyRequests, c.FormValue("next"), errs))
	case err != nil:
		return kit.ShowAgain(err, func(status int, errs ui.Errors) error { return h.stepForm(c, status, c.FormValue("next"), errs) })
	}
	h.signedIn(c, taken.SignedIn)
	c.Cookie(h.Cookie(kit.StepCookie, "", -1))
	next := kit.LocalPath(c.FormValue("next"))
	switch {
	case taken.Recovery != nil:
		v := &entranceview.RecoveryView{
			Page: h.Page(c), Email: taken.User.Email, Codes: taken.Recovery, Next: next,
			Lead: "factor.recoveryLead",
		}
		// The switch of language leads on: codes are shown once.
		v.Path = stepPath + "?" + url.Values{"next": {next}}.Encode()
		return kit.Render(c, fiber.StatusOK, entranceview.Recovery(v))
	case taken.Used && taken.Left == 0:
		return h.RedirectWith(c, next, ui.FlashProblem, "flash.recoveryLast")
	case taken.Used:
		return h.Done(c, next, "flash.recoveryUsed")
	}
	return c.Redirect(next, fiber.StatusSeeOther)
}

// signedIn gives the browser the cookies of a session.
func (h *Handlers) signedIn(c *fiber.Ctx, in *entrance.SignedIn) {
	c.Cookie(h.Cookie(kit.SessionCookie, in.Token, int(entrance.SessionLife.Seconds())))
	c.Cookie(h.Cookie(kit.DeviceCookie, in.Device, int(entrance.DeviceLife.Seconds())))
	c.Cookie(h.Cookie(kit.VisitCookie, "", -1))
}
