package handlers

import (
	"fmt"
	"slices"

	"github.com/gofiber/fiber/v2"

	"veinte/models/operations"
	"veinte/models/review"
	oversightview "veinte/views/oversight"
	"veinte/views/ui"
)

// listReview answers GET /review: the supervisor's inbox.
func (h *Handlers) listReview(c *fiber.Ctx) error {
	return h.reviewPage(c, fiber.StatusOK, review.Kind(c.Query("kind")), nil)
}

func (h *Handlers) reviewPage(c *fiber.Ctx, status int, kind review.Kind, errs ui.Errors) error {
	if kind != "" && !slices.Contains(review.Kinds, kind) {
		status, kind, errs = fiber.StatusUnprocessableEntity, "", ui.Errors{"": "filter.invalid"}
	}
	list, err := h.Review.Review(c.UserContext(), actor(c), kind)
	if err != nil {
		return err
	}
	return render(c, status, oversightview.Review(&oversightview.ReviewView{Page: h.page(c), Kind: kind, List: *list, Errors: errs}))
}

// markConflict answers POST /review/conflicts/:id, the id of a case.
func (h *Handlers) markConflict(c *fiber.Ctx) error {
	return h.markReviewed(c, review.ReviewConflict)
}

// markResult answers POST /review/results/:id.
func (h *Handlers) markResult(c *fiber.Ctx) error {
	return h.markReviewed(c, review.ReviewResult)
}

func (h *Handlers) markReviewed(c *fiber.Ctx, what review.Kind) error {
	id, err := paramID(c)
	if err != nil {
		return err
	}
	shown := review.Kind(c.FormValue("kind"))
	err = h.Review.MarkReviewed(c.UserContext(), actor(c), what, id, c.FormValue("seen"), c.FormValue("note"))
	if errs, status, ok := refused(err); ok {
		return shownIn(err, h.reviewPage(c, status, shown, errs))
	}
	if err != nil {
		return err
	}
	to := "/review"
	if slices.Contains(review.Kinds, shown) {
		to += "?kind=" + string(shown)
	}
	return h.done(c, to, "flash.reviewed")
}

// toReview counts what waits for the reader. A page is drawn without the number
// rather than not at all.
func (h *Handlers) toReview(c *fiber.Ctx) int {
	n, err := h.Review.ReviewCount(c.UserContext(), actor(c))
	if err != nil {
		h.Logger.WarnContext(c.UserContext(), "count what is to review", "error", err)
	}
	return n
}

// noticesKey stands for the notices in the tag of a polled list.
func noticesKey(n operations.Notices) string {
	key := fmt.Sprint(n.Outage, n.Ahead, n.Endpoints)
	if n.Pause != nil {
		key += fmt.Sprint(" pause ", n.Pause.ID)
	}
	if n.Unanswered != nil {
		key += fmt.Sprint(" unanswered ", n.Unanswered.Since.Unix())
	}
	if n.Sealing != nil { // since when changes with the clock, and the tag does every minute
		key += fmt.Sprint(" sealing ", n.Sealing.Code, n.Sealing.Sealed, n.Sealing.Seen)
	}
	return key
}
