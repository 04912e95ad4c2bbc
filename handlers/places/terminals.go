package places

import (
	"context"
	"fmt"
	"strconv"

	"github.com/gofiber/fiber/v2"

	"veinte/handlers/kit"
	"veinte/models"
	"veinte/models/database"
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
	status, errs, actor := fiber.StatusOK, ui.Errors(nil), kit.Actor(c)
	var list *terminals.Page
	var problems map[terminals.Problem]int64
	var wrong map[int64]terminals.Problem
	err := database.Together(c.UserContext(), func(ctx context.Context) (err error) {
		list, err = h.Terminals.Terminals(ctx, actor, f)
		if e, code, ok := kit.Refused(err); ok && e[""] == "" {
			// A filter that cannot be read matches no terminal, and the error is shown.
			list, errs, status, err = &terminals.Page{}, e, code, nil
		}
		return err
	}, func(ctx context.Context) (err error) {
		problems, wrong, err = h.Terminals.WorstProblems(ctx, actor)
		return err
	})
	if err != nil {
		return err
	}
	stores, err := h.Stores(c)
	if err != nil {
		return err
	}
	return kit.Render(c, status, placesview.Terminals(&placesview.TerminalsView{
		Page: h.Page(c), Stores: stores, Filter: f, List: *list, Problems: problems, Wrong: wrong, Errors: errs,
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
	return h.terminalPage(c, fiber.StatusOK, id, nil)
}

// terminalPage is the terminal as a place; errs say why an act there was refused. That it
// was just moved is said by the page itself instead of a message above it.
func (h *Handlers) terminalPage(c *fiber.Ctx, status int, id int64, errs ui.Errors) error {
	v, who := &placesview.TerminalView{HasAddresses: h.Terminals.HasAddresses(), Errors: errs}, kit.Actor(c)
	err := database.Together(c.UserContext(), func(context.Context) error {
		at, err := h.terminalAt(c, id)
		if err == nil {
			v.TerminalAt = *at
		}
		return err
	}, func(ctx context.Context) (err error) {
		v.Problems, err = h.Terminals.ProblemsOf(ctx, who, id)
		return err
	}, func(ctx context.Context) (err error) {
		v.Namesakes, err = h.Terminals.Namesakes(ctx, who, id)
		return err
	})
	if err != nil {
		return err
	}
	v.Address = h.Terminals.AddressUse(&v.Terminal.Terminal)
	if f := v.Flash; f != nil && (f.Code == flashMoved || f.Code == flashMovePlanned) {
		v.Moved, v.Planned, v.Flash = f.Code == flashMoved, f.Code == flashMovePlanned, nil
	}
	return kit.Render(c, status, placesview.Terminal(v))
}

// terminalAt is what the pages of one terminal know of it: where it stands and stood, and
// what it sold today.
func (h *Handlers) terminalAt(c *fiber.Ctx, id int64) (*placesview.TerminalAt, error) {
	at, who := &placesview.TerminalAt{}, kit.Actor(c)
	err := database.Together(c.UserContext(), func(ctx context.Context) error {
		place, history, err := h.Terminals.History(ctx, who, id)
		if err == nil {
			at.Terminal, at.History = *place, history
		}
		return err
	}, func(ctx context.Context) error {
		day, err := h.TerminalDay(ctx, who, id, h.Window().Calendar.Day(h.Clock.Now()))
		if err == nil {
			at.Day = *day
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	if at.Stores, err = h.Stores(c); err != nil {
		return nil, err
	}
	at.Page = h.Page(c)
	return at, nil
}

// EditTerminal handles GET /terminals/:id/edit.
func (h *Handlers) EditTerminal(c *fiber.Ctx, id int64) error {
	return h.editForm(c, fiber.StatusOK, id, func(*placesview.TerminalEditView) {})
}

// editForm shows what a terminal is called and its merchant id; show puts in what was
// entered.
func (h *Handlers) editForm(c *fiber.Ctx, status int, id int64, show func(*placesview.TerminalEditView)) error {
	place, _, err := h.Terminals.History(c.UserContext(), kit.Actor(c), id)
	if err != nil {
		return err
	}
	v := &placesview.TerminalEditView{
		Page: h.Page(c), Terminal: *place, Label: placesview.LabelForm{Label: place.Label},
		Merchant: placesview.MoveForm{StoreID: place.StoreID, MerchantID: place.MerchantID},
	}
	show(v)
	return kit.Render(c, status, placesview.TerminalEdit(v))
}

// RelabelTerminal handles POST /terminals/:id.
func (h *Handlers) RelabelTerminal(c *fiber.Ctx, id int64) error {
	label := c.FormValue("label")
	return h.Change(c, func(version int) error {
		return h.Terminals.RelabelTerminal(c.UserContext(), kit.Actor(c), id, version, label)
	}, terminalPath(id), "flash.saved", func(status int, errs ui.Errors) error {
		return h.editForm(c, status, id, func(v *placesview.TerminalEditView) {
			v.Label = placesview.LabelForm{Label: label, Errors: errs}
		})
	})
}

// NewMove handles GET /terminals/:id/moves/new, where store and from may be chosen already.
func (h *Handlers) NewMove(c *fiber.Ctx, id int64) error {
	return h.moveForm(c, fiber.StatusOK, id, placesview.MoveForm{StoreID: kit.ChosenID(c.Query("store")), From: c.Query("from")})
}

func (h *Handlers) moveForm(c *fiber.Ctx, status int, id int64, form placesview.MoveForm) error {
	at, err := h.terminalAt(c, id)
	if err != nil {
		return err
	}
	if status == fiber.StatusOK {
		form.MerchantID = at.Terminal.MerchantID
	}
	return kit.Render(c, status, placesview.TerminalMove(&placesview.TerminalMoveView{TerminalAt: *at, Form: form}))
}

const (
	flashMoved       = "flash.moved"
	flashMovePlanned = "flash.movePlanned"
)

// MoveTerminal handles POST /terminals/:id/moves: to another store, or with stays only to
// another merchant id, from the page on which its name is changed.
func (h *Handlers) MoveTerminal(c *fiber.Ctx, id int64) error {
	in := terminals.MoveInput{
		StoreID: kit.ChosenID(c.FormValue("store")), MerchantID: c.FormValue("merchantId"), From: c.FormValue("from"),
	}
	form := placesview.MoveForm{StoreID: in.StoreID, MerchantID: in.MerchantID, From: in.From}
	stays, done := c.FormValue("stays") == "on", flashMoved
	from, err := models.ParseInstant("from", in.From, h.Clock.Now(), h.Window().Calendar.Zone())
	switch {
	case stays:
		done = "flash.saved"
	case err == nil && from.After(h.Clock.Now()):
		done = flashMovePlanned
	}
	return h.Change(c, func(version int) error {
		form.Why = h.Terminals.MoveTerminal(c.UserContext(), kit.Actor(c), id, version, in)
		return form.Why
	}, terminalPath(id), done, func(status int, errs ui.Errors) error {
		form.Errors = errs
		if !stays {
			return h.moveForm(c, status, id, form)
		}
		if same := errs["store"]; same != "" { // its form has no store to choose
			form.Errors = ui.Errors{"merchantId": same}
		}
		return h.editForm(c, status, id, func(v *placesview.TerminalEditView) { v.Merchant = form })
	})
}

// WithdrawPlan handles POST /terminals/:id/plan/withdrawal.
func (h *Handlers) WithdrawPlan(c *fiber.Ctx, id int64) error {
	return h.actOnTerminal(c, id, "flash.planWithdrawn", h.Terminals.WithdrawPlan)
}

// RetireTerminal handles POST /terminals/:id/retirement.
func (h *Handlers) RetireTerminal(c *fiber.Ctx, id int64) error {
	return h.actOnTerminal(c, id, "flash.retired", h.Terminals.RetireTerminal)
}

// RestoreTerminal handles POST /terminals/:id/restoration.
func (h *Handlers) RestoreTerminal(c *fiber.Ctx, id int64) error {
	return h.actOnTerminal(c, id, "flash.restored", h.Terminals.RestoreTerminal)
}

// actOnTerminal does an act of the terminal's page, which shows why it was refused.
func (h *Handlers) actOnTerminal(c *fiber.Ctx, id int64, done string, act kit.ChangeByID) error {
	return h.Change(c, act.At(c, id), terminalPath(id), done, func(status int, errs ui.Errors) error {
		return h.terminalPage(c, status, id, errs)
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
