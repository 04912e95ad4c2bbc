package places

import (
	"net/url"
	"strconv"
	"strings"

	"github.com/gofiber/fiber/v2"
	"github.com/valyala/fasthttp"

	"veinte/handlers/kit"
	"veinte/models"
	"veinte/models/terminals"
	placesview "veinte/views/places"
	"veinte/views/ui"
)

// chosenTerminals reads the terminals of a form or an address, each written as its
// id or as id:version. Anything else is skipped.
func chosenTerminals(args *fasthttp.Args) []terminals.ChosenTerminal {
	chosen := []terminals.ChosenTerminal{}
	for _, value := range args.PeekMulti("terminal") {
		id, version, _ := strings.Cut(string(value), ":")
		n, err := strconv.ParseInt(id, 10, 64)
		v, _ := strconv.ParseInt(version, 10, 32)
		if err == nil && n > 0 && len(chosen) <= terminals.MaxMoves {
			chosen = append(chosen, terminals.ChosenTerminal{ID: n, Version: int(v)})
		}
	}
	return chosen
}

// NewMoves handles GET /terminals/moves/new.
func (h *Handlers) NewMoves(c *fiber.Ctx) error {
	chosen := chosenTerminals(c.Context().QueryArgs())
	if len(chosen) == 1 && c.Query("store") == "" && c.Query("from") == "" { // one has the form that says the most
		return c.Redirect(terminalPath(chosen[0].ID)+"/moves/new", fiber.StatusSeeOther)
	}
	return h.movesForm(c, fiber.StatusOK, chosen, placesview.MovesForm{StoreID: kit.ChosenID(c.Query("store")), From: c.Query("from")})
}

func (h *Handlers) movesForm(c *fiber.Ctx, status int, chosen []terminals.ChosenTerminal, form placesview.MovesForm) error {
	list, err := h.terminalsByID(c, chosen)
	if err != nil {
		return err
	}
	stores, err := h.Stores(c)
	if err != nil {
		return err
	}
	return kit.Render(c, status, placesview.TerminalMovesNew(&placesview.TerminalMovesView{
		Page: h.Page(c), Stores: stores, Terminals: list, Form: form,
	}))
}

// terminalsByID reads the chosen terminals.
func (h *Handlers) terminalsByID(c *fiber.Ctx, chosen []terminals.ChosenTerminal) ([]models.TerminalPlace, error) {
	ids := make([]int64, len(chosen))
	for i := range chosen {
		ids[i] = chosen[i].ID
	}
	list, err := h.Terminals.Terminals(c.UserContext(), kit.Actor(c), terminals.Filter{IDs: ids})
	if err != nil {
		return nil, err
	}
	return list.Terminals, nil
}

// MoveTerminals handles POST /terminals/moves.
func (h *Handlers) MoveTerminals(c *fiber.Ctx) error {
	chosen := chosenTerminals(c.Context().PostArgs())
	form := placesview.MovesForm{StoreID: kit.ChosenID(c.FormValue("store")), From: c.FormValue("from")}
	outcomes, err := h.Terminals.MoveTerminals(c.UserContext(), kit.Actor(c), terminals.MovesInput{
		Terminals: chosen, StoreID: form.StoreID, From: form.From,
	})
	moved := url.Values{}
	for _, o := range outcomes {
		moved.Add("terminal", strconv.FormatInt(o.TerminalID, 10))
	}
	return h.Finish(c, err, "/terminals/moves?"+moved.Encode(), "flash.movedMany", func(status int, errs ui.Errors) error {
		form.Errors = errs
		if len(outcomes) > 0 {
			form.Why = map[int64]error{}
		}
		for _, o := range outcomes {
			form.Why[o.TerminalID] = o.Err
		}
		return h.movesForm(c, status, chosen, form)
	})
}

// ShowMoves handles GET /terminals/moves: the terminals that were moved.
func (h *Handlers) ShowMoves(c *fiber.Ctx) error {
	list, err := h.terminalsByID(c, chosenTerminals(c.Context().QueryArgs()))
	if err != nil {
		return err
	}
	return kit.Render(c, fiber.StatusOK, placesview.TerminalMoves(&placesview.TerminalMovesView{Page: h.Page(c), Terminals: list}))
}
