package api

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humafiber"
	"github.com/gofiber/fiber/v2"

	"veinte/models"
)

// call is a request that was let in.
type call struct {
	*fiber.Ctx
	actor     models.Actor
	perMinute int
	leftOut   bool // part of it was not done
}

type callKey struct{}

func callOf(ctx context.Context) *call {
	c, _ := ctx.Value(callKey{}).(*call)
	return c
}

// guard lets a request through to its operation if its key may do that, and
// repeats the answer of one that was already answered. query are the names of
// the parameters that the operation has.
func (a *API) guard(scope models.Scope, query map[string]bool) func(huma.Context, func(huma.Context)) {
	may := scope.Permission()
	return func(hc huma.Context, next func(huma.Context)) {
		c := &call{Ctx: humafiber.Unwrap(hc)}
		c.Set("X-Request-Id", a.from(c.Ctx).RequestID)
		if err := a.enter(c, may, query); err != nil {
			_ = a.answer(c.Ctx, a.problem(c.Ctx, err))
			return
		}
		act := func() { next(huma.WithValue(hc, callKey{}, c)) }
		if c.Method() != fiber.MethodPost || c.Get(idempotencyHeader) == "" {
			act()
			return
		}
		if err := a.once(c, act); err != nil {
			_ = a.answer(c.Ctx, a.problem(c.Ctx, err))
		}
	}
}

// enter decides whether the request is let in.
func (a *API) enter(c *call, may models.Permission, query map[string]bool) error {
	if err := a.authenticate(c); err != nil {
		return err
	}
	if err := a.pay(c, 1); err != nil {
		return err
	}
	if !c.actor.May(may) {
		return a.refuse(c, errScope)
	}
	if err := a.checkQuery(c, query); err != nil {
		return err
	}
	if c.Method() == fiber.MethodPost {
		return checkBody(c)
	}
	return nil
}

// The pace of requests without a valid key, of one address. A valid key is
// never held up by them: a shop shares one address.
const faultsPerMinute = 30

// authenticate finds the key behind the request.
func (a *API) authenticate(c *call) error {
	from, now := a.from(c.Ctx), a.Clock.Now()
	scheme, secret, _ := strings.Cut(c.Get(fiber.HeaderAuthorization), " ")
	secret = strings.TrimSpace(secret)
	err := error(models.ErrKeyMissing)
	c.actor = from
	if strings.EqualFold(scheme, "Bearer") && secret != "" {
		c.actor, c.perMinute, err = a.DB.Authenticate(c.UserContext(), now, from, secret)
	}
	var refused *models.Error
	if !errors.As(err, &refused) {
		return err
	}
	if _, wait := a.faults.take(from.Address, 1, faultsPerMinute, now); wait > 0 {
		// Noted often enough within this minute.
		return a.later(a.problem(c.Ctx, errTooManyKeys), wait)
	}
	return a.refuse(c, refused)
}

// refuse passes on a refusal once the trail has it.
func (a *API) refuse(c *call, refusal *models.Error) error {
	what := c.Method() + " " + c.Route().Path
	if err := a.DB.APIRefused(c.UserContext(), c.actor, a.Clock.Now(), refusal.Code, what); err != nil {
		return err
	}
	return refusal
}

// pay takes operations from the key's pace and says in headers what is left.
func (a *API) pay(c *call, n int) error {
	left, wait := a.paces.take(c.actor.UserID, n, c.perMinute, a.Clock.Now())
	c.Set("RateLimit-Policy", fmt.Sprintf(`"key";q=%d;w=60`, c.perMinute))
	c.Set("RateLimit", fmt.Sprintf(`"key";r=%d;t=%d`, left, 60-a.Clock.Now().Second()))
	if wait == 0 {
		return nil
	}
	p := a.of(c.Ctx, kindTooMany, errPace.Code, "PerMinute", strconv.Itoa(c.perMinute))
	return a.later(p, max(wait, time.Second))
}

// checkQuery refuses parameters that the operation does not have: a filter that
// is misspelt must not silently filter nothing.
func (a *API) checkQuery(c *call, known map[string]bool) error {
	seen := map[string]bool{}
	var errs []FieldError
	for key, value := range c.Request().URI().QueryArgs().All() {
		name := string(key)
		var code string
		switch {
		case !known[name]:
			code = "api.query.unknown"
		case seen[name]:
			code = "api.query.twice"
		case !storable(string(value)):
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
