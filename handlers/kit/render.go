package kit

import (
	"context"
	"fmt"
	"strings"

	"github.com/a-h/templ"
	"github.com/gofiber/fiber/v2"
	"github.com/valyala/fasthttp"

	"veinte/models"
	"veinte/models/database"
	"veinte/models/operations"
	"veinte/views/locale"
	"veinte/views/ui"
)

// contentSecurity lets a page load from its own origin only and run no script
// that is written into it.
const contentSecurity = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; " +
	"font-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'; manifest-src 'self'"

// noPermission is what no page may ask a browser for.
const noPermission = "geolocation=(), microphone=(), payment=()"

// AllowCamera lets a page read a ticket's code with the camera. No other may.
func AllowCamera(c *fiber.Ctx) { c.Set("Permissions-Policy", "camera=(self), "+noPermission) }

// Headers sets the headers of every response. Pages contain sales, so no cache may
// store them.
func (k *Kit) Headers(c *fiber.Ctx) error {
	k.SetHeaders(&c.Response().Header)
	return c.Next()
}

// SetHeaders has browsers guard what a response shows.
func (k *Kit) SetHeaders(h *fasthttp.ResponseHeader) {
	h.Set("Content-Security-Policy", contentSecurity)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "same-origin")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Permissions-Policy", "camera=(), "+noPermission)
	h.Set("Cache-Control", "no-store")
	if k.Practice {
		h.Set("Veinte-Practice", "on") // for programs, and files without a head of their own
	}
	if k.SecureCookies {
		h.Set("Strict-Transport-Security", "max-age=31536000; includeSubDomains")
	}
}

// Render writes a page. It is drawn into the response's buffer, so an error half way
// leaves nothing of it.
func Render(c *fiber.Ctx, status int, page templ.Component) error {
	c.Response().ResetBody()
	if err := page.Render(c.UserContext(), c.Response().BodyWriter()); err != nil {
		c.Response().ResetBody()
		return err
	}
	if hidden := ui.HideBlocked(c.UserContext(), c.Response().Body()); hidden != nil {
		c.Response().SetBody(hidden)
	}
	c.Set(fiber.HeaderContentType, fiber.MIMETextHTMLCharsetUTF8)
	c.Set(fiber.HeaderContentLanguage, locale.Of(c.UserContext()))
	c.Status(status)
	return nil
}

// Page fills what every page shows. The flash is taken only by whole pages.
func (k *Kit) Page(c *fiber.Ctx) ui.Page {
	p := ui.Page{
		Actor: Actor(c), CSRF: k.csrf(c), Path: asked(c), Now: k.Clock.Now(),
		Window: k.Window(), Demo: k.Demo, Practice: k.Practice, Insecure: k.Insecure, Live: true,
		Notices: k.Notices(c.UserContext()),
	}
	c.SetUserContext(ui.WithBlocked(c.UserContext(), p.Notices.Blocked))
	p.Ended = p.Notices.EndedFor(p.Actor)
	if c.Method() != fiber.MethodGet {
		p.Path, p.Posted = "/", c.Path() // what was posted cannot be asked for again
	}
	if whole(c) {
		p.Flash = k.takeFlash(c)
		f := k.frameOf(c)
		_ = f.Wait()
		p.Own, p.Review = f.own, f.review
	}
	showTyped(c, &p)
	return p
}

// frame is what every whole page shows of its reader.
type frame struct {
	*database.Task
	own    []models.AccountNotice
	review int
}

const frameKey = "frame"

// whole reports whether a whole page is asked for, not a part of one.
func whole(c *fiber.Ctx) bool { return c.Query("fragment") == "" && c.Get("HX-Request") == "" }

// beginFrame reads it beside what the page itself reads.
func (k *Kit) beginFrame(c *fiber.Ctx) {
	if whole(c) && ReaderOf(c).Token != "" {
		c.Locals(frameKey, k.readFrame(c))
	}
}

