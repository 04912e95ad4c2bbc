package handlers

import (
	"errors"
	"slices"

	"github.com/gofiber/fiber/v2"

	"veinte/models"
	"veinte/models/results"
	exchangeview "veinte/views/exchange"
)

// listResults answers GET /results.
func (h *Handlers) listResults(c *fiber.Ctx) error {
	f := results.Filter{
		Status: models.ResultStatus(c.Query("status")), SerialNumber: clip(c.Query("serial"), 40), Cursor: c.Query("cursor"),
	}
	if !slices.Contains(exchangeview.ResultStatuses, f.Status) {
		f.Status = ""
	}
	page, err := h.Results.Results(c.UserContext(), actor(c), f)
	if err != nil {
		return err
	}
	return render(c, fiber.StatusOK, exchangeview.Results(&exchangeview.ResultsView{Page: h.page(c), Filter: f, List: *page}))
}

// takeResult answers POST /results/:secret. That somebody came without the
// secret is in the trail.
func (h *Handlers) takeResult(c *fiber.Ctx) error {
	err := h.TakeResult(c)
	if errors.Is(err, fiber.ErrNotFound) {
		if failed := h.Audit.RefusedResult(c.UserContext(), actor(c)); failed != nil {
			return failed
		}
	}
	return err
}
