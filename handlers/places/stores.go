package places

import (
	"context"
	"fmt"

	"github.com/gofiber/fiber/v2"

	"veinte/handlers/kit"
	"veinte/models/accounts"
	"veinte/models/database"
	"veinte/models/sales"
	"veinte/models/terminals"
	placesview "veinte/views/places"
	"veinte/views/ui"
)

// ListStores handles GET /stores.
func (h *Handlers) ListStores(c *fiber.Ctx) error {
	f := terminals.StoreFilter{Query: kit.Clip(c.Query("q"), 80), Cursor: c.Query("cursor")}
	list, err := h.Terminals.Stores(c.UserContext(), kit.Actor(c), f)
	if err != nil {
		return err
	}
	return kit.Render(c, fiber.StatusOK, placesview.Stores(&placesview.StoresView{Page: h.Page(c), Filter: f, List: *list}))
}

// StoreNames handles GET /stores/names: the stores that the user may type, as the script
// of the boxes reads them.
func (h *Handlers) StoreNames(c *fiber.Ctx) error {
	dir, err := h.Directory(c.UserContext())
	if err != nil {
		return err
	}
	stores := dir.Visible(kit.Actor(c))
	names := make([][3]string, len(stores))
	for i := range stores {
		names[i] = [3]string{ui.Itoa(stores[i].ID), stores[i].Code, stores[i].Name}
	}
	return c.JSON(names)
}

// NewStore handles GET /stores/new.
func (h *Handlers) NewStore(c *fiber.Ctx) error {
	return h.storeForm(c, fiber.StatusOK, 0, placesview.StoreForm{TimeZone: "America/Mexico_City"})
}

func (h *Handlers) storeForm(c *fiber.Ctx, status int, id int64, form placesview.StoreForm) error {
	return kit.Render(c, status, placesview.StoreEdit(&placesview.StoreFormView{Page: h.Page(c), ID: id, Form: form}))
}

// readStoreForm reads the form. A zone that is typed wins over the chosen one.
func readStoreForm(c *fiber.Ctx) placesview.StoreForm {
	form := placesview.StoreForm{
		Code: c.FormValue("code"), Name: c.FormValue("name"), TimeZone: c.FormValue("timeZone"),
		Traceability: c.FormValue("traceability"), Bare: c.FormValue("bareTraceability") == "on",
	}
	if other := c.FormValue("timeZoneOther"); other != "" {
		form.TimeZone = other
	}
	return form
}

func storeInput(f placesview.StoreForm) terminals.StoreInput {
	return terminals.StoreInput{
		Code: f.Code, Name: f.Name, TimeZone: f.TimeZone,
		Traceability: f.Traceability, BareTraceability: f.Bare,
	}
}

// CreateStore handles POST /stores.
func (h *Handlers) CreateStore(c *fiber.Ctx) error {
	form := readStoreForm(c)
	_, err := h.Terminals.CreateStore(c.UserContext(), kit.Actor(c), storeInput(form))
	return h.Finish(c, err, "/stores", "flash.created", h.storeAgain(c, 0, &form))
}

// ShowStore handles GET /stores/:id.
func (h *Handlers) ShowStore(c *fiber.Ctx, id int64) error {
	v, who := &placesview.StoreView{}, kit.Actor(c)
	err := database.Together(c.UserContext(), func(ctx context.Context) error {
		store, err := h.Terminals.Store(ctx, who, id)
		if err == nil {
			v.Store = *store
		}
		return err
	}, func(ctx context.Context) error {
		day, err := h.Day(ctx, who, sales.Filter{Day: h.Window().Calendar.Day(h.Clock.Now()), StoreID: id})
		if err == nil {
			v.Day = day.Total
		}
		return err
	}, func(ctx context.Context) error {
		list, err := h.Terminals.Terminals(ctx, who, terminals.Filter{StoreID: id})
		if err == nil {
			v.Terminals = *list
		}
		return err
	}, func(ctx context.Context) error {
		people, err := h.People(ctx, who, accounts.PeopleFilter{Store: id})
		if err == nil {
			v.People = *people
		}
		return err
	})
	if err != nil {
		return err
	}
	v.Page = h.Page(c)
	return kit.Render(c, fiber.StatusOK, placesview.Store(v))
}

// EditStore handles GET /stores/:id/edit.
func (h *Handlers) EditStore(c *fiber.Ctx, id int64) error {
	s, err := h.Terminals.Store(c.UserContext(), kit.Actor(c), id)
	if err != nil {
		return err
	}
	return h.storeForm(c, fiber.StatusOK, id, placesview.StoreForm{
		Code: s.Code, Name: s.Name, TimeZone: s.TimeZone, Version: s.Version, Traceability: s.Traceability, Bare: s.BareTraceability,
	})
}

// ChangeStore handles POST /stores/:id.
func (h *Handlers) ChangeStore(c *fiber.Ctx, id int64) error {
	form := readStoreForm(c)
	return h.Change(c, func(version int) error {
		form.Version = version
		return h.Terminals.ChangeStore(c.UserContext(), kit.Actor(c), id, version, storeInput(form))
	}, fmt.Sprintf("/stores/%d", id), "flash.saved", h.storeAgain(c, id, &form))
}

// storeAgain shows the form with what was entered and why it was refused.
func (h *Handlers) storeAgain(c *fiber.Ctx, id int64, form *placesview.StoreForm) kit.Again {
	return func(status int, errs ui.Errors) error {
		form.Errors = errs
		return h.storeForm(c, status, id, *form)
	}
}
