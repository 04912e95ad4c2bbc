package settings

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/gofiber/fiber/v2"

	"veinte/handlers/kit"
	"veinte/models"
	"veinte/models/accounts"
	"veinte/models/accounts/proposals"
	"veinte/models/audit"
	"veinte/models/database"
	"veinte/models/entrance"
	"veinte/models/entrance/factors"
	settingsview "veinte/views/settings"
	"veinte/views/ui"
	"veinte/views/words"
)

// ListUsers handles GET /users?q&role&cursor.
func (h *Handlers) ListUsers(c *fiber.Ctx) error {
	f := accounts.PeopleFilter{Query: kit.Clip(c.Query("q"), 80), Role: models.Role(kit.Clip(c.Query("role"), 20)), Cursor: c.Query("cursor")}
	status, errs := fiber.StatusOK, ui.Errors(nil)
	list, err := h.Accounts.People(c.UserContext(), kit.Actor(c), f)
	if e, code, ok := kit.Refused(err); ok && e[""] == "" {
		list, errs, status, err = &accounts.PeoplePage{}, e, code, nil
	}
	if err != nil {
		return err
	}
	stores, err := h.Stores(c)
	if err != nil {
		return err
	}
	waiting, err := h.Proposals.Waiting(c.UserContext(), kit.Actor(c))
	if err != nil {
		return err
	}
	return kit.Render(c, status, settingsview.Users(&settingsview.UsersView{
		Page: h.Page(c), Filter: f, List: *list, Stores: stores, Proposals: waiting, Errors: errs,
	}))
}

const accessPath = "/settings/access"

// ShowAccess handles GET /settings/access: the rules of who proves what when they come in.
func (h *Handlers) ShowAccess(c *fiber.Ctx) error {
	rules, err := h.Entrance.FactorRules(c.UserContext())
	if err != nil {
		return err
	}
	asks, err := h.Entrance.AsksProof(c.UserContext())
	if err != nil {
		return err
	}
	return kit.Render(c, fiber.StatusOK, settingsview.Access(&settingsview.AccessView{Page: h.Page(c), FactorRules: rules, AsksProof: asks}))
}

// SetFactorRules handles POST /users/factors.
func (h *Handlers) SetFactorRules(c *fiber.Ctx) error {
	rules := map[models.Role]factors.Ask{}
	for _, role := range models.Roles {
		if ask := c.FormValue(string(role)); ask != "" {
			rules[role] = factors.Ask(ask)
		}
	}
	err := h.Entrance.SetFactorRules(c.UserContext(), kit.Actor(c), rules)
	return h.FinishAt(c, err, accessPath, "flash.saved")
}

// SetAsksProof handles POST /users/proof.
func (h *Handlers) SetAsksProof(c *fiber.Ctx) error {
	ask := c.FormValue("ask")
	if ask != "on" && ask != "off" {
		return kit.ErrBadInput
	}
	err := h.Entrance.SetAsksProof(c.UserContext(), kit.Actor(c), ask == "on")
	return h.FinishAt(c, err, accessPath, "flash.saved")
}

// EndSessions handles POST /users/:id/sessions: one session of the person, or all.
func (h *Handlers) EndSessions(c *fiber.Ctx, id int64) error {
	session, err := kit.SessionID(c)
	if err != nil {
		return err
	}
	err = h.Entrance.EndSessionsOf(c.UserContext(), kit.Actor(c), id, session)
	return h.FinishAt(c, err, userPath(id), "flash.sessionsEnded")
}

// ForgetDevice handles POST /users/:id/devices.
func (h *Handlers) ForgetDevice(c *fiber.Ctx, id int64) error {
	device, err := kit.DeviceID(c)
	if err != nil {
		return err
	}
	err = h.Entrance.ForgetDeviceOf(c.UserContext(), kit.Actor(c), id, device)
	return h.FinishAt(c, err, userPath(id), "flash.deviceForgotten")
}

// ResetFactors handles POST /users/:id/factors.
func (h *Handlers) ResetFactors(c *fiber.Ctx, id int64) error {
	err := h.Entrance.ResetFactors(c.UserContext(), kit.Actor(c), id)
	return h.FinishAt(c, err, userPath(id), "flash.factorsReset")
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
	if v.Second, err = h.Proposals.Needed(c.UserContext(), kit.Actor(c), proposals.Person(v.ID)); err != nil {
		return err
	}
	v.Page, v.Stores = h.Page(c), stores
	return kit.Render(c, status, settingsview.UserEdit(v))
}

// readUserForm reads the form.
func readUserForm(c *fiber.Ctx) settingsview.UserForm {
	return settingsview.UserForm{
		Email: c.FormValue("email"), Name: c.FormValue("name"),
		Role: models.Role(c.FormValue("role")), AllStores: c.FormValue("allStores") == "on",
		StoreIDs: kit.ChosenIDs(c, "stores"), Until: strings.TrimSpace(c.FormValue("accessUntil")),
	}
}

