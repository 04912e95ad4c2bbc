package sales

import (
	"github.com/gofiber/fiber/v2"

	"veinte/handlers/kit"
	"veinte/models"
	salesview "veinte/views/sales"
	"veinte/views/ui"
)

// ListPending handles GET /sales/pending?date&store: a day's cancellations that are
// not yet resolved with the customer.
func (h *Handlers) ListPending(c *fiber.Ctx) error {
	v := &salesview.PendingView{Page: h.Page(c), Day: h.Window().Calendar.Day(h.Clock.Now()), Errors: ui.Errors{}}
	if date := c.Query("date"); date != "" {
		day, err := models.ParseDay(date)
		if err != nil {
			v.Errors["date"] = "date.invalid"
		} else {
			v.Day = day
		}
	}
	var err error
	if v.Store, err = kit.QueryID(c, "store"); err != nil {
		return err
	}
	pending, err := h.Cancellations.Pending(c.UserContext(), kit.Actor(c), v.Day, v.Store)
	if err != nil {
		return err
	}
	if v.Stores, err = h.Stores(c); err != nil {
		return err
	}
	v.Pending = *pending
	return kit.Render(c, kit.StatusOf(v.Errors), salesview.Pending(v))
}
