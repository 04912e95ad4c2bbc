package entrance

import (
	"context"
	"errors"

	"github.com/gofiber/fiber/v2"

	"veinte/handlers/kit"
	"veinte/models"
	"veinte/models/accounts"
	"veinte/models/entrance"
	entranceview "veinte/views/entrance"
	"veinte/views/ui"
)

// ShowPassword handles GET /password/:token. It uses nothing up: programs that look into
// letters open their links.
func (h *Handlers) ShowPassword(c *fiber.Ctx) error {
	link, err := h.Accounts.OpenLink(c.UserContext(), kit.Actor(c), c.Params("token"))
	if err != nil {
		return h.linkRefused(c, link, err)
	}
	return h.passwordForm(c, fiber.StatusOK, link, nil)
}

// SetPassword handles POST /password/:token.
func (h *Handlers) SetPassword(c *fiber.Ctx) error {
	token, password := c.Params("token"), c.FormValue("password")
	err := checkAgain(password, c.FormValue("again"))
	if err == nil {
		var device string
		if device, err = h.Entrance.SetPassword(c.UserContext(), kit.Actor(c), token, password, c.Cookies(kit.DeviceCookie)); err == nil {
			c.Cookie(h.Cookie(kit.DeviceCookie, device, int(entrance.DeviceLife.Seconds())))
			return h.Done(c, "/login", "flash.passwordSet")
		}
	}
	link, over := h.Accounts.OpenLink(c.UserContext(), kit.Actor(c), token)
	if over != nil {
		return h.linkRefused(c, link, over)
	}
	return kit.ShowAgain(err, func(status int, errs ui.Errors) error { return h.passwordForm(c, status, link, errs) })
}

// checkAgain refuses a password that was typed otherwise the second time.
func checkAgain(password, again string) error {
	if password != again {
		return models.Invalid("again", "password.differs")
	}
	return nil
}

func (h *Handlers) passwordForm(c *fiber.Ctx, status int, link *accounts.Link, errs ui.Errors) error {
	v := &entranceview.PasswordView{Page: h.linkPage(c), Link: link, Errors: errs}
	return kit.Render(c, status, entranceview.Password(v))
}

// linkRefused shows why a link does not open.
func (h *Handlers) linkRefused(c *fiber.Ctx, link *accounts.Link, err error) error {
	var known *models.Error
	if !errors.As(err, &known) {
		return err
	}
	v := &entranceview.PasswordView{Page: h.linkPage(c), Link: link, Refused: known.Code}
	status := fiber.StatusGone
	switch known {
	case accounts.ErrLinkUnknown:
		status = fiber.StatusNotFound
	case accounts.ErrLinkOfOther:
		status = fiber.StatusConflict
	}
	return kit.ShownIn(err, kit.Render(c, status, entranceview.PasswordRefused(v)))
}

// linkPage is the page of a link, whose address is a secret that its owner has.
func (h *Handlers) linkPage(c *fiber.Ctx) ui.Page {
	p := h.Page(c)
	p.Path = c.Path()
	return p
}

// passwords is what these pages need of the accounts.
type passwords interface {
	OpenLink(ctx context.Context, reader models.Actor, token string) (*accounts.Link, error)
}
