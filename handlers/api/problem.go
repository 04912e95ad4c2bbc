package api

import (
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/danielgtaylor/huma/v2"
	"github.com/gofiber/fiber/v2"

	"veinte/handlers/api/reference"
	"veinte/handlers/api/shapes"
	"veinte/models"
	"veinte/models/apikeys"
	"veinte/models/audit"
	"veinte/models/audit/sealing"
	"veinte/models/audit/verify"
	"veinte/models/cancellations"
	"veinte/models/cards"
	"veinte/models/database"
	"veinte/models/intake"
	"veinte/views/locale"
)

// Problem is an error in the form of RFC 9457. Its type and codes are part of the
// contract; its texts are for people and come in their language.
type Problem struct {
	Type           string              `json:"type" format:"uri-reference" doc:"api.doc.problem.type" example:"/api/docs#problem-validation"`
	Title          string              `json:"title" doc:"api.doc.problem.title" example:"Hay algo que corregir"`
	Status         int                 `json:"status" doc:"api.doc.problem.status" example:"422"`
	Code           string              `json:"code" doc:"api.doc.problem.code" example:"validation"`
	Detail         string              `json:"detail" doc:"api.doc.problem.detail"`
	RequestID      string              `json:"requestId" doc:"api.doc.problem.requestId" example:"4f1d2c3b5a697887"`
	Errors         []shapes.FieldError `json:"errors,omitempty" doc:"api.doc.problem.errors"`
	Sales          []shapes.SaleName   `json:"sales,omitempty" doc:"api.doc.problem.sales"`
	CancellationID int64               `json:"cancellationId,omitempty" doc:"api.doc.problem.cancellationId"`
	Scope          string              `json:"scope,omitempty" doc:"api.doc.problem.scope" example:"sales:read"`
	Amount         string              `json:"amount,omitempty" doc:"api.doc.problem.amount" example:"1300.00"`
	AmountSeen     string              `json:"amountSeen,omitempty" doc:"api.doc.problem.amountSeen" example:"1250.00"`

	retry time.Duration // written as Retry-After; 0 for none
	cause error         // the refusal that it words; nil when it words none
}

// kind is a sort of problem: what its type ends in, and the status.
type kind struct {
	code   string
	status int
}

// The kinds of problems. The document lists each; a published code never changes.
var (
	kindMalformed        = kind{"malformed", http.StatusBadRequest}
	kindNoKey            = kind{"unauthenticated", http.StatusUnauthorized}
	kindScope            = kind{"forbidden", http.StatusForbidden}
	kindSupervisor       = kind{"needs-supervisor", http.StatusForbidden}
	kindNotFound         = kind{"not-found", http.StatusNotFound}
	kindNoAddress        = kind{"no-such-address", http.StatusNotFound}
	kindMethod           = kind{"method-not-allowed", http.StatusMethodNotAllowed}
	kindAmbiguous        = kind{"ambiguous", http.StatusConflict}
	kindConflict         = kind{"sale-differs", http.StatusConflict}
	kindWindow           = kind{"window-closed", http.StatusConflict}
	kindCancellationOpen = kind{"case-open", http.StatusConflict}
	kindState            = kind{"not-requestable", http.StatusConflict}
	kindAmountChanged    = kind{"amount-changed", http.StatusConflict}
	kindDayNotProven     = kind{"day-not-proven", http.StatusConflict}
	kindRetired          = kind{"terminal-retired", http.StatusConflict}
	kindAlreadySent      = kind{"already-sent", http.StatusConflict}
	kindNotYours         = kind{"not-correctable", http.StatusConflict}
	kindNotSealed        = kind{"not-sealed", http.StatusConflict}
	kindArchived         = kind{"archived", http.StatusConflict}
	kindPending          = kind{"repeat-in-progress", http.StatusConflict}
	kindStale            = kind{"changed-meanwhile", http.StatusPreconditionFailed}
	kindTooLarge         = kind{"too-large", http.StatusRequestEntityTooLarge}
	kindOverPace         = kind{"list-over-pace", http.StatusRequestEntityTooLarge}
	kindMediaType        = kind{"unsupported-media-type", http.StatusUnsupportedMediaType}
	kindInvalid          = kind{"validation", http.StatusUnprocessableEntity}
	kindOtherRepeat      = kind{"repeat-differs", http.StatusUnprocessableEntity}
	kindTooMany          = kind{"rate-limited", http.StatusTooManyRequests}
	kindInternal         = kind{"internal", http.StatusInternalServerError}
	kindPaused           = kind{"paused", http.StatusServiceUnavailable}
	kindUnavailable      = kind{"unavailable", http.StatusServiceUnavailable}
	kindInDoubt          = kind{"in-doubt", http.StatusServiceUnavailable}
)

