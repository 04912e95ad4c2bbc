package handlers

import (
	"github.com/gofiber/fiber/v2"

	"veinte/models"
	salesview "veinte/views/sales"
	"veinte/views/ui"
)

// listPending answers GET /sales/pending?date&store: what is left of a day to be
// settled with customers.
func (h *Handlers) listPending(c *fiber.Ctx) error {
	v := &salesview.PendingView{Page: h.page(c), Day: h.Rules.Window().Calendar.Day(h.Clock.Now()), Errors: ui.Errors{}}
	status := fiber.StatusOK
	if date := c.Query("date"); date != "" {
		day, err := models.ParseDay(date)
		if err != nil {
			v.Errors["date"], status = "date.invalid", fiber.StatusUnprocessableEntity
		} else {
			v.Day = day
		}
	}
	var err error
	if v.Store, err = queryID(c, "store"); err != nil {
		return err
	}
	pending, err := h.Cancellations.Pending(c.UserContext(), actor(c), v.Day, v.Store)
	if err != nil {
		return err
	}
	dir, err := h.Terminals.Directory(c.UserContext())
	if err != nil {
		return err
	}
	v.Stores, v.Pending = dir.Visible(actor(c)), *pending
	return render(c, status, salesview.Pending(v))
}
