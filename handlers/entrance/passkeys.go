package entrance

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/gofiber/fiber/v2"

	"veinte/handlers/kit"
	"veinte/models"
	"veinte/models/entrance"
	"veinte/models/entrance/passkeys"
	entranceview "veinte/views/entrance"
	"veinte/views/locale"
)

// keys is what these pages need of the accounts.
type keys interface {
	PasskeySite() passkeys.Site
	AskPasskey(ctx context.Context, browser string) (json.RawMessage, error)
	AskStep(ctx context.Context, token string) (json.RawMessage, error)
	PasskeySignIn(ctx context.Context, from models.Actor, place *entrance.Place, browser, answer string) (*entrance.SignedIn, error)
}

// passkeysHere says whether a page at this address can use passkeys, and at which one it
// could otherwise.
func (h *Handlers) passkeysHere(c *fiber.Ctx) entranceview.Passkeys {
	site := h.Entrance.PasskeySite()
	return entranceview.Passkeys{Here: site.At(string(c.Request().Host())), Site: site.ID, Elsewhere: site.Origin}
}

// AskPasskey handles GET /login/passkey: what the browser has its person sign, for the
// script of the page. It changes nothing.
func (h *Handlers) AskPasskey(c *fiber.Ctx) error {
	visit := c.Cookies(kit.VisitCookie)
	if visit == "" { // the page that asks has set it
		return sendJSON(c, nil, passkeys.ErrOver)
	}
	asked, err := h.Entrance.AskPasskey(c.UserContext(), visit)
	return sendJSON(c, asked, err)
}

// AskStepPasskey handles GET /login/code/passkey.
func (h *Handlers) AskStepPasskey(c *fiber.Ctx) error {
	asked, err := h.Entrance.AskStep(c.UserContext(), c.Cookies(kit.StepCookie))
	return sendJSON(c, asked, err)
}

// sendJSON answers a script. It says a refusal in words.
func sendJSON(c *fiber.Ctx, asked json.RawMessage, err error) error {
	var known *models.Error
	if errors.As(err, &known) {
		return kit.ShownIn(err, c.Status(fiber.StatusConflict).JSON(fiber.Map{"problem": locale.T(c.UserContext(), known.Code)}))
	}
	if err != nil {
		return err
	}
	c.Set(fiber.HeaderContentType, fiber.MIMEApplicationJSONCharsetUTF8)
	return c.Send(asked)
}

// errNoScript is what a passkey's form says that came without one: a browser without
// scripts, or one that knows no passkeys.
const errNoScript = "passkey.noScript"

// PasskeyLogin handles POST /login/passkey.
func (h *Handlers) PasskeyLogin(c *fiber.Ctx) error {
	answer := c.FormValue("passkey")
	if answer == "" {
		return h.refused(c, errNoScript, fiber.StatusUnprocessableEntity)
	}
	place, _ := c.Locals(placeKey).(*entrance.Place)
	visit := c.Cookies(kit.VisitCookie)
	if visit == "" { // somebody is signed in there
		return kit.ShownIn(passkeys.ErrOver, h.refused(c, passkeys.ErrOver.Code, fiber.StatusUnprocessableEntity))
	}
	in, err := h.Entrance.PasskeySignIn(c.UserContext(), kit.Actor(c), place, visit, answer)
	var known *models.Error
	if errors.As(err, &known) {
		return kit.ShownIn(err, h.refused(c, known.Code, fiber.StatusUnprocessableEntity))
	}
	if err != nil {
		return err
	}
	h.signedIn(c, in)
	return c.Redirect(kit.LocalPath(c.FormValue("next")), fiber.StatusSeeOther)
}
