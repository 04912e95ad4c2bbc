package api

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humafiber"
	"github.com/gofiber/fiber/v2"

	"veinte/handlers/api/shapes"
	"veinte/models"
	"veinte/models/apikeys"
	"veinte/models/audit"
)

// call is a request that was let in.
type call struct {
	*fiber.Ctx
	actor     models.Actor
	perMinute int
	leftOut   bool  // part of it was not done
	refused   error // what its operation refused; nil: nothing
}

type callKey struct{}

func callOf(ctx context.Context) *call {
	c, _ := ctx.Value(callKey{}).(*call)
	return c
}

// guard lets a request through to its operation if its key allows it, and repeats
// the stored response of a repeated request. query are the names of the operation's
// parameters.
func (a *API) guard(id string, scope apikeys.Scope, query map[string]bool) func(huma.Context, func(huma.Context)) {
	return func(hc huma.Context, next func(huma.Context)) {
		c := &call{Ctx: humafiber.Unwrap(hc)}
		c.Set("X-Request-Id", a.from(c.Ctx).RequestID)
		if hasOldNames[id] {
			a.tellDeprecation(c)
		}
		err := a.enter(c, scope, query)
		switch {
		case err != nil:
		case c.Method() == fiber.MethodPost && c.Get(idempotencyHeader) != "":
			err = a.once(c, func() { next(huma.WithValue(hc, callKey{}, c)) })
		default:
			next(huma.WithValue(hc, callKey{}, c))
		}
		if err != nil {
			c.refused = err
		}
		if failed := a.recordRefusal(c); failed != nil {
			err = failed
		}
		if err != nil {
			_ = a.answer(c.Ctx, a.problem(c.Ctx, err))
		}
	}
}

// recordRefusal makes sure that a refusal is recorded in the trail, by the same rule as for
// the pages. If a denial cannot be recorded, the response is the error. If any other
// refusal cannot be recorded, the response stays and the failure is logged.
func (a *API) recordRefusal(c *call) error {
	request := audit.RefusedRequest{Line: c.Method() + " " + c.Path(), Changes: writes(c.Method()), Program: true}
	err := a.Audit.RecordRefusal(c.UserContext(), c.actor, request, c.refused)
	if err == nil {
		return nil
	}
	var hidden *models.Refusal
	var known *models.Error
	if errors.As(c.refused, &known) && known.Kind == models.KindForbidden || errors.As(c.refused, &hidden) && hidden.Hidden {
		return err
	}
	a.Logger.ErrorContext(c.UserContext(), "a refusal is not in the trail", "request", c.actor.RequestID, "error", err)
	return nil
}

// enter decides whether the request is allowed.
func (a *API) enter(c *call, scope apikeys.Scope, query map[string]bool) error {
	if err := a.authenticate(c); err != nil {
		return err
	}
	if err := a.pay(c, 1); err != nil {
		return err
	}
	if !c.actor.May(scope.Permission()) {
		p := a.of(c.Ctx, kindScope, errScope.Code, "Scope", string(scope))
		p.Scope, p.cause = string(scope), c.denied(errScope)
		return p
	}
	if err := a.checkQuery(c, query); err != nil {
		return err
	}
	if writes(c.Method()) {
		return checkBody(c)
	}
	return nil
}

// This limits requests without a valid key per address. A key that was valid before
// is not limited by them, because a shop shares one address.
const faultsPerMinute = 30

// authenticate finds the key behind the request.
func (a *API) authenticate(c *call) error {
	from, now := a.from(c.Ctx), a.Clock.Now()
	scheme, secret, _ := strings.Cut(c.Get(fiber.HeaderAuthorization), " ")
	secret = strings.TrimSpace(secret)
	err := error(apikeys.ErrKeyMissing)
	c.actor = from
	if strings.EqualFold(scheme, "Bearer") && secret != "" {
		shown := sha256.Sum256([]byte(secret))
		_, opened := a.opened.Load(shown)
		if wait := a.faults.Wait(from.Network(), faultsPerMinute, now); wait > 0 && !opened {
			return a.tooManyKeys(c, wait) // made-up keys do not reach the database
		}
		c.actor, c.perMinute, err = a.APIKeys.Authenticate(c.UserContext(), from, secret)
		a.noteOpened(shown, err)
	}
	var refused *models.Error
	if !errors.As(err, &refused) {
		return err
	}
	if _, wait := a.faults.Take(from.Network(), 1, faultsPerMinute, now); wait > 0 {
		return a.tooManyKeys(c, wait)
	}
	return c.denied(refused)
}

