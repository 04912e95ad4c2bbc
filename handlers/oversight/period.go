package oversight

import (
	"github.com/gofiber/fiber/v2"

	"veinte/handlers/kit"
	"veinte/models"
	"veinte/models/oversight"
	oversightview "veinte/views/oversight"
)

// ShowPeriod handles GET /oversight/days?unit=week|month&from&store&by.
func (h *Handlers) ShowPeriod(c *fiber.Ctx) error {
	store, err := kit.QueryID(c, "store")
	if err != nil {
		return err
	}
	f := oversight.PeriodFilter{
		Unit: oversight.PeriodUnit(kit.Clip(c.Query("unit"), 20)), From: models.Day(kit.Clip(c.Query("from"), 20)), StoreID: store,
	}
	v := &oversightview.PeriodView{Page: h.Page(c), By: kit.ChartBy(c), Filter: f}
	status := fiber.StatusOK
	v.Figures, err = h.Oversight.Period(c.UserContext(), kit.Actor(c), f)
	if errs, wrong, ok := kit.Refused(err); ok && wrong == fiber.StatusUnprocessableEntity {
		v.Errors, status = errs, wrong
	} else if err != nil {
		return err
	} else {
		v.Filter = v.Figures.Filter
		first, last := v.Filter.Days()
		err = h.Oversight.Read(c.UserContext(), kit.Actor(c), "days", oversight.Filter{From: first, To: last, StoreID: store})
		if err != nil {
			return err
		}
	}
	if v.Stores, err = h.Stores(c); err != nil {
		return err
	}
	return kit.Render(c, status, oversightview.Period(v))
}
