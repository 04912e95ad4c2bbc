package kit

import (
	"context"
	"errors"
	"net/url"
	"slices"

	"github.com/gofiber/fiber/v2"

	"veinte/models"
	"veinte/views/ui"
)

// Again shows a form with what was entered and what is wrong with it.
type Again func(status int, errs ui.Errors) error

// ChangeByID changes the thing of an id to which the version belongs that the person saw.
type ChangeByID func(ctx context.Context, actor models.Actor, id int64, version int) error

// At is the change of one thing, by the person of the request.
func (f ChangeByID) At(c *fiber.Ctx, id int64) func(version int) error {
	return func(version int) error { return f(c.UserContext(), Actor(c), id, version) }
}

// ShowAgain shows a refusal in its form. Every other error is returned, and so are
// those that the form shows elsewhere.
func ShowAgain(err error, again Again, elsewhere ...error) error {
	errs, status, ok := Refused(err)
	if !ok || slices.ContainsFunc(elsewhere, func(e error) bool { return errors.Is(err, e) }) {
		return err
	}
	return ShownIn(err, again(status, errs))
}

// Finish ends an act: it redirects the person, with a message unless flash is "", or
// shows the form again.
func (k *Kit) Finish(c *fiber.Ctx, err error, to, flash string, again Again, elsewhere ...error) error {
	if err != nil {
		return ShowAgain(err, again, elsewhere...)
	}
	if flash == "" {
		return c.Redirect(to, fiber.StatusSeeOther)
	}
	return k.Done(c, to, flash)
}

// FinishAt ends an act of a page that has no form for its refusals: it redirects the
// person, with a message about the act or why it was refused. Proving shows the refusal for
// want of a proof.
func (k *Kit) FinishAt(c *fiber.Ctx, err error, to, flash string) error {
	if errs, _, ok := Refused(err); ok && errs["proof"] == "" {
		return k.RedirectWith(c, to, ui.FlashProblem, errs[""])
	}
	if err != nil {
		return err
	}
	return k.Done(c, to, flash)
}

// Change handles a form that changes a thing. A form without the version that the
// person saw is refused.
func (k *Kit) Change(c *fiber.Ctx, change func(version int) error, to, flash string, again Again, elsewhere ...error) error {
	version, err := FormVersion(c)
	if err != nil {
		return err
	}
	return k.Finish(c, change(version), to, flash, again, elsewhere...)
}

// Inbox returns the kind of the inbox from which something is marked as handled, "all" for
// all of them, "" elsewhere, and the page of the inbox, with what was searched there.
func Inbox(c *fiber.Ctx) (kind, to string) {
	kind, q := Clip(c.FormValue("inbox"), 20), url.Values{}
	if kind != "" && kind != "all" {
		q.Set("kind", kind)
	}
	ui.Set(q, "q", Clip(c.FormValue("q"), models.MaxOrderID))
	return kind, ui.Address("/review", q)
}
