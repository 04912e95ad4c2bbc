package entrance

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/gofiber/fiber/v2"

	"veinte/handlers/kit"
	"veinte/models"
	"veinte/models/entrance"
	entranceview "veinte/views/entrance"
	"veinte/views/ui"
)

// factorsPath is the page of the own second step.
const factorsPath = "/account/factors"

// factors is what these pages need of the accounts.
type factors interface {
	OwnFactors(ctx context.Context, actor models.Actor) (*entrance.OwnFactors, error)
	AskProof(ctx context.Context, actor models.Actor, browser string) (json.RawMessage, error)
	AskOwn(ctx context.Context, actor models.Actor, browser string) (json.RawMessage, error)
	AddPasskey(ctx context.Context, actor models.Actor, p entrance.Proof, name, answer string) (recovery []string, err error)
	RemovePasskey(ctx context.Context, actor models.Actor, p entrance.Proof, id int64) error
	BeginApp(ctx context.Context, actor models.Actor, p entrance.Proof) error
	ConfirmApp(ctx context.Context, actor models.Actor, code string) (recovery []string, err error)
	RemoveApp(ctx context.Context, actor models.Actor, p entrance.Proof) error
	NewRecovery(ctx context.Context, actor models.Actor, p entrance.Proof) (codes []string, err error)
}

// ShowFactors handles GET /account/factors.
func (h *Handlers) ShowFactors(c *fiber.Ctx) error {
	return h.factorsPage(c, fiber.StatusOK, "", nil)
}

// factorsPage shows the page, with the refusals of one of its forms.
func (h *Handlers) factorsPage(c *fiber.Ctx, status int, form string, errs ui.Errors) error {
	own, err := h.Entrance.OwnFactors(c.UserContext(), kit.Actor(c))
	if err != nil {
		return err
	}
	v := &entranceview.FactorsView{Page: h.Page(c), OwnFactors: own, Passkeys: h.passkeysHere(c), Where: form, Errors: errs}
	v.Path, v.Name = factorsPath, c.FormValue("name")
	if v.PIN, err = h.Counters.PINOf(c.UserContext(), kit.Actor(c)); err != nil {
		return err
	}
	return kit.Render(c, status, entranceview.Factors(v))
}

// AskOwn handles GET /account/factors/new-passkey, for the script of the page.
func (h *Handlers) AskOwn(c *fiber.Ctx) error {
	asked, err := h.Entrance.AskOwn(c.UserContext(), kit.Actor(c), kit.ReaderOf(c).Token)
	return sendJSON(c, asked, err)
}

// AskProof handles GET /account/factors/proof, as AskOwn.
func (h *Handlers) AskProof(c *fiber.Ctx) error {
	asked, err := h.Entrance.AskProof(c.UserContext(), kit.Actor(c), kit.ReaderOf(c).Token)
	return sendJSON(c, asked, err)
}

// proven does what asks for a proof, and shows the form again when it is refused.
func (h *Handlers) proven(c *fiber.Ctx, form string, f func(entrance.Proof) error) (done bool, err error) {
	place, err := h.Entrance.Admit(c.UserContext(), kit.Actor(c), c.Cookies(kit.DeviceCookie))
	if err == nil {
		defer place.Leave()
		err = f(kit.ProofOf(c, place))
	}
	if err == nil {
		return true, nil
	}
	return false, h.factorRefused(c, form, err)
}

func (h *Handlers) factorRefused(c *fiber.Ctx, form string, err error) error {
	kit.RetryAfter(c, err)
	return kit.ShowAgain(err, func(status int, errs ui.Errors) error {
		if whole := errs[""]; whole != "" { // of the form as a whole
			errs = ui.Errors{"passkey": whole}
		}
		return h.factorsPage(c, status, form, errs)
	}, models.ErrNotFound)
}

