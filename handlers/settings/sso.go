package settings

import (
	"github.com/gofiber/fiber/v2"

	"veinte/handlers/kit"
	"veinte/models"
	"veinte/models/accounts/sso"
	settingsview "veinte/views/settings"
	"veinte/views/ui"
)

const ssoPath = "/settings/sso"

// ShowSSO handles GET /settings/sso.
func (h *Handlers) ShowSSO(c *fiber.Ctx) error {
	return h.ssoPage(c, fiber.StatusOK, newSSOView())
}

// newSSOView is the page with an empty form of a new group.
func newSSOView() *settingsview.SSOView {
	return &settingsview.SSOView{Form: settingsview.SSOGroupForm{Group: sso.Group{Role: models.Manager}}}
}

func (h *Handlers) issuer() string {
	if h.SSO == nil {
		return ""
	}
	return h.SSO.Issuer
}

func (h *Handlers) ssoPage(c *fiber.Ctx, status int, v *settingsview.SSOView) error {
	rules, err := h.Accounts.SSO(c.UserContext(), kit.Actor(c), h.issuer())
	if err != nil {
		return err
	}
	stores, err := h.Stores(c)
	if err != nil {
		return err
	}
	v.Page, v.Setup, v.Rules, v.Stores = h.Page(c), h.SSO, rules, stores
	return kit.Render(c, status, settingsview.SSO(v))
}

func ssoGroupForm(c *fiber.Ctx) settingsview.SSOGroupForm {
	return settingsview.SSOGroupForm{Group: sso.Group{
		Name: c.FormValue("name"), Role: models.Role(c.FormValue("role")),
		AllStores: c.FormValue("allStores") == "on", StoreIDs: kit.ChosenIDs(c, "stores"),
	}}
}

// AddSSOGroup handles POST /settings/sso/groups.
func (h *Handlers) AddSSOGroup(c *fiber.Ctx) error {
	form := ssoGroupForm(c)
	err := h.Accounts.AddSSOGroup(c.UserContext(), kit.Actor(c), form.Group)
	return h.Finish(c, err, ssoPath, "flash.created", func(status int, errs ui.Errors) error {
		form.Errors = errs
		return h.ssoPage(c, status, &settingsview.SSOView{Form: form})
	})
}

// ShowSSOGroup handles GET /settings/sso/groups/:id.
func (h *Handlers) ShowSSOGroup(c *fiber.Ctx, id int64) error {
	return h.ssoGroupPage(c, fiber.StatusOK, id, nil)
}

func (h *Handlers) ssoGroupPage(c *fiber.Ctx, status int, id int64, form *settingsview.SSOGroupForm) error {
	group, err := h.Accounts.SSOGroup(c.UserContext(), kit.Actor(c), id)
	if err != nil {
		return err
	}
	stores, err := h.Stores(c)
	if err != nil {
		return err
	}
	v := &settingsview.SSOGroupView{Page: h.Page(c), Group: *group, Form: settingsview.SSOGroupForm{Group: *group}, Stores: stores}
	if form != nil {
		v.Form = *form
	}
	return kit.Render(c, status, settingsview.SSOGroup(v))
}

// ChangeSSOGroup handles POST /settings/sso/groups/:id.
func (h *Handlers) ChangeSSOGroup(c *fiber.Ctx, id int64) error {
	form := ssoGroupForm(c)
	return h.Change(c, func(version int) error {
		form.ID, form.Version = id, version
		return h.Accounts.ChangeSSOGroup(c.UserContext(), kit.Actor(c), form.Group)
	}, ssoPath, "flash.saved", func(status int, errs ui.Errors) error {
		form.Errors = errs
		return h.ssoGroupPage(c, status, id, &form)
	})
}

// RemoveSSOGroup handles POST /settings/sso/groups/:id/removal.
func (h *Handlers) RemoveSSOGroup(c *fiber.Ctx, id int64) error {
	return h.Change(c, func(version int) error {
		return h.Accounts.RemoveSSOGroup(c.UserContext(), kit.Actor(c), id, version)
	}, ssoPath, "flash.groupRemoved", func(status int, errs ui.Errors) error {
		return h.ssoPage(c, status, &settingsview.SSOView{Form: settingsview.SSOGroupForm{Errors: errs}})
	})
}

// AllowSSOLink handles POST /settings/sso/links.
func (h *Handlers) AllowSSOLink(c *fiber.Ctx) error {
	err := h.Accounts.AllowSSOLink(c.UserContext(), kit.Actor(c), kit.ChosenID(c.FormValue("person")), h.issuer())
	return h.Finish(c, err, ssoPath, "flash.saved", func(status int, errs ui.Errors) error {
		v := newSSOView()
		v.Errors = errs
		return h.ssoPage(c, status, v)
	})
}

// SetPasswordRule handles POST /settings/sso/password.
func (h *Handlers) SetPasswordRule(c *fiber.Ctx) error {
	var breakGlass int64
	if c.FormValue("off") == "on" {
		if breakGlass = kit.ChosenID(c.FormValue("keeper")); breakGlass == 0 {
			breakGlass = kit.NoID
		}
	}
	err := h.Accounts.SetPasswordRule(c.UserContext(), kit.Actor(c), breakGlass)
	return h.Finish(c, err, ssoPath, "flash.saved", func(status int, errs ui.Errors) error {
		v := newSSOView()
		v.PasswordErrors, v.Keeper = errs, c.FormValue("keeper")
		return h.ssoPage(c, status, v)
	})
}

// TrustAddresses handles POST /settings/sso/addresses.
func (h *Handlers) TrustAddresses(c *fiber.Ctx) error {
	err := h.Accounts.TrustAddresses(c.UserContext(), kit.Actor(c), c.FormValue("trust") == "on")
	return h.FinishAt(c, err, ssoPath, "flash.saved")
}
