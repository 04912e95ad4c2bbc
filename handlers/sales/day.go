package sales

import (
	"github.com/gofiber/fiber/v2"

	"veinte/handlers/kit"
	"veinte/models/sales"
	salesview "veinte/views/sales"
)

// ShowDay handles GET /sales/day?date&store&by.
func (h *Handlers) ShowDay(c *fiber.Ctx) error {
	f, errs := h.saleFilter(c)
	delete(errs, "state")
	delete(errs, "terminal")
	figures, err := h.Sales.DayFigures(c.UserContext(), kit.Actor(c), f)
	if err != nil {
		return err
	}
	dir, err := h.Directory(c.UserContext())
	if err != nil {
		return err
	}
	return kit.Render(c, kit.StatusOf(errs), salesview.Day(&salesview.DayView{
		Page: h.Page(c), Filter: sales.Filter{Day: f.Day, StoreID: f.StoreID}, By: kit.ChartBy(c),
		Stores: dir.Visible(kit.Actor(c)), Terminals: dir.Terminals, Figures: *figures, Errors: errs,
	}))
}