func inputOf(f settingsview.UserForm) accounts.Input {
	return accounts.Input{Email: f.Email, Name: f.Name, Role: f.Role, AllStores: f.AllStores, StoreIDs: f.StoreIDs, AccessUntil: f.Until}
}

// CreateUser handles POST /users.
func (h *Handlers) CreateUser(c *fiber.Ctx) error {
	form := readUserForm(c)
	u, link, err := h.Accounts.Invite(c.UserContext(), kit.Actor(c), inputOf(form))
	if err != nil {
		return kit.ShowAgain(err, func(status int, errs ui.Errors) error {
			form.Errors = errs
			return h.userForm(c, status, &settingsview.UserFormView{Form: form})
		})
	}
	return h.linkPage(c, link, u.DisabledAt != nil)
}

// MakeLink handles POST /users/:id/link.
func (h *Handlers) MakeLink(c *fiber.Ctx, id int64) error {
	link, err := h.Accounts.MakeLink(c.UserContext(), kit.Actor(c), id)
	if err != nil {
		return kit.ShowAgain(err, func(status int, errs ui.Errors) error {
			return h.userPage(c, status, id, func(v *settingsview.UserView) { v.LinkErrors = errs })
		})
	}
	return h.linkPage(c, link, false)
}

// linkPage shows a link, once: it is not stored, so a redirect could not show it. It may
// wait for another administrator.
func (h *Handlers) linkPage(c *fiber.Ctx, link *accounts.Link, waits bool) error {
	return kit.Render(c, fiber.StatusOK, settingsview.UserLink(&settingsview.UserLinkView{
		Page: h.Page(c), Link: link, Address: h.BaseURL + accounts.LinkPath + link.Token, Waits: waits,
	}))
}

func userPath(id int64) string { return fmt.Sprintf("/users/%d", id) }

// lastActs is how many acts of a person their page tells.
const lastActs = 8

// ShowUser handles GET /users/:id.
func (h *Handlers) ShowUser(c *fiber.Ctx, id int64) error {
	return h.userPage(c, fiber.StatusOK, id, func(*settingsview.UserView) {})
}

// userPage is a person as a place; show puts in why an act there was refused.
func (h *Handlers) userPage(c *fiber.Ctx, status int, id int64, show func(*settingsview.UserView)) error {
	v, err := h.userView(c, id)
	if err != nil {
		return err
	}
	if v.Stores, err = h.Stores(c); err != nil {
		return err
	}
	// To say why an act was refused is no reading of the trail.
	if status == fiber.StatusOK && kit.Actor(c).May(models.ReadAudit) {
		if err := h.addActs(c, v); err != nil {
			return err
		}
	}
	show(v)
	return kit.Render(c, status, settingsview.User(v))
}

// addActs adds the person's last acts, for those who may read the trail.
func (h *Handlers) addActs(c *fiber.Ctx, v *settingsview.UserView) (err error) {
	f := audit.Filter{ActorID: v.User.ID}
	if v.Acts, err = h.Latest(c.UserContext(), kit.Actor(c), f.Listed(), lastActs); err != nil {
		return err
	}
	dir, err := h.Directory(c.UserContext())
	if err != nil {
		return err
	}
	v.Names = words.NewAuditNames(v.Stores, []words.Person{{ID: v.User.ID, Name: v.User.Name}}, v.Zone())
	v.Names.Terminals = make(map[string]string, len(dir.Terminals))
	for _, t := range dir.Terminals {
		v.Names.Terminals[string(t.SerialNumber)] = t.Label
	}
	return nil
}

func (h *Handlers) userView(c *fiber.Ctx, id int64) (*settingsview.UserView, error) {
	v, who := &settingsview.UserView{}, kit.Actor(c)
	var open []entrance.OpenSession
	var known []entrance.KnownDevice
	err := database.Together(c.UserContext(), func(ctx context.Context) error {
		u, err := h.Accounts.User(ctx, who, id)
		if err == nil {
			v.User, v.HasPassword = *u, u.PasswordHash != ""
			v.User.PasswordHash = "" // no page needs it
		}
		return err
	}, func(ctx context.Context) (err error) {
		v.NameBlocked, err = h.Accounts.NameBlocked(ctx, id)
		return err
	}, func(ctx context.Context) (err error) {
		v.SignedInAt, err = h.Accounts.LastSignIn(ctx, who, id)
		return err
	}, func(ctx context.Context) (err error) {
		if v.Link, err = h.Accounts.LastLink(ctx, who, id); errors.Is(err, models.ErrNotFound) {
			v.Link, err = nil, nil
		}
		return err
	}, func(ctx context.Context) (err error) {
		v.Factors, err = h.Entrance.Factors(ctx, who, id)
		return err
	}, func(ctx context.Context) (err error) {
		v.Waiting, err = h.Cancellations.WaitingOf(ctx, id)
		return err
	}, func(ctx context.Context) (err error) {
		open, err = h.Entrance.SessionsOf(ctx, who, id)
		return err
	}, func(ctx context.Context) (err error) {
		known, err = h.Entrance.DevicesOf(ctx, who, id)
		return err
	})
	if err != nil {
		return nil, err
	}
	v.Page = h.Page(c)
	here := int64(0) // a counter that the administrator shares with them is not marked
	if id == who.UserID {
		here = who.Session.DeviceID
	}
	v.Sessions, v.Devices = kit.SessionLines(open, who.Session.ID), kit.DeviceLines(known, here)
	v.Proposal, err = h.Proposals.Of(c.UserContext(), who, proposals.Person(id))
	return v, err
}

