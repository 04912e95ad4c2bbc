package places

import (
	"context"
	"fmt"
	"strconv"

	"github.com/gofiber/fiber/v2"

	"veinte/handlers/kit"
	"veinte/models"
	"veinte/models/terminals"
	placesview "veinte/views/places"
	"veinte/views/ui"
)

// ListTerminals handles GET /terminals.
func (h *Handlers) ListTerminals(c *fiber.Ctx) error {
	f := terminals.Filter{
		Query: kit.Clip(c.Query("q"), 80), State: terminals.StatusFilter(c.Query("state")), Problem: terminals.Problem(c.Query("problem")),
		StoreID: kit.ChosenID(c.Query("store")), Days: queryDays(c), Cursor: c.Query("cursor"),
	}
	status, errs := fiber.StatusOK, ui.Errors(nil)
	list, err := h.Terminals.Terminals(c.UserContext(), kit.Actor(c), f)
	if e, code, ok := kit.Refused(err); ok && e[""] == "" {
		// A filter that cannot be read matches no terminal, and the error is shown.
		list, errs, status, err = &terminals.Page{}, e, code, nil
	}
	if err != nil {
		return err
	}
	problems, err := h.Terminals.CountProblems(c.UserContext(), kit.Actor(c))
	if err != nil {
		return err
	}
	stores, err := h.Stores(c)
	if err != nil {
		return err
	}
	return kit.Render(c, status, placesview.Terminals(&placesview.TerminalsView{
		Page: h.Page(c), Stores: stores, Filter: f, List: *list, Problems: problems, Errors: errs,
	}))
}

// NewTerminal handles GET /terminals/new.
func (h *Handlers) NewTerminal(c *fiber.Ctx) error {
	// What a terminal has posted before anybody registered it is filled in.
	return h.terminalForm(c, fiber.StatusOK, placesview.TerminalForm{
		SerialNumber: kit.Clip(c.Query("serialNumber"), 40), MerchantID: kit.Clip(c.Query("merchantId"), models.MaxMerchantID),
	})
}

func (h *Handlers) terminalForm(c *fiber.Ctx, status int, form placesview.TerminalForm) error {
	stores, err := h.Stores(c)
	if err != nil {
		return err
	}
	return kit.Render(c, status, placesview.TerminalNew(&placesview.TerminalNewView{Page: h.Page(c), Stores: stores, Form: form}))
}

// CreateTerminal handles POST /terminals.
func (h *Handlers) CreateTerminal(c *fiber.Ctx) error {
	storeID := kit.ChosenID(c.FormValue("store"))
	form := placesview.TerminalForm{
		SerialNumber: c.FormValue("serialNumber"), Label: c.FormValue("label"),
		MerchantID: c.FormValue("merchantId"), StoreID: storeID,
	}
	t, err := h.Terminals.CreateTerminal(c.UserContext(), kit.Actor(c), terminals.Input{
		SerialNumber: form.SerialNumber, Label: form.Label, MerchantID: form.MerchantID, StoreID: storeID,
	})
	if err != nil {
		return kit.ShowAgain(err, func(status int, errs ui.Errors) error {
			form.Errors = errs
			return h.terminalForm(c, status, form)
		})
	}
	return h.Done(c, terminalPath(t.ID), "flash.created")
}

func terminalPath(id int64) string { return fmt.Sprintf("/terminals/%d", id) }

// ShowTerminal handles GET /terminals/:id.
func (h *Handlers) ShowTerminal(c *fiber.Ctx, id int64) error {
	v, err := h.terminalView(c, id)
	if err != nil {
		return err
	}
	return kit.Render(c, fiber.StatusOK, placesview.Terminal(v))
}

func (h *Handlers) terminalView(c *fiber.Ctx, id int64) (*placesview.TerminalView, error) {
	place, history, err := h.Terminals.History(c.UserContext(), kit.Actor(c), id)
	if err != nil {
		return nil, err
	}
	stores, err := h.Stores(c)
	if err != nil {
		return nil, err
	}
	shares, err := h.Terminals.SharesMerchant(c.UserContext(), kit.Actor(c), id)
	if err != nil {
		return nil, err
	}
	return &placesview.TerminalView{
		Page: h.Page(c), Terminal: *place, History: history, Stores: stores, Shares: shares,
		Address: h.Terminals.AddressUse(&place.Terminal), HasAddresses: h.Terminals.HasAddresses(),
		Label: placesview.LabelForm{Label: place.Label},
		Move:  placesview.MoveForm{StoreID: place.StoreID, MerchantID: place.MerchantID, Stays: c.Query("change") == "merchantId"},
	}, nil
}

