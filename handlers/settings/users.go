package settings

import (
	"fmt"
	"strings"

	"github.com/gofiber/fiber/v2"

	"veinte/handlers/kit"
	"veinte/models"
	"veinte/models/accounts"
	settingsview "veinte/views/settings"
	"veinte/views/ui"
)

// ListUsers handles GET /users.
func (h *Handlers) ListUsers(c *fiber.Ctx) error {
	users, err := h.Accounts.Users(c.UserContext(), kit.Actor(c))
	if err != nil {
		return err
	}
	stores, err := h.Stores(c)
	if err != nil {
		return err
	}
	return kit.Render(c, fiber.StatusOK, settingsview.Users(&settingsview.UsersView{Page: h.Page(c), Users: users, Stores: stores}))
}

// NewUser handles GET /users/new.
func (h *Handlers) NewUser(c *fiber.Ctx) error {
	return h.userForm(c, fiber.StatusOK, &settingsview.UserFormView{Form: settingsview.UserForm{Role: models.Manager}})
}

func (h *Handlers) userForm(c *fiber.Ctx, status int, v *settingsview.UserFormView) error {
	stores, err := h.Stores(c)
	if err != nil {
		return err
	}
	v.Page, v.Stores = h.Page(c), stores
	return kit.Render(c, status, settingsview.UserEdit(v))
}

// readUserForm reads the form.
func readUserForm(c *fiber.Ctx) settingsview.UserForm {
	form := settingsview.UserForm{
		Email: c.FormValue("email"), Name: c.FormValue("name"),
		Role: models.Role(c.FormValue("role")), AllStores: c.FormValue("allStores") == "on",
		Until: strings.TrimSpace(c.FormValue("accessUntil")),
	}
	for _, raw := range c.Request().PostArgs().PeekMulti("stores") {
		form.StoreIDs = append(form.StoreIDs, kit.ChosenID(string(raw)))
	}
	return form
}

func inputOf(f settingsview.UserForm) accounts.Input {
	return accounts.Input{Email: f.Email, Name: f.Name, Role: f.Role, AllStores: f.AllStores, StoreIDs: f.StoreIDs, AccessUntil: f.Until}
}

// CreateUser handles POST /users.
func (h *Handlers) CreateUser(c *fiber.Ctx) error {
	form := readUserForm(c)
	in := inputOf(form)
	in.Password = c.FormValue("password")
	u, err := h.Accounts.CreateUser(c.UserContext(), kit.Actor(c), in)
	if errs, status, ok := kit.Refused(err); ok {
		form.Errors = errs
		return kit.ShownIn(err, h.userForm(c, status, &settingsview.UserFormView{Form: form}))
	}
	if err != nil {
		return err
	}
	return h.Done(c, userPath(u.ID), "flash.created")
}

func userPath(id int64) string { return fmt.Sprintf("/users/%d", id) }

// ShowUser handles GET /users/:id.
func (h *Handlers) ShowUser(c *fiber.Ctx) error {
	v, err := h.userView(c)
	if err != nil {
		return err
	}
	return h.userForm(c, fiber.StatusOK, v)
}

func (h *Handlers) userView(c *fiber.Ctx) (*settingsview.UserFormView, error) {
	id, err := kit.ParamID(c)
	if err != nil {
		return nil, err
	}
	u, err := h.Accounts.User(c.UserContext(), kit.Actor(c), id)
	if err != nil {
		return nil, err
	}
	until := ""
	if u.AccessUntil != nil {
		until = string(*u.AccessUntil)
	}
	return &settingsview.UserFormView{ID: id, Disabled: u.DisabledAt != nil, Form: settingsview.UserForm{
		Email: u.Email, Name: u.Name, Role: u.Role, AllStores: u.AllStores, StoreIDs: u.StoreIDs, Until: until, Version: u.Version,
	}}, nil
}

// ChangeUser handles POST /users/:id.
func (h *Handlers) ChangeUser(c *fiber.Ctx) error {
	form := readUserForm(c)
	return h.actOnUser(c, "flash.saved", func(id int64, version int) error {
		form.Version = version
		return h.Accounts.ChangeUser(c.UserContext(), kit.Actor(c), id, version, inputOf(form))
	}, func(v *settingsview.UserFormView, errs ui.Errors) {
		v.Form = form
		v.Form.Errors = errs
	})
}

// DisableUser handles POST /users/:id/disabling.
func (h *Handlers) DisableUser(c *fiber.Ctx) error {
	return h.actOnUser(c, "flash.disabled", func(id int64, version int) error {
		return h.Accounts.DisableUser(c.UserContext(), kit.Actor(c), id, version)
	}, showOnUser)
}

// EnableUser handles POST /users/:id/enabling.
func (h *Handlers) EnableUser(c *fiber.Ctx) error {
	return h.actOnUser(c, "flash.enabled", func(id int64, version int) error {
		return h.Accounts.EnableUser(c.UserContext(), kit.Actor(c), id, version)
	}, showOnUser)
}

// ResetPassword handles POST /users/:id/password.
func (h *Handlers) ResetPassword(c *fiber.Ctx) error {
	return h.actOnUser(c, "flash.passwordReset", func(id int64, version int) error {
		return h.Accounts.ResetPassword(c.UserContext(), kit.Actor(c), id, version, c.FormValue("password"))
	}, func(v *settingsview.UserFormView, errs ui.Errors) { v.Password.Errors = errs })
}

func showOnUser(v *settingsview.UserFormView, errs ui.Errors) { v.Form.Errors = errs }

// actOnUser changes a user and redirects to their page; a refusal is shown in its
// form, with what was entered.
func (h *Handlers) actOnUser(
	c *fiber.Ctx, done string, act func(id int64, version int) error, show func(*settingsview.UserFormView, ui.Errors),
) error {
	id, err := kit.ParamID(c)
	if err != nil {
		return err
	}
	return h.Change(c, kit.ChangeForm{
		Change: func(version int) error { return act(id, version) },
		To:     userPath(id), Flash: done,
		Again: func(status int, errs ui.Errors) error {
			v, err := h.userView(c)
			if err != nil {
				return err
			}
			show(v, errs)
			return h.userForm(c, status, v)
		},
	})
}
