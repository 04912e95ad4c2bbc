package handlers

import (
	"fmt"
	"strings"

	"github.com/gofiber/fiber/v2"

	"veinte/models"
	"veinte/models/accounts"
	settingsview "veinte/views/settings"
	"veinte/views/ui"
)

// listUsers answers GET /users.
func (h *Handlers) listUsers(c *fiber.Ctx) error {
	users, err := h.Accounts.Users(c.UserContext(), actor(c))
	if err != nil {
		return err
	}
	stores, err := h.stores(c)
	if err != nil {
		return err
	}
	return render(c, fiber.StatusOK, settingsview.Users(&settingsview.UsersView{Page: h.page(c), Users: users, Stores: stores}))
}

// newUser answers GET /users/new.
func (h *Handlers) newUser(c *fiber.Ctx) error {
	return h.userForm(c, fiber.StatusOK, &settingsview.UserFormView{Form: settingsview.UserForm{Role: models.Manager}})
}

func (h *Handlers) userForm(c *fiber.Ctx, status int, v *settingsview.UserFormView) error {
	stores, err := h.stores(c)
	if err != nil {
		return err
	}
	v.Page, v.Stores = h.page(c), stores
	return render(c, status, settingsview.UserEdit(v))
}

// enteredUser reads the form.
func enteredUser(c *fiber.Ctx) settingsview.UserForm {
	form := settingsview.UserForm{
		Email: c.FormValue("email"), Name: c.FormValue("name"),
		Role: models.Role(c.FormValue("role")), AllStores: c.FormValue("allStores") == "on",
		Until: strings.TrimSpace(c.FormValue("accessUntil")),
	}
	for _, raw := range c.Request().PostArgs().PeekMulti("stores") {
		form.StoreIDs = append(form.StoreIDs, chosenID(string(raw)))
	}
	return form
}

func inputOf(f settingsview.UserForm) accounts.Input {
	return accounts.Input{Email: f.Email, Name: f.Name, Role: f.Role, AllStores: f.AllStores, StoreIDs: f.StoreIDs, AccessUntil: f.Until}
}

// createUser answers POST /users.
func (h *Handlers) createUser(c *fiber.Ctx) error {
	form := enteredUser(c)
	in := inputOf(form)
	in.Password = c.FormValue("password")
	u, err := h.Accounts.CreateUser(c.UserContext(), actor(c), in)
	if errs, status, ok := refused(err); ok {
		form.Errors = errs
		return shownIn(err, h.userForm(c, status, &settingsview.UserFormView{Form: form}))
	}
	if err != nil {
		return err
	}
	return h.done(c, userPath(u.ID), "flash.created")
}

func userPath(id int64) string { return fmt.Sprintf("/users/%d", id) }

// showUser answers GET /users/:id.
func (h *Handlers) showUser(c *fiber.Ctx) error {
	v, err := h.userView(c)
	if err != nil {
		return err
	}
	return h.userForm(c, fiber.StatusOK, v)
}

func (h *Handlers) userView(c *fiber.Ctx) (*settingsview.UserFormView, error) {
	id, err := paramID(c)
	if err != nil {
		return nil, err
	}
	u, err := h.Accounts.User(c.UserContext(), actor(c), id)
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

// changeUser answers POST /users/:id.
func (h *Handlers) changeUser(c *fiber.Ctx) error {
	form := enteredUser(c)
	return h.actOnUser(c, "flash.saved", func(id int64, version int) error {
		form.Version = version
		return h.Accounts.ChangeUser(c.UserContext(), actor(c), id, version, inputOf(form))
	}, func(v *settingsview.UserFormView, errs ui.Errors) {
		v.Form = form
		v.Form.Errors = errs
	})
}

// disableUser answers POST /users/:id/disabling.
func (h *Handlers) disableUser(c *fiber.Ctx) error {
	return h.actOnUser(c, "flash.disabled", func(id int64, version int) error {
		return h.Accounts.DisableUser(c.UserContext(), actor(c), id, version)
	}, showOnUser)
}

// enableUser answers POST /users/:id/enabling.
func (h *Handlers) enableUser(c *fiber.Ctx) error {
	return h.actOnUser(c, "flash.enabled", func(id int64, version int) error {
		return h.Accounts.EnableUser(c.UserContext(), actor(c), id, version)
	}, showOnUser)
}

// resetPassword answers POST /users/:id/password.
func (h *Handlers) resetPassword(c *fiber.Ctx) error {
	return h.actOnUser(c, "flash.passwordReset", func(id int64, version int) error {
		return h.Accounts.ResetPassword(c.UserContext(), actor(c), id, version, c.FormValue("password"))
	}, func(v *settingsview.UserFormView, errs ui.Errors) { v.Password.Errors = errs })
}

func showOnUser(v *settingsview.UserFormView, errs ui.Errors) { v.Form.Errors = errs }

// actOnUser changes a person and goes back to their page; a refusal is shown in
// the form it came from, with what was entered.
func (h *Handlers) actOnUser(c *fiber.Ctx, done string, act func(id int64, version int) error, show func(*settingsview.UserFormView, ui.Errors)) error {
	id, err := paramID(c)
	if err != nil {
		return err
	}
	version, err := formVersion(c)
	if err != nil {
		return err
	}
	err = act(id, version)
	errs, status, ok := refused(err)
	if !ok {
		if err != nil {
			return err
		}
		return h.done(c, userPath(id), done)
	}
	v, reading := h.userView(c)
	if reading != nil {
		return reading
	}
	show(v, errs)
	return shownIn(err, h.userForm(c, status, v))
}
