package handlers

import (
	"fmt"

	"github.com/gofiber/fiber/v2"

	"veinte/models"
	"veinte/models/terminals"
	placesview "veinte/views/places"
	"veinte/views/ui"
)

// listTerminals answers GET /terminals.
func (h *Handlers) listTerminals(c *fiber.Ctx) error {
	f := terminals.Filter{
		Query: clip(c.Query("q"), 80), State: terminals.StatusFilter(c.Query("state")), Problem: terminals.Problem(c.Query("problem")),
		StoreID: chosenID(c.Query("store")), Days: queryDays(c), Cursor: c.Query("cursor"),
	}
	status, errs := fiber.StatusOK, ui.Errors(nil)
	list, err := h.Terminals.Terminals(c.UserContext(), actor(c), f)
	if e, code, ok := refused(err); ok && e[""] == "" {
		// What cannot be read matches nothing, and says so.
		list, errs, status, err = &terminals.Page{}, e, code, nil
	}
	if err != nil {
		return err
	}
	problems, err := h.Terminals.CountProblems(c.UserContext(), actor(c))
	if err != nil {
		return err
	}
	stores, err := h.stores(c)
	if err != nil {
		return err
	}
	first, err := h.firstSteps(c)
	if err != nil {
		return err
	}
	return render(c, status, placesview.Terminals(&placesview.TerminalsView{
		Page: h.page(c), First: first, Stores: stores, Filter: f, List: *list, Problems: problems, Errors: errs,
	}))
}

// stores lists the stores that the person sees.
func (h *Handlers) stores(c *fiber.Ctx) ([]models.Store, error) {
	dir, err := h.Terminals.Directory(c.UserContext())
	if err != nil {
		return nil, err
	}
	return dir.Visible(actor(c)), nil
}

// newTerminal answers GET /terminals/new.
func (h *Handlers) newTerminal(c *fiber.Ctx) error {
	// What a terminal has posted before anybody registered it is filled in.
	return h.terminalForm(c, fiber.StatusOK, placesview.TerminalForm{
		SerialNumber: clip(c.Query("serialNumber"), 40), MerchantID: clip(c.Query("merchantId"), 40),
	})
}

func (h *Handlers) terminalForm(c *fiber.Ctx, status int, form placesview.TerminalForm) error {
	stores, err := h.stores(c)
	if err != nil {
		return err
	}
	return render(c, status, placesview.TerminalNew(&placesview.TerminalNewView{Page: h.page(c), Stores: stores, Form: form}))
}

// createTerminal answers POST /terminals.
func (h *Handlers) createTerminal(c *fiber.Ctx) error {
	storeID := chosenID(c.FormValue("store"))
	form := placesview.TerminalForm{
		SerialNumber: c.FormValue("serialNumber"), Label: c.FormValue("label"),
		MerchantID: c.FormValue("merchantId"), StoreID: storeID,
	}
	t, err := h.Terminals.CreateTerminal(c.UserContext(), actor(c), terminals.Input{
		SerialNumber: form.SerialNumber, Label: form.Label, MerchantID: form.MerchantID, StoreID: storeID,
	})
	if errs, status, ok := refused(err); ok {
		form.Errors = errs
		return shownIn(err, h.terminalForm(c, status, form))
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
	return render(c, fiber.StatusOK, placesview.Terminal(v))
}

func (h *Handlers) terminalView(c *fiber.Ctx) (*placesview.TerminalView, error) {
	id, err := paramID(c)
	if err != nil {
		return nil, err
	}
	place, history, err := h.Terminals.History(c.UserContext(), actor(c), id)
	if err != nil {
		return nil, err
	}
	stores, err := h.stores(c)
	if err != nil {
		return nil, err
	}
	shares, err := h.Terminals.SharesMerchant(c.UserContext(), actor(c), id)
	if err != nil {
		return nil, err
	}
	return &placesview.TerminalView{
		Page: h.page(c), Terminal: *place, History: history, Stores: stores, Shares: shares,
		Label: placesview.LabelForm{Label: place.Label},
		Move:  placesview.MoveForm{StoreID: place.StoreID, MerchantID: place.MerchantID, Stays: c.Query("change") == "merchantId"},
	}, nil
}

// relabelTerminal answers POST /terminals/:id.
func (h *Handlers) relabelTerminal(c *fiber.Ctx) error {
	label := c.FormValue("label")
	return h.changeTerminal(c, "flash.saved", func(id int64, version int) error {
		return h.Terminals.RelabelTerminal(c.UserContext(), actor(c), id, version, label)
	}, func(v *placesview.TerminalView, errs ui.Errors) {
		v.Label = placesview.LabelForm{Label: label, Errors: errs}
	})
}

// moveTerminal answers POST /terminals/:id/moves.
func (h *Handlers) moveTerminal(c *fiber.Ctx) error {
	in := terminals.MoveInput{StoreID: chosenID(c.FormValue("store")), MerchantID: c.FormValue("merchantId"), From: c.FormValue("from")}
	done := "flash.moved"
	if in.From != "" {
		done = "flash.moveSaved" // it may be to come
	}
	var why error
	return h.changeTerminal(c, done, func(id int64, version int) error {
		why = h.Terminals.MoveTerminal(c.UserContext(), actor(c), id, version, in)
		return why
	}, func(v *placesview.TerminalView, errs ui.Errors) {
		v.Move = placesview.MoveForm{StoreID: in.StoreID, MerchantID: in.MerchantID, From: in.From, Why: why, Errors: errs}
	})
}

// withdrawPlan answers POST /terminals/:id/plan/withdrawal.
func (h *Handlers) withdrawPlan(c *fiber.Ctx) error {
	return h.changeTerminal(c, "flash.planWithdrawn", func(id int64, version int) error {
		return h.Terminals.WithdrawPlan(c.UserContext(), actor(c), id, version)
	}, showOnLabel)
}

// retireTerminal answers POST /terminals/:id/retirement.
func (h *Handlers) retireTerminal(c *fiber.Ctx) error {
	return h.changeTerminal(c, "flash.retired", func(id int64, version int) error {
		return h.Terminals.RetireTerminal(c.UserContext(), actor(c), id, version)
	}, showOnLabel)
}

// restoreTerminal answers POST /terminals/:id/restoration.
func (h *Handlers) restoreTerminal(c *fiber.Ctx) error {
	return h.changeTerminal(c, "flash.restored", func(id int64, version int) error {
		return h.Terminals.RestoreTerminal(c.UserContext(), actor(c), id, version)
	}, showOnLabel)
}

// showOnLabel puts a refusal that belongs to no form where the page begins.
func showOnLabel(v *placesview.TerminalView, errs ui.Errors) { v.Label.Errors = errs }

// changeTerminal changes a terminal and goes back to it; a refusal is shown in
// the form it came from, with what was entered.
func (h *Handlers) changeTerminal(c *fiber.Ctx, done string, change func(id int64, version int) error, show func(*placesview.TerminalView, ui.Errors)) error {
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
	v, reading := h.terminalView(c)
	if reading != nil {
		return reading
	}
	show(v, errs)
	return shownIn(err, render(c, status, placesview.Terminal(v)))
}