func (k *Kit) frameOf(c *fiber.Ctx) *frame {
	if f, begun := c.Locals(frameKey).(*frame); begun {
		return f
	}
	return k.readFrame(c)
}

func (k *Kit) readFrame(c *fiber.Ctx) *frame {
	f, reader := &frame{}, Actor(c)
	f.Task = database.Start(c.UserContext(), func(ctx context.Context) (err error) {
		return database.Together(ctx, func(ctx context.Context) error {
			if k.Count != nil {
				f.review = k.Count(ctx, reader)
			}
			return nil
		}, func(ctx context.Context) error {
			if reader.Session.Told {
				if f.own, err = k.OwnNotices(ctx, reader); err != nil {
					// A page is worth more than what it says beside.
					k.Logger.WarnContext(ctx, "notices of an account are not shown", "error", err)
				}
			}
			return nil
		})
	})
	return f
}

const flashCookie = "veinte_flash"

// Attach makes the browser save the response as a file.
func Attach(c *fiber.Ctx, name, kind string) {
	c.Set(fiber.HeaderContentType, kind)
	c.Set(fiber.HeaderContentDisposition, `attachment; filename="`+name+`"`)
}

// Done redirects the user, with a message about what they just did.
func (k *Kit) Done(c *fiber.Ctx, to, code string) error {
	return k.RedirectWith(c, to, ui.FlashDone, code)
}

// RedirectWith sends the person on, with a message of any kind.
func (k *Kit) RedirectWith(c *fiber.Ctx, to string, kind ui.FlashKind, code string) error {
	c.Cookie(k.Cookie(flashCookie, string(kind)+":"+code, 60))
	return c.Redirect(to, fiber.StatusSeeOther)
}

// takeFlash reads the message and forgets it.
func (k *Kit) takeFlash(c *fiber.Ctx) *ui.Flash {
	kind, code, ok := strings.Cut(c.Cookies(flashCookie), ":")
	if !ok {
		return nil
	}
	c.Cookie(k.Cookie(flashCookie, "", -1))
	if !locale.Has(code) {
		return nil
	}
	return &ui.Flash{Kind: ui.FlashKind(kind), Code: code}
}

// RenderPolled writes the part of a page that asks for itself again, and the
// notices that take the place of those above it.
func (k *Kit) RenderPolled(c *fiber.Ctx, p ui.Page, part templ.Component) error {
	return Render(c, fiber.StatusOK, templ.Join(part, ui.Notices(p, true)))
}

// Stores lists the stores that the person sees.
func (k *Kit) Stores(c *fiber.Ctx) ([]models.Store, error) {
	dir, err := k.Directory(c.UserContext())
	if err != nil {
		return nil, err
	}
	return dir.Visible(Actor(c)), nil
}

// NoticesKey stands for the notices in the tag of a polled list.
func NoticesKey(n operations.Notices) string {
	key := fmt.Sprint(n.Outage, n.Ahead, n.Endpoints, n.Clock.Verdict, len(n.Blocked))
	if n.Database != nil {
		key += fmt.Sprint(" database ", n.Database.ID, n.Database.Left)
	}
	if n.Unkept {
		key += " unkept"
	}
	if n.Pause != nil {
		key += fmt.Sprint(" pause ", n.Pause.ID)
	}
	if n.Unanswered != nil {
		key += fmt.Sprint(" unanswered ", n.Unanswered.Since.Unix())
	}
	if n.Access != nil {
		key += fmt.Sprint(" access ", n.Access.Since.Unix(), n.Access.Doubt, n.Access.Call)
	}
	if n.Sealing != nil { // since when changes with the clock, and the tag does every minute
		key += fmt.Sprint(" sealing ", n.Sealing.Code, n.Sealing.Sealed, n.Sealing.Seen)
	}
	if n.Signing != nil {
		key += fmt.Sprint(" signing ", n.Signing.Code, n.Signing.Detail, n.Signing.Since.Unix())
	}
	return key
}
