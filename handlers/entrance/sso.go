package entrance

import (
	"context"
	"errors"
	"strconv"

	"github.com/gofiber/fiber/v2"

	"veinte/handlers/kit"
	"veinte/handlers/pace"
	"veinte/models"
	"veinte/models/accounts/sso"
	"veinte/models/entrance"
	entranceview "veinte/views/entrance"
	"veinte/views/ui"
)

// SSO is the provider of the single sign-on.
type SSO struct {
	Provider
	Name string // as its button calls it; "" for words of ours

	logouts *pace.Limiter[string] // of one network
}

// logoutsPace is how many words of logouts a minute are taken of one network: each has a
// signature to be verified, and may have keys fetched.
const logoutsPace = 120

// NewSSO makes the provider of the pages.
func NewSSO(p Provider, name string) *SSO { return &SSO{p, name, pace.New[string]()} }

// Provider is the client of the provider.
type Provider interface {
	Begin(ctx context.Context, r models.SSORequest) (string, error)
	Finish(ctx context.Context, r models.SSORequest, code, issuer string) (*models.Identity, error)
	Logout(ctx context.Context, token string) (*models.ProviderLogout, error)
	SignOut(ctx context.Context) (string, error)
}

// providers is what these pages need of the accounts.
type providers interface {
	BeginSSO(
		ctx context.Context, from models.Actor, cookie, next string, lead func(context.Context, models.SSORequest) (string, error),
	) (*sso.Flow, string, error)
	TakeSSO(ctx context.Context, from models.Actor, state, browser string) (*sso.Flow, error)
	RefuseSSO(ctx context.Context, from models.Actor, why error) error
	SignInSSO(ctx context.Context, from models.Actor, id *models.Identity, cookie string) (*entrance.SignedIn, error)
	EndSSO(ctx context.Context, from models.Actor, l *models.ProviderLogout) error
	RefuseLogout(ctx context.Context, from models.Actor, why error) error
}

// Refusals of what people come back with from the provider.
var (
	errSSODenied = &models.Error{Kind: models.KindForbidden, Code: "sso.denied"}
	errSSOFailed = &models.Error{Kind: models.KindConflict, Code: "sso.failed"}
)

// BeginSSO handles GET /login/oidc: it leads to the provider.
func (h *Handlers) BeginSSO(c *fiber.Ctx) error {
	if h.SSO == nil {
		return kit.ErrNoPage
	}
	if c.Method() == fiber.MethodHead {
		return nil
	}
	next := kit.LocalPath(c.Query("next"))
	flow, to, err := h.Entrance.BeginSSO(c.UserContext(), kit.Actor(c), c.Cookies(kit.DeviceCookie), next, h.SSO.Begin)
	if err != nil {
		return h.ssoRefused(c, next, err)
	}
	c.Cookie(h.Cookie(kit.SSOCookie, flow.Browser, int(sso.FlowLife.Seconds())))
	return c.Redirect(to, fiber.StatusSeeOther)
}

// FinishSSO handles GET /login/oidc/callback, where the provider sends people back to.
func (h *Handlers) FinishSSO(c *fiber.Ctx) error {
	if h.SSO == nil {
		return kit.ErrNoPage
	}
	if c.Method() == fiber.MethodHead {
		return nil
	}
	from := kit.Actor(c)
	flow, err := h.Entrance.TakeSSO(c.UserContext(), from, c.Query("state"), c.Cookies(kit.SSOCookie))
	if errors.Is(err, sso.ErrFlowOver) && kit.ReaderOf(c).Token != "" {
		return kit.ShownIn(err, c.Redirect("/", fiber.StatusSeeOther)) // it is what they wanted, and had already
	}
	if err != nil {
		return h.ssoRefused(c, "/", err)
	}
	c.Cookie(h.Cookie(kit.SSOCookie, "", -1))
	switch c.Query("error") {
	case "":
	case "access_denied":
		return h.ssoRefused(c, flow.Next, h.Entrance.RefuseSSO(c.UserContext(), from, errSSODenied))
	default:
		return h.ssoRefused(c, flow.Next, h.Entrance.RefuseSSO(c.UserContext(), from, errSSOFailed))
	}
	id, err := h.SSO.Finish(c.UserContext(), flow.SSORequest, c.Query("code"), c.Query("iss"))
	if err != nil {
		return h.ssoRefused(c, flow.Next, h.Entrance.RefuseSSO(c.UserContext(), from, err))
	}
	in, err := h.Entrance.SignInSSO(c.UserContext(), from, id, c.Cookies(kit.DeviceCookie))
	if err != nil {
		return h.ssoRefused(c, flow.Next, err)
	}
	h.signedIn(c, in)
	return c.Redirect(kit.LocalPath(flow.Next), fiber.StatusSeeOther)
}

