package kit

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net/url"
	"reflect"
	"regexp"
	"runtime/debug"
	"strings"

	"github.com/gofiber/fiber/v2"
	"github.com/valyala/fasthttp"

	"veinte/handlers/api"
	"veinte/handlers/client"
	"veinte/models"
	"veinte/models/audit"
	"veinte/models/cards"
	"veinte/models/database"
	"veinte/views/locale"
)

// Reader is the user of the request, as far as it is known.
type Reader struct {
	Actor models.Actor
	Token string // of the session; "" when nobody is signed in
}

// Three needs that are no permission.
const (
	Machine  models.Permission = "machine"  // terminals, probes, files: no session is even looked for
	Anyone   models.Permission = "anyone"   // also without a session
	SignedIn models.Permission = "signedIn" // any person
)

// Cookies of ours that an area sets or forgets.
const (
	SessionCookie  = "veinte_session"
	LanguageCookie = "veinte_language"
	// DeviceCookie is of a browser in which somebody has signed in before.
	DeviceCookie = "veinte_device"
	// StepCookie is of a sign-in that waits for its second step. It opens nothing else.
	StepCookie = "veinte_step"
	// SSOCookie is of a browser that has left for the provider of the single sign-on.
	SSOCookie = "veinte_sso"
	// CounterCookie is the secret of a counter device: with it a PIN is worth something.
	CounterCookie = "veinte_counter"
	// VisitCookie stands in for the session before there is one, so that the
	// sign-in form has a token too.
	VisitCookie = "veinte_visit"
)

const readerKey = "reader"

// ReaderOf returns the user of the request.
func ReaderOf(c *fiber.Ctx) Reader {
	r, _ := c.Locals(readerKey).(Reader)
	return r
}

// Actor returns the user as an actor of the models.
func Actor(c *fiber.Ctx) models.Actor { return ReaderOf(c).Actor }

// requestID returns 80 random bits, mostly letters: thirteen digits in a row could
// be a card number, and the trail would mask them.
func requestID() string { return strings.ToLower(rand.Text()[:16]) }

// proxysID is an id that a proxy may have given to a request.
var proxysID = regexp.MustCompile(`^[A-Za-z0-9._-]{8,64}$`)

// requestIDOf is the id that a proxy of ours has given to a request, or a new one. What
// others write themselves counts for nothing: the trail has it.
func (k *Kit) requestIDOf(c *fiber.Ctx) string {
	if id := c.Get("X-Request-Id"); proxysID.MatchString(id) && !cards.Holds(id) && client.Proxied(c, k.Proxies) {
		return id
	}
	return requestID()
}

// RequestOf is the id of a request that has begun; "" of one that was refused before.
func RequestOf(c *fasthttp.RequestCtx) string {
	r, _ := c.UserValue(readerKey).(Reader)
	return r.Actor.RequestID
}

// begin gives a request its id and language, so that every response has them.
func (k *Kit) begin(c *fiber.Ctx) {
	k.hostCookies(&c.Request().Header)
	c.Locals(readerKey, Reader{Actor: models.Actor{
		Address: client.Text(client.Begin(c, k.Proxies)), UserAgent: c.Get(fiber.HeaderUserAgent), RequestID: k.requestIDOf(c),
	}})
	chosen := c.Cookies(LanguageCookie)
	if path := c.Path(); api.Owns(path) || chosen == "" && strings.HasPrefix(path, "/api/") { // programs have no cookies
		chosen = locale.Match(c.Get(fiber.HeaderAcceptLanguage))
	}
	k.speak(c, chosen)
}

// Survive begins a request and turns a panic into an error page.
func (k *Kit) Survive(c *fiber.Ctx) (err error) {
	k.begin(c)
	defer func() {
		if p := recover(); p != nil {
			k.Logger.ErrorContext(c.UserContext(), "panic", "value", p, "stack", string(debug.Stack()))
			err = fmt.Errorf("panic in %s", pathOf(c))
		}
	}()
	return c.Next()
}

// speak sets the language of the response: the one that the person or the program chose,
// else Spanish. A computer of a shop is often set to English, which nobody chose.
func (k *Kit) speak(c *fiber.Ctx, chosen string) {
	c.SetUserContext(locale.With(c.UserContext(), chosen))
}

