package handlers

import (
	"errors"

	"github.com/gofiber/fiber/v2"

	"veinte/handlers/api"
	"veinte/models"
	"veinte/models/database"
	"veinte/views/ui"
)

// Refusals of requests that no model sees.
var (
	errCSRF     = &models.Error{Kind: models.KindForbidden, Code: "error.csrf"}
	errOldForm  = &models.Refusal{Err: errCSRF, Mistake: true}                   // our own site's, without its token
	errNoPlace  = &models.Refusal{Err: models.ErrNotFound, Mistake: true}        // an address that is nobody's
	errConflict = &models.Error{Kind: models.KindConflict, Code: "act.conflict"} // with what is there, as a form says in other words
	errBadInput = &models.Error{Kind: models.KindInvalid, Code: "error.badRequest"}
)

var statuses = map[models.Kind]int{
	models.KindInvalid:   fiber.StatusUnprocessableEntity,
	models.KindNotFound:  fiber.StatusNotFound,
	models.KindForbidden: fiber.StatusForbidden,
	models.KindConflict:  fiber.StatusConflict,
	models.KindTooLate:   fiber.StatusConflict,
	models.KindTooMany:   fiber.StatusTooManyRequests,
}

// answerError is the one place that turns errors into pages. What a person may
// read is a code to translate; the rest is logged and shown as an internal
// error with the number under which the log has it.
func (h *Handlers) answerError(c *fiber.Ctx, err error) error {
	if api.Owns(c.Path()) {
		h.beginUnlessBegun(c)
		return h.API.AnswerError(c, err)
	}
	status, code := fiber.StatusInternalServerError, "error.internal"
	var known *models.Error
	var http *fiber.Error
	switch {
	case errors.As(err, &known):
		status, code = statuses[known.Kind], known.Code
		if known == errBadInput {
			status = fiber.StatusBadRequest
		}
	case errors.As(err, &http):
		status, code = http.Code, codeOf(http.Code)
	case errors.Is(err, database.ErrNotCommitted):
		status, code = fiber.StatusServiceUnavailable, "error.notSaved"
	case errors.Is(err, database.ErrCommitInDoubt):
		status, code = fiber.StatusServiceUnavailable, "error.inDoubt"
	default:
		// Without its database the server says so instead of guessing.
		if why := h.unavailable(c, err); why != "" {
			status, code = fiber.StatusServiceUnavailable, why
		}
	}
	h.beginUnlessBegun(c)
	if status < fiber.StatusInternalServerError && readerOf(c).token == "" {
		// No guard has asked who it is, and the page's own forms must work.
		_ = h.recognise(c)
	}
	view := ui.ErrorView{Page: h.page(c), Status: status, Code: code}
	view.Back, _ = c.Locals(backKey).(string)
	if status == fiber.StatusServiceUnavailable {
		view.Page.Notices.Outage = nil // the page says it
	}
	if status >= fiber.StatusInternalServerError {
		view.RequestID = actor(c).RequestID
		h.Logger.ErrorContext(c.UserContext(), "request failed",
			"method", c.Method(), "route", c.Route().Path, "request", view.RequestID, "error", err)
	}
	return render(c, status, ui.Error(view))
}

// beginUnlessBegun begins a request that was refused before any of ours saw it:
// too large, or not HTTP at all.
func (h *Handlers) beginUnlessBegun(c *fiber.Ctx) {
	if _, begun := c.Locals(readerKey).(reader); !begun {
		h.begin(c)
		h.setHeaders(c)
	}
}

// unavailable says in a code why nothing can be done at the moment; "" when it
// can, and the error has another cause.
func (h *Handlers) unavailable(c *fiber.Ctx, err error) string {
	outage := database.OutageOf(err)
	if outage == nil && h.Ready != nil {
		ready := h.Ready(c.UserContext())
		if outage = database.OutageOf(ready); outage == nil && ready != nil {
			return "error.unavailable"
		}
	}
	if outage == nil {
		return ""
	}
	return outage.Code
}

// codeOf words the refusals of the HTTP layer itself.
func codeOf(status int) string {
	switch status {
	case fiber.StatusNotFound:
		return "error.notFound"
	case fiber.StatusMethodNotAllowed:
		return "error.methodNotAllowed"
	case fiber.StatusRequestEntityTooLarge:
		return "error.tooLarge"
	case fiber.StatusRequestURITooLong, fiber.StatusRequestHeaderFieldsTooLarge:
		return "error.addressTooLong"
	case fiber.StatusServiceUnavailable:
		return "error.unavailable"
	}
	if status < fiber.StatusInternalServerError {
		return "error.badRequest"
	}
	return "error.internal"
}

// refused returns what a form shows of an error: the field at fault, or "" for
// the form as a whole. ok is false when the error is none a person can mend.
func refused(err error) (e ui.Errors, status int, ok bool) {
	var known *models.Error
	if !errors.As(err, &known) || known.Kind == models.KindNotFound {
		return nil, 0, false
	}
	return ui.Errors{known.Field: known.Code}, statuses[known.Kind], true
}

// answered is a refusal whose answer is written: a form that says what is wrong.
type answered struct{ error }

func (a *answered) Unwrap() error { return a.error }

// shownIn returns the refusal that a page shows, so that the guard learns of it;
// or why the page could not be written.
func shownIn(refusal, writing error) error {
	if writing != nil || refusal == nil {
		return writing
	}
	return &answered{refusal}
}