// EditUser handles GET /users/:id/edit.
func (h *Handlers) EditUser(c *fiber.Ctx, id int64) error {
	form, err := h.storedForm(c, id)
	if err != nil {
		return err
	}
	return h.userForm(c, fiber.StatusOK, &settingsview.UserFormView{ID: id, Form: form})
}

// storedForm is the form of a person as they are.
func (h *Handlers) storedForm(c *fiber.Ctx, id int64) (form settingsview.UserForm, err error) {
	u, err := h.Accounts.User(c.UserContext(), kit.Actor(c), id)
	if err != nil {
		return form, err
	}
	form = settingsview.UserForm{
		Email: u.Email, Name: u.Name, Role: u.Role, AllStores: u.AllStores, StoreIDs: u.StoreIDs, Version: u.Version,
	}
	if u.AccessUntil != nil {
		form.Until = string(*u.AccessUntil)
	}
	return form, nil
}

// ChangeUser handles POST /users/:id.
func (h *Handlers) ChangeUser(c *fiber.Ctx, id int64) error {
	form := readUserForm(c)
	return h.changeUser(c, id, "flash.saved", func(ctx context.Context, actor models.Actor, id int64, version int) error {
		form.Version = version
		return h.Accounts.ChangeUser(ctx, actor, id, version, inputOf(form))
	}, func(status int, errs ui.Errors) error {
		is, err := h.storedForm(c, id)
		if err != nil {
			return err
		}
		if id == kit.Actor(c).UserID { // the page has no fields for one's own rights
			form.Role, form.AllStores, form.StoreIDs, form.Until = is.Role, is.AllStores, is.StoreIDs, is.Until
		}
		form.Errors = errs
		return h.userForm(c, status, &settingsview.UserFormView{ID: id, Form: form})
	})
}

// DisableUser handles POST /users/:id/disabling.
func (h *Handlers) DisableUser(c *fiber.Ctx, id int64) error {
	disable := h.Accounts.DisableUser
	if c.FormValue("keep") == "on" {
		disable = h.Accounts.DisableUserOnly
	}
	return h.actOnUser(c, id, "flash.disabled", disable)
}

// EnableUser handles POST /users/:id/enabling.
func (h *Handlers) EnableUser(c *fiber.Ctx, id int64) error {
	return h.actOnUser(c, id, "flash.enabled", h.Accounts.EnableUser)
}

// BlockName handles POST /users/:id/blocking.
func (h *Handlers) BlockName(c *fiber.Ctx, id int64) error {
	return h.actOnUser(c, id, "flash.nameBlocked", h.Accounts.BlockName)
}

// UnblockName handles POST /users/:id/unblocking.
func (h *Handlers) UnblockName(c *fiber.Ctx, id int64) error {
	return h.actOnUser(c, id, "flash.nameUnblocked", h.Accounts.UnblockName)
}

// actOnUser does an act of the person's page, which shows why it was refused.
func (h *Handlers) actOnUser(c *fiber.Ctx, id int64, done string, act kit.ChangeByID) error {
	return h.changeUser(c, id, done, act, func(status int, errs ui.Errors) error {
		return h.userPage(c, status, id, func(v *settingsview.UserView) { v.Errors = errs })
	})
}

// changeUser changes a user and redirects to their page; what waits for another
// administrator then is said there.
func (h *Handlers) changeUser(c *fiber.Ctx, id int64, done string, act kit.ChangeByID, again kit.Again) error {
	version, err := kit.FormVersion(c)
	if err != nil {
		return err
	}
	before, err := h.Proposals.Of(c.UserContext(), kit.Actor(c), proposals.Person(id))
	if err != nil {
		return err
	}
	err = act.At(c, id)(version)
	if err == nil {
		after, err := h.Proposals.Of(c.UserContext(), kit.Actor(c), proposals.Person(id))
		if err != nil {
			return err
		}
		if after != nil && (before == nil || after.ID != before.ID) {
			done = "flash.asked"
		}
	}
	return h.Finish(c, err, userPath(id), done, again)
}

// AnswerProposal handles POST /users/:id/proposal.
func (h *Handlers) AnswerProposal(c *fiber.Ctx, id int64) error {
	answer := proposals.Answer(c.FormValue("answer"))
	return h.actOnUser(c, id, "flash.proposal."+string(answer), func(ctx context.Context, actor models.Actor, id int64, version int) error {
		return h.Proposals.Answer(ctx, actor, proposals.Person(id), answer, kit.ChosenID(c.FormValue("proposal")), version)
	})
}
