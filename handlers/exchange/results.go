package exchange

import (
	"slices"

	"github.com/gofiber/fiber/v2"

	"veinte/handlers/kit"
	"veinte/models"
	"veinte/models/results"
	exchangeview "veinte/views/exchange"
)

// ListResults handles GET /results.
func (h *Handlers) ListResults(c *fiber.Ctx) error {
	f := results.Filter{
		ID:     max(int64(c.QueryInt("id")), 0),
		Status: models.ResultStatus(c.Query("status")), SerialNumber: kit.Clip(c.Query("serial"), 40), Cursor: c.Query("cursor"),
	}
	if !slices.Contains(exchangeview.ResultStatuses, f.Status) {
		f.Status = ""
	}
	page, err := h.Results(c.UserContext(), kit.Actor(c), f)
	if err != nil {
		return err
	}
	return kit.Render(c, fiber.StatusOK, exchangeview.Results(&exchangeview.ResultsView{Page: h.Page(c), Filter: f, List: *page}))
}