// Guard lets a request through to its handler if the line of the route table allows
// it. A page is made by what was known of its reader a moment ago, while the same round
// trip asks who they are now: if they are not the same, the page is made anew.
func (k *Kit) Guard(method string, can models.Permission, handler fiber.Handler) fiber.Handler {
	if can == Machine {
		return handler
	}
	answer := func(c *fiber.Ctx) error { return k.recordRefusal(c, k.pass(c, method, can, handler)) }
	return func(c *fiber.Ctx) error {
		token := sessionToken(c)
		known, met := k.met.reader(token)
		if method != fiber.MethodGet || can == Anyone || !met {
			found, err := k.find(c.UserContext(), token)
			if err != nil {
				return err
			}
			k.recognise(c, found)
			k.saw(c)
			if method != fiber.MethodGet {
				return answer(c)
			}
			err, _ = k.Reads(c.UserContext(), nil, func(ctx context.Context) error { return k.draw(c, ctx, answer) })
			return err
		}
		begun := c.UserContext()
		k.recognise(c, known)
		found := known
		err, stale := k.Reads(c.UserContext(), func(ctx context.Context) (err error) {
			if found, err = k.find(ctx, token); err == nil && !found.same(known) {
				err = database.ErrStale
			}
			return err
		}, func(ctx context.Context) error { return k.draw(c, ctx, answer) })
		if stale != nil {
			c.Response().Reset()
			k.SetHeaders(&c.Response().Header)
			c.SetUserContext(begun)
			k.recognise(c, found)
			if !errors.Is(stale, database.ErrStale) {
				return stale
			}
			err = answer(c)
		}
		k.saw(c)
		return err
	}
}

// draw makes a page, and beside it what every page shows.
func (k *Kit) draw(c *fiber.Ctx, ctx context.Context, answer fiber.Handler) error {
	c.SetUserContext(ctx)
	k.beginFrame(c)
	return answer(c)
}

// pass calls the route's handler if the permission and the form's origin allow it.
func (k *Kit) pass(c *fiber.Ctx, method string, can models.Permission, handler fiber.Handler) error {
	who := ReaderOf(c)
	if can != Anyone && who.Token == "" {
		return k.askToSignIn(c)
	}
	// Also where nobody has to sign in: a sign-in at the provider that pictures of another
	// page begin takes the places of the whole shop.
	if method == fiber.MethodGet && foreign(c) && !followsLink(c) {
		return errOtherSite
	}
	if method == fiber.MethodPost {
		if err := k.checkOrigin(c); err != nil {
			if next := formNotSent(c).Get("next"); err == error(errOldForm) && next != "" {
				LeadBack(c, next)
			}
			return err
		}
	}
	if can != Anyone && can != SignedIn && !who.Actor.May(can) {
		return models.ErrForbidden
	}
	if err := k.typedStores(c); err != nil {
		return err
	}
	return handler(c)
}

// recordRefusal makes sure that a refusal is in the trail before the response is
// sent, also one that a page already shows.
func (k *Kit) recordRefusal(c *fiber.Ctx, err error) error {
	request := audit.RefusedRequest{Line: c.Method() + " " + pathOf(c), Changes: c.Method() == fiber.MethodPost}
	if failed := k.RecordRefusal(c.UserContext(), Actor(c), request, err); failed != nil {
		return failed
	}
	var page *answered
	if errors.As(err, &page) {
		return nil
	}
	return err
}

// found is who a session's cookie belongs to.
type found struct {
	Reader
	language string // that the person chose; "" for none
}

// same reports whether a page for one is the page for the other. When the person was last
// seen is on no page.
func (f found) same(as found) bool {
	f.Actor.Session.SeenAt = as.Actor.Session.SeenAt
	return reflect.DeepEqual(f, as)
}

// sessionToken is the session's cookie; "" when there is none that can be one.
func sessionToken(c *fiber.Ctx) string {
	if token := c.Cookies(SessionCookie); len(token) <= 100 {
		return token
	}
	return ""
}

// find finds the person behind a session's cookie, as they are now; nobody when it has
// ended.
func (k *Kit) find(ctx context.Context, token string) (of found, err error) {
	if token == "" {
		return of, nil
	}
	actor, language, err := k.SessionActor(ctx, token)
	if errors.Is(err, models.ErrNotFound) {
		return of, nil
	}
	if err != nil {
		return of, fmt.Errorf("find session: %w", err)
	}
	of = found{Reader{actor, token}, language}
	k.met.remember(of)
	return of, nil
}

// recognise makes somebody the reader of a request.
func (k *Kit) recognise(c *fiber.Ctx, who found) {
	if who.Token == "" {
		who.Actor = models.Actor{}
	}
	begun := ReaderOf(c).Actor
	who.Actor.Address, who.Actor.UserAgent, who.Actor.RequestID = begun.Address, begun.UserAgent, begun.RequestID
	c.Locals(readerKey, who.Reader)
	c.Locals(frameKey, nil) // which was of another
	if who.language != "" {
		k.speak(c, who.language)
	}
}

