package handlers

import (
	"fmt"

	"github.com/gofiber/fiber/v2"

	"veinte/models"
	"veinte/views"
)

// listTerminals answers GET /terminals.
func (h *Handlers) listTerminals(c *fiber.Ctx) error {
	f := models.TerminalFilter{Query: clip(c.Query("q"), 80), State: models.TerminalState(c.Query("state"))}
	var err error
	if f.StoreID, err = queryID(c, "store"); err != nil {
		return err
	}
	list, err := h.DB.Terminals(c.UserContext(), actor(c), h.Clock.Now(), f)
	if err != nil {
		return err
	}
	stores, err := h.stores(c)
	if err != nil {
		return err
	}
	return render(c, fiber.StatusOK, views.Terminals(&views.TerminalsView{
		Page: h.page(c), Stores: stores, Terminals: list.Terminals,
		Filter: views.TerminalFilter{StoreID: f.StoreID, Query: f.Query, State: string(f.State)},
	}))
}

// stores lists the stores that the person sees.
func (h *Handlers) stores(c *fiber.Ctx) ([]models.Store, error) {
	dir, err := h.DB.Directory(c.UserContext())
	if err != nil {
		return nil, err
	}
	return dir.Visible(actor(c)), nil
}

// newTerminal answers GET /terminals/new.
func (h *Handlers) newTerminal(c *fiber.Ctx) error {
	return h.terminalForm(c, fiber.StatusOK, views.TerminalForm{})
}

func (h *Handlers) terminalForm(c *fiber.Ctx, status int, form views.TerminalForm) error {
	stores, err := h.stores(c)
	if err != nil {
		return err
	}
	return render(c, status, views.TerminalNew(&views.TerminalNewView{Page: h.page(c), Stores: stores, Form: form}))
}

// createTerminal answers POST /terminals.
func (h *Handlers) createTerminal(c *fiber.Ctx) error {
	storeID := chosenID(c.FormValue("store"))
	form := views.TerminalForm{
		SerialNumber: c.FormValue("serialNumber"), Label: c.FormValue("label"),
		MerchantID: c.FormValue("merchantId"), StoreID: storeID,
	}
	t, err := h.Cancellations.CreateTerminal(c.UserContext(), actor(c), models.TerminalInput{
		SerialNumber: form.SerialNumber, Label: form.Label, MerchantID: form.MerchantID, StoreID: storeID,
	})
	if errs, status, ok := refused(err); ok {
		form.Errors = errs
		return h.terminalForm(c, status, form)
	}
	if err != nil {
		return err
	}
	return h.done(c, terminalPath(t.ID), "flash.created")
}

func terminalPath(id int64) string { return fmt.Sprintf("/terminals/%d", id) }

// showTerminal answers GET /terminals/:id.
func (h *Handlers) showTerminal(c *fiber.Ctx) error {
	v, err := h.terminalView(c)
	if err != nil {
		return err
	}
	return render(c, fiber.StatusOK, views.Terminal(v))
}

func (h *Handlers) terminalView(c *fiber.Ctx) (*views.TerminalView, error) {
	id, err := paramID(c)
	if err != nil {
		return nil, err
	}
	place, history, err := h.DB.TerminalHistory(c.UserContext(), actor(c), h.Clock.Now(), id)
	if err != nil {
		return nil, err
	}
	stores, err := h.stores(c)
	if err != nil {
		return nil, err
	}
	return &views.TerminalView{
		Page: h.page(c), Terminal: *place, History: history, Stores: stores,
		Label: views.LabelForm{Label: place.Label},
		Move:  views.MoveForm{StoreID: place.StoreID, MerchantID: place.MerchantID},
	}, nil
}

// relabelTerminal answers POST /terminals/:id.
func (h *Handlers) relabelTerminal(c *fiber.Ctx) error {
	label := c.FormValue("label")
	return h.changeTerminal(c, "flash.saved", func(id int64, version int) error {
		return h.DB.RelabelTerminal(c.UserContext(), actor(c), h.Clock.Now(), id, version, label)
	}, func(v *views.TerminalView, errs views.Errors) {
		v.Label = views.LabelForm{Label: label, Errors: errs}
	})
}

// moveTerminal answers POST /terminals/:id/moves.
func (h *Handlers) moveTerminal(c *fiber.Ctx) error {
	storeID, merchant := chosenID(c.FormValue("store")), c.FormValue("merchantId")
	return h.changeTerminal(c, "flash.moved", func(id int64, version int) error {
		return h.Cancellations.MoveTerminal(c.UserContext(), actor(c), id, version, models.MoveInput{StoreID: storeID, MerchantID: merchant})
	}, func(v *views.TerminalView, errs views.Errors) {
		v.Move = views.MoveForm{StoreID: storeID, MerchantID: merchant, Errors: errs}
	})
}

// retireTerminal answers POST /terminals/:id/retirement.
func (h *Handlers) retireTerminal(c *fiber.Ctx) error {
	return h.changeTerminal(c, "flash.retired", func(id int64, version int) error {
		return h.DB.RetireTerminal(c.UserContext(), actor(c), h.Clock.Now(), id, version)
	}, showOnLabel)
}

// restoreTerminal answers POST /terminals/:id/restoration.
func (h *Handlers) restoreTerminal(c *fiber.Ctx) error {
	return h.changeTerminal(c, "flash.restored", func(id int64, version int) error {
		return h.DB.RestoreTerminal(c.UserContext(), actor(c), h.Clock.Now(), id, version)
	}, showOnLabel)
}

// showOnLabel puts a refusal that belongs to no form where the page begins.
func showOnLabel(v *views.TerminalView, errs views.Errors) { v.Label.Errors = errs }

// changeTerminal changes a terminal and goes back to it; a refusal is shown in
// the form it came from, with what was entered.
func (h *Handlers) changeTerminal(c *fiber.Ctx, done string, change func(id int64, version int) error, show func(*views.TerminalView, views.Errors)) error {
	id, err := paramID(c)
	if err != nil {
		return err
	}
	version, err := formVersion(c)
	if err != nil {
		return err
	}
	err = change(id, version)
	errs, status, ok := refused(err)
	if !ok {
		if err != nil {
			return err
		}
		return h.done(c, terminalPath(id), done)
	}
	v, err := h.terminalView(c)
	if err != nil {
		return err
	}
	show(v, errs)
	return render(c, status, views.Terminal(v))
}