// kinds lists them in the order of the document.
var kinds = []kind{
	kindMalformed, kindNoKey, kindScope, kindSupervisor, kindNotFound, kindNoAddress, kindMethod, kindAmbiguous,
	kindConflict, kindWindow, kindCancellationOpen, kindState, kindAmountChanged, kindDayNotProven, kindRetired,
	kindAlreadySent, kindNotYours, kindNotSealed, kindArchived, kindPending,
	kindStale, kindTooLarge, kindOverPace, kindMediaType, kindInvalid, kindOtherRepeat, kindTooMany, kindInternal, kindPaused,
	kindUnavailable, kindInDoubt,
}

// Refusals of requests that no model sees.
var (
	errNoSuchAddress = &models.Error{Kind: models.KindNotFound, Code: "api.noSuchAddress"}
	errMethod        = &models.Error{Kind: models.KindInvalid, Code: "error.methodNotAllowed"}
	errTooLarge      = &models.Error{Kind: models.KindInvalid, Code: "api.tooLarge"}
	errMediaType     = &models.Error{Kind: models.KindInvalid, Code: "api.mediaType"}
	errCompressed    = &models.Error{Kind: models.KindInvalid, Code: "api.compressed"}
	errTooManyKeys   = &models.Error{Kind: models.KindTooMany, Code: "api.tooManyKeys"}
	errPace          = &models.Error{Kind: models.KindTooMany, Code: "api.pace"}
	errTooFast       = &models.Error{Kind: models.KindTooMany, Code: "api.tooFast"} // as the trail calls it
	errWritten       = models.Invalid("", audit.Malformed)
	errDiffers       = &models.Error{Kind: models.KindConflict, Code: "api.differs"} // one problem or another, which words it
	errScope         = &models.Error{Kind: models.KindForbidden, Code: "api.scope"}
)

// kindOf maps a refusal's code to its problem.
var kindOf = map[string]kind{
	errNoSuchAddress.Code: kindNoAddress, errMethod.Code: kindMethod, errTooLarge.Code: kindTooLarge, errMediaType.Code: kindMediaType,
	errCompressed.Code: kindMediaType, errScope.Code: kindScope,
	apikeys.ErrKeyMissing.Code: kindNoKey, apikeys.ErrKeyMalformed.Code: kindNoKey, apikeys.ErrKeyUnknown.Code: kindNoKey,
	apikeys.ErrKeyExpired.Code: kindNoKey, apikeys.ErrKeyRevoked.Code: kindNoKey,
	models.ErrCancellationOpen.Code: kindCancellationOpen, models.ErrTooLate.Code: kindWindow, models.ErrOtherDay.Code: kindWindow,
	models.ErrDayNotProven.Code: kindDayNotProven, cancellations.ErrPaused.Code: kindPaused,
	"error.saleState": kindState, "error.severalSales": kindState, "error.needsSupervisor": kindSupervisor,
	"terminal.retired": kindRetired, models.ErrAmountChanged.Code: kindAmountChanged, "error.alreadySent": kindAlreadySent,
	intake.ErrOtherDoor.Code: kindNotYours, intake.ErrAsked.Code: kindNotYours,
	sealing.ErrNothingSealed.Code: kindNotSealed, sealing.ErrNotSealed.Code: kindNotSealed, verify.ErrEntryArchived.Code: kindArchived,
	models.ErrStale.Code: kindStale, apikeys.ErrRecordPending.Code: kindPending, apikeys.ErrRecordMismatch.Code: kindOtherRepeat,
}

