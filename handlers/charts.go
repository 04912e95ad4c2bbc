package handlers

import (
	"github.com/gofiber/fiber/v2"

	"veinte/models"
	"veinte/models/oversight"
	"veinte/models/sales"
	oversightview "veinte/views/oversight"
	salesview "veinte/views/sales"
	"veinte/views/ui"
)

// charted reads by what bars are drawn: by amount unless asked otherwise.
func charted(c *fiber.Ctx) ui.ChartBy {
	if by := ui.ChartBy(c.Query("by")); by == ui.ChartSales {
		return by
	}
	return ui.ChartAmount
}

// showDay answers GET /sales/day?date&store&by.
func (h *Handlers) showDay(c *fiber.Ctx) error {
	f, errs := h.saleFilter(c)
	delete(errs, "state")
	delete(errs, "terminal")
	figures, err := h.Sales.DayFigures(c.UserContext(), actor(c), f)
	if err != nil {
		return err
	}
	dir, err := h.Terminals.Directory(c.UserContext())
	if err != nil {
		return err
	}
	status := fiber.StatusOK
	if len(errs) > 0 {
		status = fiber.StatusUnprocessableEntity
	}
	return render(c, status, salesview.Day(&salesview.DayView{
		Page: h.page(c), Filter: sales.Filter{Day: f.Day, StoreID: f.StoreID}, By: charted(c),
		Stores: dir.Visible(actor(c)), Terminals: dir.Terminals, Figures: *figures, Errors: errs,
	}))
}

// showPeriod answers GET /oversight/days?unit=week|month&from&store&by.
func (h *Handlers) showPeriod(c *fiber.Ctx) error {
	store, err := queryID(c, "store")
	if err != nil {
		return err
	}
	f := oversight.PeriodFilter{Unit: oversight.PeriodUnit(clip(c.Query("unit"), 20)), From: models.Day(clip(c.Query("from"), 20)), StoreID: store}
	v := &oversightview.PeriodView{Page: h.page(c), By: charted(c), Filter: f}
	status := fiber.StatusOK
	v.Figures, err = h.Oversight.Period(c.UserContext(), actor(c), f)
	if errs, wrong, ok := refused(err); ok && wrong == fiber.StatusUnprocessableEntity {
		v.Errors, status = errs, wrong
	} else if err != nil {
		return err
	} else {
		v.Filter = v.Figures.Filter
		first, last := v.Filter.Days()
		err = h.Oversight.Read(c.UserContext(), actor(c), "days", oversight.Filter{From: first, To: last, StoreID: store})
		if err != nil {
			return err
		}
	}
	dir, err := h.Terminals.Directory(c.UserContext())
	if err != nil {
		return err
	}
	v.Stores = dir.Visible(actor(c))
	return render(c, status, oversightview.Period(v))
}
