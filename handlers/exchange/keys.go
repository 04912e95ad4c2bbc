package exchange

import (
	"fmt"
	"strconv"

	"github.com/gofiber/fiber/v2"

	"veinte/handlers/kit"
	"veinte/models/accounts/proposals"
	"veinte/models/apikeys"
	exchangeview "veinte/views/exchange"
	"veinte/views/ui"
)

// ListKeys handles GET /settings/keys.
func (h *Handlers) ListKeys(c *fiber.Ctx) error {
	keys, err := h.APIKeys.Keys(c.UserContext(), kit.Actor(c))
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
	v := &exchangeview.KeysView{Page: h.Page(c), Keys: keys, Stores: stores, Proposals: waiting}
	return kit.Render(c, fiber.StatusOK, exchangeview.Keys(v))
}

// NewKey handles GET /settings/keys/new.
func (h *Handlers) NewKey(c *fiber.Ctx) error {
	return h.keyForm(c, fiber.StatusOK, exchangeview.KeyForm{Pace: apikeys.PaceNormal, Days: 365})
}

func (h *Handlers) keyForm(c *fiber.Ctx, status int, form exchangeview.KeyForm) error {
	stores, err := h.Stores(c)
	if err != nil {
		return err
	}
	second, err := h.Proposals.Needed(c.UserContext(), kit.Actor(c), proposals.Key(0))
	if err != nil {
		return err
	}
	v := &exchangeview.KeyFormView{Page: h.Page(c), Stores: stores, Form: form, Second: second}
	return kit.Render(c, status, exchangeview.KeyNew(v))
}

// CreateKey handles POST /settings/keys with the secret. The secret is not stored,
// so a redirect could not show it.
func (h *Handlers) CreateKey(c *fiber.Ctx) error {
	form := exchangeview.KeyForm{
		Name: c.FormValue("name"), AllStores: c.FormValue("allStores") == "on", StoreIDs: kit.ChosenIDs(c, "stores"),
		Pace: apikeys.Pace(c.FormValue("pace")), Days: wholeNumber(c.FormValue("days")),
	}
	for _, raw := range c.Request().PostArgs().PeekMulti("scopes") {
		form.Scopes = append(form.Scopes, apikeys.Scope(raw))
	}
	key, secret, err := h.APIKeys.CreateKey(c.UserContext(), kit.Actor(c), apikeys.Input{
		Name: form.Name, Scopes: form.Scopes, AllStores: form.AllStores, StoreIDs: form.StoreIDs, Pace: form.Pace, Days: form.Days,
	})
	if err != nil {
		return kit.ShowAgain(err, func(status int, errs ui.Errors) error {
			form.Errors = errs
			return h.keyForm(c, status, form)
		})
	}
	return h.secretPage(c, key, secret)
}

// secretPage shows a secret, once.
func (h *Handlers) secretPage(c *fiber.Ctx, key *apikeys.Key, secret string) error {
	return kit.Render(c, fiber.StatusOK, exchangeview.KeyShown(&exchangeview.KeyShownView{
		Page: h.Page(c), Key: *key, Secret: secret, Server: h.API.BaseURL,
	}))
}

// wholeNumber reads a number from a form's choices; anything else matches none of
// them.
func wholeNumber(s string) int {
	n, err := strconv.Atoi(s)
	if err != nil {
		return kit.NoID
	}
	return n
}

// ShowKey handles GET /settings/keys/:id.
func (h *Handlers) ShowKey(c *fiber.Ctx, id int64) error {
	return h.keyPage(c, id, fiber.StatusOK, func(*exchangeview.KeyView) {})
}

func (h *Handlers) keyPage(c *fiber.Ctx, id int64, status int, show func(*exchangeview.KeyView)) error {
	key, err := h.APIKeys.Key(c.UserContext(), kit.Actor(c), id)
	if err != nil {
		return err
	}
	stores, err := h.Stores(c)
	if err != nil {
		return err
	}
	waiting, err := h.WaitingOf(c.UserContext(), id)
	if err != nil {
		return err
	}
	proposal, err := h.Proposals.Of(c.UserContext(), kit.Actor(c), proposals.Key(id))
	if err != nil {
		return err
	}
	v := &exchangeview.KeyView{
		Page: h.Page(c), Key: *key, Stores: stores, Waiting: waiting, Proposal: proposal,
		Rotate: exchangeview.RotateForm{Days: 365, Overlap: 24},
	}
	show(v)
	return kit.Render(c, status, exchangeview.Key(v))
}

// AnswerProposal handles POST /settings/keys/:id/proposal.
func (h *Handlers) AnswerProposal(c *fiber.Ctx, id int64) error {
	answer := proposals.Answer(c.FormValue("answer"))
	return h.Change(c, func(version int) error {
		return h.Proposals.Answer(c.UserContext(), kit.Actor(c), proposals.Key(id), answer, kit.ChosenID(c.FormValue("proposal")), version)
	}, fmt.Sprintf("/settings/keys/%d", id), "flash.proposal."+string(answer), func(status int, errs ui.Errors) error {
		return h.keyPage(c, id, status, func(v *exchangeview.KeyView) { v.Answered = errs })
	})
}

// RotateKey handles POST /settings/keys/:id/rotation with the new secret.
func (h *Handlers) RotateKey(c *fiber.Ctx, id int64) error {
	version, err := kit.FormVersion(c)
	if err != nil {
		return err
	}
	form := exchangeview.RotateForm{Days: wholeNumber(c.FormValue("days")), Overlap: wholeNumber(c.FormValue("overlap"))}
	secret, err := h.APIKeys.RotateKey(c.UserContext(), kit.Actor(c), id, version, form.Days, form.Overlap)
	if err != nil {
		return kit.ShowAgain(err, func(status int, errs ui.Errors) error {
			form.Errors = errs
			return h.keyPage(c, id, status, func(v *exchangeview.KeyView) { v.Rotate = form })
		})
	}
	key, err := h.APIKeys.Key(c.UserContext(), kit.Actor(c), id)
	if err != nil {
		return err
	}
	return h.secretPage(c, key, secret)
}

// RevokeKey handles POST /settings/keys/:id/revocation.
func (h *Handlers) RevokeKey(c *fiber.Ctx, id int64) error {
	revoke := kit.ChangeByID(h.APIKeys.RevokeKey)
	if c.FormValue("keep") == "on" {
		revoke = h.APIKeys.RevokeKeyOnly
	}
	return h.Change(c, revoke.At(c, id), "/settings/keys", "flash.keyRevoked", func(status int, errs ui.Errors) error {
		return h.keyPage(c, id, status, func(v *exchangeview.KeyView) { v.Revoke = errs })
	})
}