// generalKinds are those of refusals that have none of their own.
var generalKinds = map[models.Kind]kind{
	models.KindNotFound: kindNotFound, models.KindForbidden: kindScope, models.KindTooMany: kindTooMany,
	models.KindConflict: kindState, models.KindTooLate: kindState,
}

// retryAfter is when a program may try again.
var retryAfter = map[kind]time.Duration{
	kindPaused: time.Minute, kindPending: time.Second,
	kindNotSealed: 5 * time.Second, kindUnavailable: 5 * time.Second, kindInDoubt: 5 * time.Second,
}

// Error makes a problem an error of huma's.
func (p *Problem) Error() string { return p.Code }

// Unwrap returns the refusal behind the problem.
func (p *Problem) Unwrap() error { return p.cause }

// GetStatus is the status of the response.
func (p *Problem) GetStatus() int { return p.Status }

// ContentType is that of problems.
func (p *Problem) ContentType(string) string { return problemType }

const problemType = reference.ProblemType

var _ huma.StatusError = (*Problem)(nil)

// of makes a problem of a kind, in the language of the request. args fill the
// detail, which is the text of a catalogue key.
func (a *API) of(c *fiber.Ctx, k kind, detail string, args ...any) *Problem {
	ctx := c.UserContext()
	return &Problem{
		Type: a.BaseURL + "/api/docs#problem-" + k.code, Title: locale.T(ctx, "api.problem."+k.code), Status: k.status, Code: k.code,
		Detail: locale.T(ctx, detail, args...), RequestID: a.from(c).RequestID, retry: retryAfter[k],
	}
}

// problem turns an error into what the program may see of it. An unexpected error is
// logged under the number in the response.
func (a *API) problem(c *fiber.Ctx, err error) *Problem {
	var ready *Problem
	var syntax *errSyntax
	var known *models.Error
	var http *fiber.Error
	switch {
	case errors.As(err, &ready):
		return ready
	case errors.As(err, &syntax):
		return a.of(c, kindMalformed, syntax.Code, "Line", syntax.Line, "Column", syntax.Column)
	case errors.As(err, &known):
		p := a.refusal(c, known)
		p.cause = err
		return p
	case errors.As(err, &http):
		return a.ofStatus(c, http.Code)
	case errors.Is(err, database.ErrNotCommitted):
		return a.later(a.of(c, kindUnavailable, "error.notSaved"), time.Second)
	case errors.Is(err, database.ErrCommitInDoubt):
		return a.logged(c, kindInDoubt, "api.inDoubt", err)
	}
	if outage := database.OutageOf(err); outage != nil {
		return a.logged(c, kindUnavailable, outage.Code, err)
	}
	return a.logged(c, kindInternal, "error.internal", err)
}

func (a *API) logged(c *fiber.Ctx, k kind, detail string, err error) *Problem {
	p := a.of(c, k, detail)
	if c.UserContext().Err() != nil { // whoever asked has hung up
		return p
	}
	a.Logger.ErrorContext(
		c.UserContext(), "api request failed", "method", c.Method(), "route", c.Route().Path, "request", p.RequestID, "error", err,
	)
	return p
}

func (a *API) later(p *Problem, wait time.Duration) *Problem {
	p.retry = wait
	return p
}

// refusal turns a refusal of the domain into a problem.
func (a *API) refusal(c *fiber.Ctx, e *models.Error) *Problem {
	k, ok := kindOf[e.Code]
	if !ok {
		k, ok = generalKinds[e.Kind]
	}
	if !ok {
		return a.invalid(c, a.fieldError(c, e, "", ""))
	}
	return a.of(c, k, e.Code)
}

// invalid makes the problem of fields that cannot be accepted.
func (a *API) invalid(c *fiber.Ctx, errs ...shapes.FieldError) *Problem {
	p := a.of(c, kindInvalid, "api.invalid")
	if len(errs) == 1 {
		p.Detail = errs[0].Detail
	}
	p.Errors, p.cause = errs, errWritten
	return p
}