// tooManyKeys blocks an address. The trail records this once a minute: each try
// before the limit is counted there, and blocked requests must cost the database
// nothing.
func (a *API) tooManyKeys(c *call, wait time.Duration) error {
	first := a.faults.Begins(c.actor.Network(), a.Clock.Now())
	return a.later(a.problem(c.Ctx, &models.Refusal{Err: errTooManyKeys, Line: c.line(), Recorded: !first}), wait)
}

// noteOpened remembers the hashes of secrets that were valid in this process and have
// not been refused since. Only issued secrets are added, so they are few.
func (a *API) noteOpened(shown [32]byte, err error) {
	var refused *models.Error
	switch {
	case err == nil:
		a.opened.Store(shown, true)
	case errors.As(err, &refused):
		a.opened.Delete(shown)
	}
}

// denied is a refusal that is always recorded in the trail: the key lacks the
// permission, or the thing belongs to another store.
func (c *call) denied(why *models.Error) error {
	return &models.Refusal{Err: why, Line: c.line(), Hidden: why.Kind == models.KindNotFound}
}

// line names the operation, without the values in its address.
func (c *call) line() string { return c.Method() + " " + c.Route().Path }

// pay takes operations from the key's limit and states the rest in headers. A
// blocked key is recorded in the trail once a minute.
func (a *API) pay(c *call, n int) error {
	left, wait := a.paces.Take(c.actor.UserID, n, c.perMinute, a.Clock.Now())
	c.Set("RateLimit-Policy", fmt.Sprintf(`"key";q=%d;w=60`, c.perMinute))
	c.Set("RateLimit", fmt.Sprintf(`"key";r=%d;t=%d`, left, 60-a.Clock.Now().Second()))
	if wait == 0 {
		return nil
	}
	return a.tooFast(c, wait)
}

// payRows takes what a list costs besides its request, an operation for each further
// row. A list that a full minute could not pay for is told how to split it: waiting
// would not help. Any other may be sent again after the wait, which counts the
// operation of the request that repeats it.
func (a *API) payRows(c *call, rows int) error {
	if rows > c.perMinute {
		pace := strconv.Itoa(c.perMinute)
		p := a.of(c.Ctx, kindOverPace, "api.body.overPace", "Rows", strconv.Itoa(rows), "PerMinute", pace)
		p.Errors = []shapes.FieldError{{Location: "body", Code: "api.body.overPace", Detail: p.Detail, Value: strconv.Itoa(rows)}}
		p.cause = errWritten
		return p
	}
	err := a.pay(c, rows-1)
	var p *Problem
	if errors.As(err, &p) {
		p.retry = max(p.retry, a.paces.Until(c.actor.UserID, rows, c.perMinute, a.Clock.Now()))
	}
	return err
}

// tooFast is the refusal of a key that has to wait.
func (a *API) tooFast(c *call, wait time.Duration) error {
	p := a.of(c.Ctx, kindTooMany, errPace.Code, "PerMinute", strconv.Itoa(c.perMinute))
	p.cause = &models.Refusal{Err: errTooFast, Line: c.line(), Recorded: !a.paces.Begins(c.actor.UserID, a.Clock.Now())}
	return a.later(p, max(wait, time.Second))
}

// checkQuery refuses parameters that the operation does not have: otherwise a
// misspelt filter would be ignored unnoticed.
func (a *API) checkQuery(c *call, known map[string]bool) error {
	seen := map[string]bool{}
	var errs []shapes.FieldError
	for key, value := range c.Request().URI().QueryArgs().All() {
		name := string(key)
		var code string
		switch {
		case !known[name]:
			code = "api.query.unknown"
		case seen[name]:
			code = "api.query.twice"
		case !models.Storable(string(value)):
			code = "field.invalidText"
		}
		if code != "" {
			errs = append(errs, a.fieldError(c.Ctx, models.Invalid(echoed(name), code), "query", ""))
		}
		seen[name] = true
	}
	if len(errs) > 0 {
		return a.invalid(c.Ctx, errs...)
	}
	return nil
}

// checkBody refuses a body that is no JSON of ours before anybody reads it.
func checkBody(c *call) error {
	switch kind, _, _ := strings.Cut(c.Get(fiber.HeaderContentType), ";"); {
	case c.Get(fiber.HeaderContentEncoding) != "" && !strings.EqualFold(c.Get(fiber.HeaderContentEncoding), "identity"):
		return errCompressed
	case !strings.EqualFold(strings.TrimSpace(kind), fiber.MIMEApplicationJSON):
		return errMediaType
	case len(c.BodyRaw()) > MaxBody:
		return errTooLarge
	}
	return nil
}
