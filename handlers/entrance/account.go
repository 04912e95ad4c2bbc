package entrance

import (
	"context"
	"strconv"

	"github.com/gofiber/fiber/v2"

	"veinte/handlers/kit"
	"veinte/models"
	"veinte/models/entrance"
	entranceview "veinte/views/entrance"
	"veinte/views/ui"
)

// own is what people need of the accounts for their own.
type own interface {
	SessionsOf(ctx context.Context, actor models.Actor, userID int64) ([]entrance.OpenSession, error)
	EndOwnSession(ctx context.Context, actor models.Actor, id int64) error
	DevicesOf(ctx context.Context, actor models.Actor, userID int64) ([]entrance.KnownDevice, error)
	ForgetOwnDevice(ctx context.Context, actor models.Actor, id int64) error
	OwnSignIns(ctx context.Context, actor models.Actor) ([]entrance.SignIn, error)
	HasPassword(ctx context.Context, actor models.Actor) (bool, error)
	ChangePassword(ctx context.Context, actor models.Actor, p entrance.OwnPassword) error
	SetPassword(ctx context.Context, reader models.Actor, token, password, cookie string) (device string, err error)
}

// ShowAccount handles GET /account.
func (h *Handlers) ShowAccount(c *fiber.Ctx) error {
	return h.account(c, fiber.StatusOK, &entranceview.AccountView{})
}

// account shows the page, with what was refused in one of its forms.
func (h *Handlers) account(c *fiber.Ctx, status int, v *entranceview.AccountView) error {
	who := kit.Actor(c)
	open, err := h.Entrance.SessionsOf(c.UserContext(), who, who.UserID)
	if err != nil {
		return err
	}
	known, err := h.Entrance.DevicesOf(c.UserContext(), who, who.UserID)
	if err != nil {
		return err
	}
	signIns, err := h.Entrance.OwnSignIns(c.UserContext(), who)
	if err != nil {
		return err
	}
	v.Page, v.SignIns = h.Page(c), signInLines(signIns)
	v.Sessions, v.Devices = kit.SessionLines(open, who.Session.ID), kit.DeviceLines(known, who.Session.DeviceID)
	if err := h.fillCounters(c, v); err != nil {
		return err
	}
	if v.Password, err = h.Entrance.HasPassword(c.UserContext(), who); err != nil {
		return err
	}
	return kit.Render(c, status, entranceview.Account(v))
}

// ChangePassword handles POST /account/password.
func (h *Handlers) ChangePassword(c *fiber.Ctx) error {
	err := checkAgain(c.FormValue("password"), c.FormValue("again"))
	if err == nil {
		err = h.changePassword(c)
	}
	return h.Finish(c, err, "/account", "flash.passwordChanged", func(status int, errs ui.Errors) error {
		return h.account(c, status, &entranceview.AccountView{Errors: errs})
	})
}

func (h *Handlers) changePassword(c *fiber.Ctx) error {
	place, err := h.Entrance.Admit(c.UserContext(), kit.Actor(c), c.Cookies(kit.DeviceCookie))
	if err != nil {
		return err
	}
	defer place.Leave()
	return h.Entrance.ChangePassword(c.UserContext(), kit.Actor(c), entrance.OwnPassword{
		Current: c.FormValue("current"), New: c.FormValue("password"), Place: place, Gone: kit.Gone(c),
	})
}

// EndSession handles POST /account/sessions: one of the person's other sessions, or all.
func (h *Handlers) EndSession(c *fiber.Ctx) error {
	id, err := kit.SessionID(c)
	if err != nil {
		return err
	}
	err = h.Entrance.EndOwnSession(c.UserContext(), kit.Actor(c), id)
	return h.FinishAt(c, err, "/account", "flash.sessionsEnded")
}

// ForgetDevice handles POST /account/devices. Whoever forgets the browser that they use is
// signed out with it.
func (h *Handlers) ForgetDevice(c *fiber.Ctx) error {
	id, err := kit.DeviceID(c)
	if err != nil {
		return err
	}
	who := kit.Actor(c)
	err = h.Entrance.ForgetOwnDevice(c.UserContext(), who, id)
	if err == nil && id == who.Session.DeviceID {
		h.clear(c)
		return h.Done(c, "/login", "flash.deviceForgotten")
	}
	return h.FinishAt(c, err, "/account", "flash.deviceForgotten")
}

// signInLines are a person's sign-ins as the page lists them.
func signInLines(all []entrance.SignIn) []entranceview.SignInLine {
	lines := make([]entranceview.SignInLine, len(all))
	for i, s := range all {
		lines[i] = entranceview.SignInLine{
			At: s.At, In: s.Outcome == models.OutcomeSuccess, Why: s.Reason, Way: s.Way, New: s.NewDevice, More: s.More,
			Agent: ui.Agent(s.UserAgent), Address: s.Address,
		}
	}
	return lines
}

// DismissNotice handles POST /account/notices: the person has read what happened to their
// account.
func (h *Handlers) DismissNotice(c *fiber.Ctx) error {
	id, err := strconv.ParseInt(c.FormValue("notice"), 10, 64)
	if err != nil || id <= 0 {
		return kit.ErrBadInput
	}
	if err := h.Accounts.DismissNotice(c.UserContext(), kit.Actor(c), id); err != nil {
		return err
	}
	return c.Redirect(kit.LocalPath(c.FormValue("next")), fiber.StatusSeeOther)
}