// AddPasskey handles POST /account/factors/passkeys.
func (h *Handlers) AddPasskey(c *fiber.Ctx) error {
	answer := c.FormValue("passkey")
	if answer == "" {
		return h.factorsPage(c, fiber.StatusUnprocessableEntity, "add", ui.Errors{"passkey": errNoScript})
	}
	place, err := h.Entrance.Admit(c.UserContext(), kit.Actor(c), c.Cookies(kit.DeviceCookie))
	if err != nil {
		return h.factorRefused(c, "add", err)
	}
	defer place.Leave()
	proof := kit.ProofOf(c, place)
	proof.Passkey = "" // the one in the form is the new one
	recovery, err := h.Entrance.AddPasskey(c.UserContext(), kit.Actor(c), proof, c.FormValue("name"), answer)
	if err != nil {
		return h.factorRefused(c, "add", err)
	}
	return h.codesOr(c, recovery, "factor.recoveryFirst", "flash.passkeyAdded")
}

// RemovePasskey handles POST /account/factors/passkeys/:id/removal.
func (h *Handlers) RemovePasskey(c *fiber.Ctx, id int64) error {
	done, err := h.proven(c, "remove-"+ui.Itoa(id), func(p entrance.Proof) error {
		return h.Entrance.RemovePasskey(c.UserContext(), kit.Actor(c), p, id)
	})
	if !done {
		return err
	}
	return h.Done(c, factorsPath, "flash.passkeyRemoved")
}

// BeginApp handles POST /account/factors/app.
func (h *Handlers) BeginApp(c *fiber.Ctx) error {
	done, err := h.proven(c, "app", func(p entrance.Proof) error { return h.Entrance.BeginApp(c.UserContext(), kit.Actor(c), p) })
	if !done {
		return err
	}
	return c.Redirect(factorsPath+"#own-app", fiber.StatusSeeOther)
}

// ConfirmApp handles POST /account/factors/app/code.
func (h *Handlers) ConfirmApp(c *fiber.Ctx) error {
	recovery, err := h.Entrance.ConfirmApp(c.UserContext(), kit.Actor(c), c.FormValue("code"))
	if errors.Is(err, models.ErrNotFound) {
		return h.RedirectWith(c, factorsPath, ui.FlashProblem, "flash.appOver")
	}
	if err != nil {
		return h.factorRefused(c, "code", err)
	}
	return h.codesOr(c, recovery, "factor.recoveryFirst", "flash.appSet")
}

// RemoveApp handles POST /account/factors/app/removal.
func (h *Handlers) RemoveApp(c *fiber.Ctx) error {
	done, err := h.proven(c, "remove-app", func(p entrance.Proof) error { return h.Entrance.RemoveApp(c.UserContext(), kit.Actor(c), p) })
	if !done {
		return err
	}
	return h.Done(c, factorsPath, "flash.appRemoved")
}

// NewRecovery handles POST /account/factors/recovery.
func (h *Handlers) NewRecovery(c *fiber.Ctx) error {
	var codes []string
	done, err := h.proven(c, "recovery", func(p entrance.Proof) (err error) {
		codes, err = h.Entrance.NewRecovery(c.UserContext(), kit.Actor(c), p)
		return err
	})
	if !done {
		return err
	}
	return h.codesOr(c, codes, "factor.recoveryNew", "")
}

// codesOr shows new recovery codes, or goes back with a message where there are none.
func (h *Handlers) codesOr(c *fiber.Ctx, codes []string, lead, flash string) error {
	if codes == nil {
		return h.Done(c, factorsPath, flash)
	}
	o, err := h.Entrance.OwnFactors(c.UserContext(), kit.Actor(c))
	if err != nil {
		return err
	}
	v := &entranceview.RecoveryView{Page: h.Page(c), Email: o.Email, Codes: codes, Next: factorsPath, Lead: lead}
	v.Path = factorsPath // as after a sign-in
	return kit.Render(c, fiber.StatusOK, entranceview.Recovery(v))
}