// fieldError describes what is wrong with a field. at is the position of the field,
// such as body[3]; "" when the refusal's own field is enough.
func (a *API) fieldError(c *fiber.Ctx, e *models.Error, at, value string) shapes.FieldError {
	location := e.Field
	if at != "" && location != "" {
		location = at + "." + location
	} else if at != "" {
		location = at
	}
	return shapes.FieldError{Location: location, Code: e.Code, Detail: locale.Refusal(c.UserContext(), e.Field, e.Code), Value: value}
}

// ofStatus turns refusals of the HTTP layer into problems.
func (a *API) ofStatus(c *fiber.Ctx, status int) *Problem {
	known := map[int]*models.Error{
		http.StatusRequestEntityTooLarge: errTooLarge, http.StatusNotFound: errNoSuchAddress, http.StatusMethodNotAllowed: errMethod,
	}
	if err := known[status]; err != nil {
		return a.problem(c, err)
	}
	if status < http.StatusInternalServerError {
		return a.of(c, kindMalformed, "api.malformed")
	}
	return a.of(c, kindUnavailable, "error.unavailable")
}

// answer writes a problem.
func (a *API) answer(c *fiber.Ctx, p *Problem) error {
	a.dress(c, p)
	c.Response().ResetBody()
	if err := c.Status(p.Status).JSON(p); err != nil {
		return fmt.Errorf("write problem: %w", err)
	}
	c.Set(fiber.HeaderContentType, problemType)
	return nil
}

// dress sets the headers of a problem.
func (a *API) dress(c *fiber.Ctx, p *Problem) {
	c.Set("X-Request-Id", p.RequestID)
	c.Set(fiber.HeaderContentLanguage, locale.Of(c.UserContext()))
	if p.retry > 0 {
		c.Set(fiber.HeaderRetryAfter, strconv.Itoa(int((p.retry+time.Second-1)/time.Second)))
	}
	if p.Status == http.StatusUnauthorized {
		c.Set(fiber.HeaderWWWAuthenticate, `Bearer realm="veinte", error="invalid_token"`)
	}
	if p.Scope != "" { // RFC 6750
		c.Set(fiber.HeaderWWWAuthenticate, `Bearer realm="veinte", error="insufficient_scope", scope="`+p.Scope+`"`)
	}
}

// AnswerError handles an error from outside of an operation: a body that was too
// large to read, or a panic. A body that is too large is refused before its key is
// checked. It counts as a request without a valid key.
func (a *API) AnswerError(c *fiber.Ctx, err error) error {
	p := a.problem(c, err)
	from := a.from(c)
	if p.Status == http.StatusRequestEntityTooLarge {
		if _, wait := a.faults.Take(from.Network(), 1, faultsPerMinute, a.Clock.Now()); wait == 0 {
			if err := a.Audit.APIRefused(c.UserContext(), from, errTooLarge.Code, c.Method()+" "+c.Path()); err != nil {
				a.Logger.ErrorContext(c.UserContext(), "a refusal is not in the trail", "request", from.RequestID, "error", err)
			}
		}
	}
	return a.answer(c, p)
}

// maxEchoed is how much of what was sent an answer repeats, in characters.
const maxEchoed = 40

// echoedOrder is the order number of an answer: whole, unless it may not be said.
func (a *API) echoedOrder(s string) string {
	long := utf8.RuneCountInString(s) > models.MaxOrderID
	if long || cards.InReference(s, a.Clock.Now()) || strings.ContainsFunc(s, models.Invisible) {
		return echoed(s)
	}
	return s
}

// echoed is the part of a sent value that a response may repeat: a short text
// without anything that could be part of a card number.
func echoed(s string) string {
	if cards.Holds(s) {
		return ""
	}
	s = strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(s, ""))
	if runes := []rune(s); len(runes) > maxEchoed {
		return string(runes[:maxEchoed]) + "…"
	}
	return s
}