// saw notes that a person does something.
func (k *Kit) saw(c *fiber.Ctx) {
	who := ReaderOf(c)
	if who.Token == "" || AsksByItself(c) {
		return
	}
	if err := k.Saw(c.UserContext(), who.Actor); err != nil {
		k.Logger.WarnContext(c.UserContext(), "a session that is used may end as one that is not", "error", err)
	}
}

// pollHeader is on what an open page asks without its person: it keeps no session open.
const pollHeader = "Veinte-Poll"

// AsksByItself reports requests that no person makes.
func AsksByItself(c *fiber.Ctx) bool {
	return c.Get(pollHeader) != "" || c.Get(fiber.HeaderAccept) == "text/event-stream"
}

// CounterPath is where people take turns at a counter device.
const CounterPath = "/counter"

// askToSignIn redirects a user to the sign-in page and back afterwards. A poll gets
// a status instead, because it would insert the sign-in page into the page.
func (k *Kit) askToSignIn(c *fiber.Ctx) error {
	if c.Query("fragment") != "" || c.Get("HX-Request") != "" || c.Get(fiber.HeaderAccept) == "text/event-stream" {
		return c.SendStatus(fiber.StatusUnauthorized)
	}
	q := url.Values{}
	switch {
	case c.Method() == fiber.MethodPost && c.Path() == "/logout": // it is what was wanted
	case c.Method() == fiber.MethodPost:
		q = formNotSent(c)
		q.Set("ended", "form")
	case asked(c) != "/":
		q.Set("next", asked(c))
	}
	if c.Method() != fiber.MethodPost && c.Cookies(SessionCookie) != "" {
		q.Set("ended", "page")
	}
	to := "/login"
	if c.Cookies(CounterCookie) != "" {
		to = CounterPath
	}
	if len(q) > 0 {
		to += "?" + q.Encode()
	}
	return c.Redirect(to, fiber.StatusSeeOther)
}

// LeaveForm leads to where people take turns, and back to a form that somebody has left.
func LeaveForm(c *fiber.Ctx) string {
	q := formNotSent(c)
	q.Set("ended", "form")
	return CounterPath + "?" + q.Encode()
}

// formNotSent is where a form that was not let through leads back to, as "next", with
// what was typed, and "seen", the amount of its sale. A form that can be filled in again
// names its page in the field "page".
func formNotSent(c *fiber.Ctx) url.Values {
	q := url.Values{}
	if IsUpload(c) {
		return q
	}
	page, err := url.Parse(LocalPath(c.FormValue("page")))
	if err != nil || page.Path == "/" {
		return q
	}
	typed := page.Query()
	for _, name := range []string{"reason", "note", "ticketDate", "receipt"} {
		if value := c.FormValue(name); value != "" && !cards.Holds(value) {
			typed.Set(name, value)
		}
	}
	page.RawQuery = typed.Encode()
	q.Set("next", page.RequestURI())
	if seen, err := models.ParseMoney(c.FormValue("seen")); err == nil {
		q.Set("seen", seen.Decimal())
	}
	return q
}

// secretPath finds the address at which a terminal posts, which is a secret: also one
// with a mistake before its serial number. linkPath finds that of a link by which a
// person sets their password.
var (
	secretPath = regexp.MustCompile(`(?i)^/*results/.|[0-9]{10}/+[A-Z0-9_-]{20}`)
	linkPath   = regexp.MustCompile(`(?i)^/*password/.|/password/+[A-Z0-9]{20}`)
)

// pathOf is the requested path in a form that may be logged or shown.
func pathOf(c *fiber.Ctx) string {
	plain := c.Path()
	for range 3 { // it may be escaped more than once
		unescaped, err := url.PathUnescape(plain)
		if err != nil || unescaped == plain {
			break
		}
		plain = unescaped
	}
	if secretPath.MatchString(plain) {
		return "/results/***"
	}
	if linkPath.MatchString(plain) {
		return "/password/***"
	}
	return c.Path()
}

// asked is the requested address in a form that may be stored: without its query if
// that could contain a card number or the address of a terminal, and without the secret
// of such an address.
func asked(c *fiber.Ctx) string {
	if path := pathOf(c); path != c.Path() {
		return path
	}
	for _, value := range c.Queries() {
		if cards.Holds(value) || secretPath.MatchString(value) || linkPath.MatchString(value) {
			return c.Path()
		}
	}
	return c.OriginalURL()
}