// RelabelTerminal handles POST /terminals/:id.
func (h *Handlers) RelabelTerminal(c *fiber.Ctx, id int64) error {
	label := c.FormValue("label")
	return h.changeTerminal(c, id, "flash.saved", func(ctx context.Context, actor models.Actor, id int64, version int) error {
		return h.Terminals.RelabelTerminal(ctx, actor, id, version, label)
	}, func(v *placesview.TerminalView, errs ui.Errors) {
		v.Label = placesview.LabelForm{Label: label, Errors: errs}
	})
}

// MoveTerminal handles POST /terminals/:id/moves.
func (h *Handlers) MoveTerminal(c *fiber.Ctx, id int64) error {
	in := terminals.MoveInput{
		StoreID: kit.ChosenID(c.FormValue("store")), MerchantID: c.FormValue("merchantId"), From: c.FormValue("from"),
	}
	done := "flash.moved"
	if in.From != "" {
		done = "flash.moveSaved" // it may be to come
	}
	var why error
	return h.changeTerminal(c, id, done, func(ctx context.Context, actor models.Actor, id int64, version int) error {
		why = h.Terminals.MoveTerminal(ctx, actor, id, version, in)
		return why
	}, func(v *placesview.TerminalView, errs ui.Errors) {
		v.Move = placesview.MoveForm{StoreID: in.StoreID, MerchantID: in.MerchantID, From: in.From, Why: why, Errors: errs}
	})
}

// WithdrawPlan handles POST /terminals/:id/plan/withdrawal.
func (h *Handlers) WithdrawPlan(c *fiber.Ctx, id int64) error {
	return h.changeTerminal(c, id, "flash.planWithdrawn", h.Terminals.WithdrawPlan, showOnLabel)
}

// RetireTerminal handles POST /terminals/:id/retirement.
func (h *Handlers) RetireTerminal(c *fiber.Ctx, id int64) error {
	return h.changeTerminal(c, id, "flash.retired", h.Terminals.RetireTerminal, showOnLabel)
}

// RestoreTerminal handles POST /terminals/:id/restoration.
func (h *Handlers) RestoreTerminal(c *fiber.Ctx, id int64) error {
	return h.changeTerminal(c, id, "flash.restored", h.Terminals.RestoreTerminal, showOnLabel)
}

// showOnLabel puts a refusal that belongs to no form where the page begins.
func showOnLabel(v *placesview.TerminalView, errs ui.Errors) { v.Label.Errors = errs }

// changeTerminal changes a terminal and goes back to it; a refusal is shown in
// the form it came from, with what was entered.
func (h *Handlers) changeTerminal(
	c *fiber.Ctx, id int64, done string, change kit.ChangeByID, show func(*placesview.TerminalView, ui.Errors),
) error {
	return h.Change(c, change.At(c, id), terminalPath(id), done, func(status int, errs ui.Errors) error {
		v, err := h.terminalView(c, id)
		if err != nil {
			return err
		}
		show(v, errs)
		return kit.Render(c, status, placesview.Terminal(v))
	})
}

// queryDays reads a number of days; 0 when there is none, and a value that no list
// accepts when it is not a number.
func queryDays(c *fiber.Ctx) int {
	text := c.Query("days")
	if text == "" {
		return 0
	}
	n, err := strconv.Atoi(text)
	if err != nil || n == 0 {
		return -1
	}
	return n
}

// ShowHealth handles GET /terminals/health.
func (h *Handlers) ShowHealth(c *fiber.Ctx) error {
	f := terminals.HealthFilter{Kind: terminals.Problem(c.Query("problem")), Days: queryDays(c), Cursor: c.Query("cursor")}
	status, errs := fiber.StatusOK, ui.Errors(nil)
	list, err := h.Terminals.Health(c.UserContext(), kit.Actor(c), f)
	if e, code, ok := kit.Refused(err); ok && e[""] == "" {
		list, errs, status, err = &terminals.HealthPage{}, e, code, nil
	}
	if err != nil {
		return err
	}
	return kit.Render(c, status, placesview.TerminalHealth(&placesview.TerminalHealthView{
		Page: h.Page(c), Filter: f, DaysText: c.Query("days", strconv.Itoa(terminals.DefaultDays)), List: *list, Errors: errs,
	}))
}
