package handlers

import (
	"strconv"

	"github.com/gofiber/fiber/v2"

	"veinte/models/apikeys"
	exchangeview "veinte/views/exchange"
)

// listKeys answers GET /settings/keys.
func (h *Handlers) listKeys(c *fiber.Ctx) error {
	keys, err := h.APIKeys.Keys(c.UserContext(), actor(c))
	if err != nil {
		return err
	}
	stores, err := h.stores(c)
	if err != nil {
		return err
	}
	return render(c, fiber.StatusOK, exchangeview.Keys(&exchangeview.KeysView{Page: h.page(c), Keys: keys, Stores: stores}))
}

// newKey answers GET /settings/keys/new.
func (h *Handlers) newKey(c *fiber.Ctx) error {
	return h.keyForm(c, fiber.StatusOK, exchangeview.KeyForm{Pace: apikeys.PaceNormal, Days: 365})
}

func (h *Handlers) keyForm(c *fiber.Ctx, status int, form exchangeview.KeyForm) error {
	stores, err := h.stores(c)
	if err != nil {
		return err
	}
	return render(c, status, exchangeview.KeyNew(&exchangeview.KeyFormView{Page: h.page(c), Stores: stores, Form: form}))
}

// createKey answers POST /settings/keys with the secret, which nothing keeps: a
// redirect could not show it.
func (h *Handlers) createKey(c *fiber.Ctx) error {
	form := exchangeview.KeyForm{
		Name: c.FormValue("name"), AllStores: c.FormValue("allStores") == "on",
		Pace: apikeys.Pace(c.FormValue("pace")), Days: wholeNumber(c.FormValue("days")),
	}
	for _, raw := range c.Request().PostArgs().PeekMulti("stores") {
		form.StoreIDs = append(form.StoreIDs, chosenID(string(raw)))
	}
	for _, raw := range c.Request().PostArgs().PeekMulti("scopes") {
		form.Scopes = append(form.Scopes, apikeys.Scope(raw))
	}
	key, secret, err := h.APIKeys.CreateKey(c.UserContext(), actor(c), apikeys.Input{
		Name: form.Name, Scopes: form.Scopes, AllStores: form.AllStores, StoreIDs: form.StoreIDs, Pace: form.Pace, Days: form.Days,
	})
	if errs, status, ok := refused(err); ok {
		form.Errors = errs
		return shownIn(err, h.keyForm(c, status, form))
	}
	if err != nil {
		return err
	}
	return h.secretPage(c, key, secret)
}

// secretPage shows a secret, once.
func (h *Handlers) secretPage(c *fiber.Ctx, key *apikeys.Key, secret string) error {
	return render(c, fiber.StatusOK, exchangeview.KeyShown(&exchangeview.KeyShownView{Page: h.page(c), Key: *key, Secret: secret, Server: h.server(c)}))
}

// server is the address by which programs reach us.
func (h *Handlers) server(c *fiber.Ctx) string {
	if h.API != nil && h.API.BaseURL != "" {
		return h.API.BaseURL
	}
	return c.BaseURL()
}

// wholeNumber reads a number that a form offers; anything else is none of them.
func wholeNumber(s string) int {
	n, err := strconv.Atoi(s)
	if err != nil {
		return noID
	}
	return n
}

// showKey answers GET /settings/keys/:id.
func (h *Handlers) showKey(c *fiber.Ctx) error {
	return h.keyPage(c, fiber.StatusOK, func(*exchangeview.KeyView) {})
}

func (h *Handlers) keyPage(c *fiber.Ctx, status int, show func(*exchangeview.KeyView)) error {
	id, err := paramID(c)
	if err != nil {
		return err
	}
	key, err := h.APIKeys.Key(c.UserContext(), actor(c), id)
	if err != nil {
		return err
	}
	stores, err := h.stores(c)
	if err != nil {
		return err
	}
	v := &exchangeview.KeyView{Page: h.page(c), Key: *key, Stores: stores, Rotate: exchangeview.RotateForm{Days: 365, Overlap: 24}}
	show(v)
	return render(c, status, exchangeview.Key(v))
}

// rotateKey answers POST /settings/keys/:id/rotation with the new secret.
func (h *Handlers) rotateKey(c *fiber.Ctx) error {
	id, version, err := versioned(c)
	if err != nil {
		return err
	}
	form := exchangeview.RotateForm{Days: wholeNumber(c.FormValue("days")), Overlap: wholeNumber(c.FormValue("overlap"))}
	secret, err := h.APIKeys.RotateKey(c.UserContext(), actor(c), id, version, form.Days, form.Overlap)
	if errs, status, ok := refused(err); ok {
		form.Errors = errs
		return shownIn(err, h.keyPage(c, status, func(v *exchangeview.KeyView) { v.Rotate = form }))
	}
	if err != nil {
		return err
	}
	key, err := h.APIKeys.Key(c.UserContext(), actor(c), id)
	if err != nil {
		return err
	}
	return h.secretPage(c, key, secret)
}

// revokeKey answers POST /settings/keys/:id/revocation.
func (h *Handlers) revokeKey(c *fiber.Ctx) error {
	id, version, err := versioned(c)
	if err != nil {
		return err
	}
	err = h.APIKeys.RevokeKey(c.UserContext(), actor(c), id, version)
	if errs, status, ok := refused(err); ok {
		return shownIn(err, h.keyPage(c, status, func(v *exchangeview.KeyView) { v.Revoke = errs }))
	}
	if err != nil {
		return err
	}
	return h.done(c, "/settings/keys", "flash.keyRevoked")
}

// versioned reads the id of the path and the version that the person saw.
func versioned(c *fiber.Ctx) (id int64, version int, err error) {
	if id, err = paramID(c); err != nil {
		return 0, 0, err
	}
	version, err = formVersion(c)
	return id, version, err
}
