package handlers

import (
	"github.com/gofiber/fiber/v2"

	"veinte/models/terminals"
	placesview "veinte/views/places"
)

// listStores answers GET /stores.
func (h *Handlers) listStores(c *fiber.Ctx) error {
	f := terminals.StoreFilter{Query: clip(c.Query("q"), 80), Cursor: c.Query("cursor")}
	list, err := h.Terminals.Stores(c.UserContext(), actor(c), f)
	if err != nil {
		return err
	}
	return render(c, fiber.StatusOK, placesview.Stores(&placesview.StoresView{Page: h.page(c), Filter: f, List: *list}))
}

// newStore answers GET /stores/new.
func (h *Handlers) newStore(c *fiber.Ctx) error {
	return h.storeForm(c, fiber.StatusOK, 0, placesview.StoreForm{TimeZone: "America/Mexico_City"})
}

func (h *Handlers) storeForm(c *fiber.Ctx, status int, id int64, form placesview.StoreForm) error {
	return render(c, status, placesview.StoreEdit(&placesview.StoreFormView{Page: h.page(c), ID: id, Form: form}))
}

// enteredStore reads the form. A zone that is typed wins over the chosen one.
func enteredStore(c *fiber.Ctx) placesview.StoreForm {
	form := placesview.StoreForm{Code: c.FormValue("code"), Name: c.FormValue("name"), TimeZone: c.FormValue("timeZone")}
	if other := c.FormValue("timeZoneOther"); other != "" {
		form.TimeZone = other
	}
	return form
}

// createStore answers POST /stores.
func (h *Handlers) createStore(c *fiber.Ctx) error {
	form := enteredStore(c)
	_, err := h.Terminals.CreateStore(c.UserContext(), actor(c), terminals.StoreInput{
		Code: form.Code, Name: form.Name, TimeZone: form.TimeZone,
	})
	return h.storeSaved(c, 0, form, "flash.created", err)
}

// showStore answers GET /stores/:id.
func (h *Handlers) showStore(c *fiber.Ctx) error {
	id, err := paramID(c)
	if err != nil {
		return err
	}
	s, err := h.Terminals.Store(c.UserContext(), actor(c), id)
	if err != nil {
		return err
	}
	return h.storeForm(c, fiber.StatusOK, id, placesview.StoreForm{
		Code: s.Code, Name: s.Name, TimeZone: s.TimeZone, Version: s.Version,
	})
}

// changeStore answers POST /stores/:id.
func (h *Handlers) changeStore(c *fiber.Ctx) error {
	id, err := paramID(c)
	if err != nil {
		return err
	}
	form := enteredStore(c)
	if form.Version, err = formVersion(c); err != nil {
		return err
	}
	err = h.Terminals.ChangeStore(c.UserContext(), actor(c), id, form.Version, terminals.StoreInput{
		Code: form.Code, Name: form.Name, TimeZone: form.TimeZone,
	})
	return h.storeSaved(c, id, form, "flash.saved", err)
}

func (h *Handlers) storeSaved(c *fiber.Ctx, id int64, form placesview.StoreForm, done string, err error) error {
	if errs, status, ok := refused(err); ok {
		form.Errors = errs
		return shownIn(err, h.storeForm(c, status, id, form))
	}
	if err != nil {
		return err
	}
	return h.done(c, "/stores", done)
}