// leftQuery has the sign-in page say that a session at the provider may go on.
const leftQuery = "left"

// mayLeave reports whether somebody can be led to sign out at the provider.
func (h *Handlers) mayLeave(c *fiber.Ctx) bool {
	if h.SSO == nil {
		return false
	}
	_, err := h.SSO.SignOut(c.UserContext())
	return err == nil
}

// LeaveSSO handles GET /login/oidc/end: it leads to where people sign out at the provider.
// It is a link of the page after our own sign-out, because no form may lead elsewhere, and
// because whoever works at their own computer may want to stay signed in there.
func (h *Handlers) LeaveSSO(c *fiber.Ctx) error {
	if h.SSO == nil {
		return kit.ErrNoPage
	}
	to, err := h.SSO.SignOut(c.UserContext())
	var known *models.Error
	switch {
	case errors.As(err, &known):
		return kit.ShownIn(err, h.RedirectWith(c, "/login", ui.FlashProblem, "sso.noSignOut"))
	case err != nil:
		return err
	}
	return c.Redirect(to, fiber.StatusSeeOther)
}

// EndSSO handles POST /login/oidc/logout, by which the provider says that a session is
// over (OpenID Connect Back-Channel Logout).
func (h *Handlers) EndSSO(c *fiber.Ctx) error {
	if h.SSO == nil {
		return kit.ErrNoPage
	}
	from := kit.Actor(c)
	c.Set(fiber.HeaderCacheControl, "no-store")
	if _, wait := h.SSO.logouts.Take(from.Network(), 1, logoutsPace, h.Clock.Now()); wait > 0 {
		c.Set(fiber.HeaderRetryAfter, strconv.Itoa(int(wait.Seconds())+1))
		return c.Status(fiber.StatusTooManyRequests).JSON(fiber.Map{"error": "slow_down"})
	}
	over, err := h.SSO.Logout(c.UserContext(), c.FormValue("logout_token"))
	if err == nil {
		err = h.Entrance.EndSSO(c.UserContext(), from, over)
	} else {
		err = h.Entrance.RefuseLogout(c.UserContext(), from, err)
	}
	var known *models.Error
	switch {
	case err == nil:
		return c.SendStatus(fiber.StatusOK)
	case !errors.As(err, &known):
		return err
	}
	return c.Status(fiber.StatusBadRequest).JSON(fiber.Map{"error": "invalid_request", "error_description": known.Code})
}

// ssoRefused says why somebody did not come in.
func (h *Handlers) ssoRefused(c *fiber.Ctx, next string, err error) error {
	_, status, ok := kit.Refused(err)
	var known *models.Error
	if !ok || !errors.As(err, &known) {
		return err
	}
	if known.Kind == models.KindTooMany {
		c.Set(fiber.HeaderRetryAfter, strconv.Itoa(int(sso.FlowLife.Seconds())))
	}
	v := &entranceview.SSOView{Page: h.Page(c), Button: entranceview.SSOButton{Name: h.SSO.Name}, Next: next, Code: known.Code}
	v.Path = v.LoginPath() // the switch of language does not lead to the provider
	return kit.ShownIn(err, kit.Render(c, status, entranceview.SSORefused(v)))
}
