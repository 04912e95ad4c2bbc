package handlers

import (
	"errors"
	"slices"

	"github.com/gofiber/fiber/v2"

	"veinte/models"
	exchangeview "veinte/views/exchange"
)

// listResults answers GET /results.
func (h *Handlers) listResults(c *fiber.Ctx) error {
	f := models.ResultFilter{
		Status: models.ResultStatus(c.Query("status")), SerialNumber: clip(c.Query("serial"), 40), Cursor: c.Query("cursor"),
	}
	if !slices.Contains(exchangeview.ResultStatuses, f.Status) {
		f.Status = ""
	}
	page, err := h.DB.Results(c.UserContext(), actor(c), f)
	if err != nil {
		return err
	}
	return render(c, fiber.StatusOK, exchangeview.Results(&exchangeview.ResultsView{Page: h.page(c), Filter: f, List: *page}))
}

// takeResult answers POST /results/:secret. That somebody came without the
// secret is in the trail.
func (h *Handlers) takeResult(c *fiber.Ctx) error {
	err := h.Results(c)
	if errors.Is(err, fiber.ErrNotFound) {
		if failed := h.DB.StrayResult(c.UserContext(), actor(c), h.Clock.Now()); failed != nil {
			return failed
		}
	}
	return err
}
