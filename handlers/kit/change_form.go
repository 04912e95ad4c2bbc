package kit

import (
	"github.com/gofiber/fiber/v2"

	"veinte/views/ui"
)

// ChangeForm is a form that changes a thing as the person saw it.
type ChangeForm struct {
	// Change does it to the version that the person saw.
	Change func(version int) error
	// To is the page to redirect to, with the message Flash; "" for no message.
	To, Flash string
	// Again shows the form with what was entered and what is wrong with it.
	Again func(status int, errs ui.Errors) error
	// Elsewhere reports refusals that the form does not show: they have a page of
	// their own. nil: it shows them all.
	Elsewhere func(error) bool
}

// Change handles a form that changes a thing. A form without the version that the
// user saw is refused.
func (k *Kit) Change(c *fiber.Ctx, f ChangeForm) error {
	version, err := FormVersion(c)
	if err != nil {
		return err
	}
	err = f.Change(version)
	if errs, status, ok := Refused(err); ok && (f.Elsewhere == nil || !f.Elsewhere(err)) {
		return ShownIn(err, f.Again(status, errs))
	}
	if err != nil {
		return err
	}
	if f.Flash == "" {
		return c.Redirect(f.To, fiber.StatusSeeOther)
	}
	return k.Done(c, f.To, f.Flash)
}
