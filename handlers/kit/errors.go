package kit

import (
	"cmp"
	"errors"

	"github.com/gofiber/fiber/v2"

	"veinte/handlers/api"
	"veinte/models"
	"veinte/models/database"
	"veinte/models/rules"
	"veinte/views/ui"
)

// Refusals of requests that no model sees.
var (
	// errOtherSite refuses what a page of another site made the browser ask for.
	errOtherSite = &models.Error{Kind: models.KindForbidden, Code: "error.otherSite"}
	errCSRF      = &models.Error{Kind: models.KindForbidden, Code: "error.csrf"}
	errOldForm   = &models.Refusal{Err: errCSRF, Mistake: true}                   // our own site's, without its token
	ErrNoPage    = &models.Refusal{Err: models.ErrNotFound, Mistake: true}        // an address that is nobody's
	ErrConflict  = &models.Error{Kind: models.KindConflict, Code: "act.conflict"} // with what is there, as a form says in other words
	ErrBadInput  = &models.Error{Kind: models.KindInvalid, Code: "error.badRequest"}
)

var statuses = map[models.Kind]int{
	models.KindInvalid:   fiber.StatusUnprocessableEntity,
	models.KindNotFound:  fiber.StatusNotFound,
	models.KindForbidden: fiber.StatusForbidden,
	models.KindConflict:  fiber.StatusConflict,
	models.KindTooLate:   fiber.StatusConflict,
	models.KindTooMany:   fiber.StatusTooManyRequests,
}

// statusGone is for the records of a proxy: the client has hung up.
const statusGone = 499

// RenderError turns errors into pages. A refusal is shown by its translated code.
// Any other error is logged, and shown as an internal error with the number of its
// log record.
func (k *Kit) RenderError(c *fiber.Ctx, err error) error {
	if c.UserContext().Err() != nil {
		return c.SendStatus(statusGone) // to nobody
	}
	if api.Owns(c.Path()) {
		k.beginUnlessBegun(c)
		return k.Programs(c, err)
	}
	status, code := fiber.StatusInternalServerError, "error.internal"
	var known *models.Error
	var http *fiber.Error
	switch {
	case errors.As(err, &known):
		status, code = statuses[known.Kind], known.Code
		if known == ErrBadInput {
			status = fiber.StatusBadRequest
		}
	case errors.As(err, &http):
		status, code = http.Code, codeOf(http.Code)
	case errors.Is(err, database.ErrNotCommitted):
		status, code = fiber.StatusServiceUnavailable, "error.notSaved"
	case errors.Is(err, database.ErrCommitInDoubt):
		status, code = fiber.StatusServiceUnavailable, "error.inDoubt"
	default:
		// Without its database the server reports that it is unavailable.
		if why := k.unavailable(c, err); why != "" {
			status, code = fiber.StatusServiceUnavailable, why
		}
	}
	k.beginUnlessBegun(c)
	if status < fiber.StatusInternalServerError && ReaderOf(c).Token == "" {
		// No guard has identified the user yet, and the forms on the page must work.
		if found, err := k.find(c.UserContext(), sessionToken(c)); err == nil {
			k.recognise(c, found)
		}
	}
	view := ui.ErrorView{Page: k.Page(c), Status: status, Code: code}
	view.Back, _ = c.Locals(backKey).(string)
	if status == fiber.StatusServiceUnavailable {
		view.Page.Notices.Outage = nil // the page says it
	}
	if status >= fiber.StatusInternalServerError {
		view.RequestID = Actor(c).RequestID
		k.Logger.ErrorContext(c.UserContext(), "request failed",
			"method", c.Method(), "route", c.Route().Path, "request", view.RequestID, "error", err)
	}
	return Render(c, status, ui.Error(view))
}

// beginUnlessBegun begins a request that was refused before any of ours saw it:
// too large, or not HTTP at all.
func (k *Kit) beginUnlessBegun(c *fiber.Ctx) {
	if _, begun := c.Locals(readerKey).(Reader); !begun {
		k.begin(c)
		k.SetHeaders(&c.Response().Header)
	}
}

// unavailable returns a code for why the server cannot work at the moment; "" when
// it can and the error has another cause.
func (k *Kit) unavailable(c *fiber.Ctx, err error) string {
	outage := database.OutageOf(err)
	if outage == nil && k.Ready != nil {
		ready := k.Ready(c.UserContext())
		if outage = database.OutageOf(ready); outage == nil && ready != nil {
			return "error.unavailable"
		}
	}
	if outage == nil {
		return ""
	}
	return outage.Code
}

// codes word the refusals of the HTTP layer itself.
var codes = map[int]string{
	fiber.StatusNotFound:                    "error.notFound",
	fiber.StatusMethodNotAllowed:            "error.methodNotAllowed",
	fiber.StatusRequestEntityTooLarge:       "error.tooLarge",
	fiber.StatusRequestURITooLong:           "error.addressTooLong",
	fiber.StatusRequestHeaderFieldsTooLarge: "error.addressTooLong",
	fiber.StatusServiceUnavailable:          "error.unavailable",
}

func codeOf(status int) string {
	fallback := "error.internal"
	if status < fiber.StatusInternalServerError {
		fallback = "error.badRequest"
	}
	return cmp.Or(codes[status], fallback)
}

// Refused returns what a form shows of an error: the field at fault, or "" for the
// form as a whole. ok is false when the user cannot correct the error.
func Refused(err error) (e ui.Errors, status int, ok bool) {
	var known *models.Error
	if !errors.As(err, &known) || known.Kind == models.KindNotFound {
		return nil, 0, false
	}
	e = ui.Errors{known.Field: known.Code}
	var all rules.Refusals
	if errors.As(err, &all) {
		e = ErrorsOf(all)
	}
	return e, statuses[known.Kind], true
}

// ErrorsOf lists refusals by their field.
func ErrorsOf(refusals []*models.Error) ui.Errors {
	errs := ui.Errors{}
	for _, e := range refusals {
		errs[e.Field] = e.Code
	}
	return errs
}

// StatusOf is the status of a page that shows what is wrong with its address.
func StatusOf(errs ui.Errors) int {
	if len(errs) > 0 {
		return fiber.StatusUnprocessableEntity
	}
	return fiber.StatusOK
}

// answered is a refusal whose response is already written, such as a form with its
// errors.
type answered struct{ error }

func (a *answered) Unwrap() error { return a.error }

// ShownIn returns the refusal that a page shows, so that the guard learns of it;
// or why the page could not be written.
func ShownIn(refusal, writing error) error {
	if writing != nil || refusal == nil {
		return writing
	}
	return &answered{refusal}
}

// backKey is where the answer to a refusal leads back to.
const backKey = "back"

// LeadBack sets the page to which a refusal links back, such as the form with the
// filter of a refused download.
func LeadBack(c *fiber.Ctx, to string) { c.Locals(backKey, to) }
