package places

import (
	"strconv"

	"github.com/gofiber/fiber/v2"

	"veinte/handlers/kit"
	"veinte/models/terminals"
	placesview "veinte/views/places"
	"veinte/views/ui"
)

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
