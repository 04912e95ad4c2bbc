package oversight

import (
	"slices"

	"github.com/gofiber/fiber/v2"

	"veinte/handlers/kit"
	"veinte/models/review"
	oversightview "veinte/views/oversight"
	"veinte/views/ui"
)

// ListReview handles GET /review: the supervisor's inbox.
func (h *Handlers) ListReview(c *fiber.Ctx) error {
	return h.reviewPage(c, fiber.StatusOK, review.Kind(c.Query("kind")), nil)
}

func (h *Handlers) reviewPage(c *fiber.Ctx, status int, kind review.Kind, errs ui.Errors) error {
	if kind != "" && !slices.Contains(review.Kinds, kind) {
		status, kind, errs = fiber.StatusUnprocessableEntity, "", ui.Errors{"": "filter.invalid"}
	}
	list, err := h.Review.Review(c.UserContext(), kit.Actor(c), kind)
	if err != nil {
		return err
	}
	return kit.Render(c, status, oversightview.Review(&oversightview.ReviewView{Page: h.Page(c), Kind: kind, List: *list, Errors: errs}))
}

// MarkConflict handles POST /review/conflicts/:id, the id of a cancellation.
func (h *Handlers) MarkConflict(c *fiber.Ctx, id int64) error {
	return h.markReviewed(c, id, review.ReviewConflict)
}

// MarkResult handles POST /review/results/:id.
func (h *Handlers) MarkResult(c *fiber.Ctx, id int64) error {
	return h.markReviewed(c, id, review.ReviewResult)
}

func (h *Handlers) markReviewed(c *fiber.Ctx, id int64, what review.Kind) error {
	shown := review.Kind(c.FormValue("kind"))
	err := h.Review.MarkReviewed(c.UserContext(), kit.Actor(c), what, id, c.FormValue("seen"), c.FormValue("note"))
	to := "/review"
	if slices.Contains(review.Kinds, shown) {
		to += "?kind=" + string(shown)
	}
	return h.Finish(c, err, to, "flash.reviewed", func(status int, errs ui.Errors) error {
		return h.reviewPage(c, status, shown, errs)
	})
}
