package oversight

import (
	"slices"

	"github.com/gofiber/fiber/v2"

	"veinte/handlers/kit"
	"veinte/models/review"
	oversightview "veinte/views/oversight"
	"veinte/views/ui"
)

// ListReview handles GET /review?kind&q&cursor: the inbox, and with show=handled what was
// handled lately. mark names the item whose note is open.
func (h *Handlers) ListReview(c *fiber.Ctx) error {
	if c.Query("show") == "handled" {
		return h.handledPage(c)
	}
	f := review.Filter{Kind: review.Kind(c.Query("kind")), Query: c.Query("q"), Cursor: c.Query("cursor")}
	v := &oversightview.ReviewView{Filter: f, Open: kit.Clip(c.Query("mark"), 40)}
	return h.reviewPage(c, fiber.StatusOK, v)
}

func (h *Handlers) handledPage(c *fiber.Ctx) error {
	done, err := h.Review.HandledLately(c.UserContext(), kit.Actor(c))
	if err != nil {
		return err
	}
	counts, err := h.Review.Counts(c.UserContext(), kit.Actor(c))
	if err != nil {
		return err
	}
	v := &oversightview.HandledView{Page: h.Page(c), Counts: counts, Handled: done}
	return kit.Render(c, fiber.StatusOK, oversightview.HandledLately(v))
}

// reviewPage draws the inbox. Values that cannot be read are ignored and reported.
func (h *Handlers) reviewPage(c *fiber.Ctx, status int, v *oversightview.ReviewView) error {
	if v.Kind != "" && !slices.Contains(review.Kinds, v.Kind) {
		status, v.Kind, v.Errors = fiber.StatusUnprocessableEntity, "", ui.Errors{"": "filter.invalid"}
	}
	text, wrong := review.ParseQuery(v.Query, h.Clock.Now())
	if v.Query = text; len(wrong) > 0 && v.Errors == nil {
		status, v.Errors = fiber.StatusUnprocessableEntity, ui.Errors{"q": wrong[0].Code}
	}
	list, err := h.Review.Review(c.UserContext(), kit.Actor(c), v.Filter)
	if errs, wrong, ok := kit.Refused(err); ok && wrong == fiber.StatusUnprocessableEntity {
		v.Cursor, v.Errors, status = "", errs, wrong
		list, err = h.Review.Review(c.UserContext(), kit.Actor(c), v.Filter)
	}
	if err != nil {
		return err
	}
	v.Page, v.List = h.Page(c), *list
	return kit.Render(c, status, oversightview.Review(v))
}

// MarkConflict handles POST /review/conflicts/:id, the id of a cancellation.
func (h *Handlers) MarkConflict(c *fiber.Ctx, id int64) error {
	err := h.Review.MarkReviewed(c.UserContext(), kit.Actor(c), review.ReviewConflict, id, c.FormValue("seen"), c.FormValue("note"))
	return h.handled(c, err, review.Item{Kind: review.ReviewConflict, ID: id})
}

// MarkResult handles POST /review/results/:id.
func (h *Handlers) MarkResult(c *fiber.Ctx, id int64) error {
	err := h.Review.MarkReviewed(c.UserContext(), kit.Actor(c), review.ReviewResult, id, c.FormValue("seen"), c.FormValue("note"))
	return h.handled(c, err, review.Item{Kind: review.ReviewResult, ID: id})
}

// AttendAlert handles POST /alerts/:id/attention.
func (h *Handlers) AttendAlert(c *fiber.Ctx, id int64) error {
	err := h.Alerts.Attend(c.UserContext(), kit.Actor(c), id, c.FormValue("note"))
	return h.handled(c, err, review.Item{Kind: review.ReviewAlert, ID: id})
}

// handled ends a mark: the inbox as it was shown, without the item or with why it is
// still there.
func (h *Handlers) handled(c *fiber.Ctx, err error, i review.Item) error {
	shown, to := kit.Inbox(c)
	if shown == "all" {
		shown = ""
	}
	return h.Finish(c, err, to, "flash.reviewed", func(status int, errs ui.Errors) error {
		return h.reviewPage(c, status, &oversightview.ReviewView{
			Filter: review.Filter{Kind: review.Kind(shown), Query: c.FormValue("q")},
			Open:   oversightview.ItemName(&i), Note: kit.Clip(c.FormValue("note"), 400), Errors: errs,
		})
	})
}

// ListAlerts handles GET /alerts, the address in letters: alerts are items of the inbox.
func (h *Handlers) ListAlerts(c *fiber.Ctx) error {
	return c.Redirect("/review?kind="+string(review.ReviewAlert), fiber.StatusSeeOther)
}
