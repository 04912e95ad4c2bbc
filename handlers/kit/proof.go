package kit

import (
	"errors"
	"math"
	"strconv"

	"github.com/gofiber/fiber/v2"

	"veinte/models"
	"veinte/models/entrance"
	"veinte/views/ui"
)

// Proving is for a form that asks for a fresh proof of who sends it. The proof in it is taken
// first, so that the handler does what was asked; without one the handler shows the form
// again.
func (k *Kit) Proving(next fiber.Handler) fiber.Handler {
	return func(c *fiber.Ctx) error {
		if err := k.takeProof(c); err != nil {
			return err
		}
		return next(c)
	}
}

// ProvingApart is Proving for a button that stands among others, with no field beside it:
// the proof is asked for in a form of its own, which has all that was in the first.
func (k *Kit) ProvingApart(next fiber.Handler) fiber.Handler {
	return k.Proving(func(c *fiber.Ctx) error {
		err := next(c)
		if errs, status, ok := Refused(err); ok && errs["proof"] != "" {
			return ShownIn(err, k.askProof(c, status, errs))
		}
		return err
	})
}

// takeProof takes the proof that is in a form. What is wrong with it is the refusal of what
// asks for one.
func (k *Kit) takeProof(c *fiber.Ctx) error {
	who := ReaderOf(c)
	if who.Actor.Session.Unproved == nil || c.FormValue("proof") == "" && c.FormValue("passkey") == "" {
		return nil
	}
	err := k.prove(c, who)
	RetryAfter(c, err)
	var known *models.Error
	if err != nil && (!errors.As(err, &known) || known.Kind == models.KindNotFound) {
		return err
	}
	who.Actor.Session.Unproved = inProof(err)
	c.Locals(readerKey, who)
	return nil
}

func (k *Kit) prove(c *fiber.Ctx, who Reader) error {
	place, err := k.Admit(c.UserContext(), who.Actor, c.Cookies(DeviceCookie))
	if err != nil {
		return err
	}
	defer place.Leave()
	return k.Confirm(c.UserContext(), who.Actor, ProofOf(c, place))
}

// ProofOf is the proof that is in a form.
func ProofOf(c *fiber.Ctx, place *entrance.Place) entrance.Proof {
	return entrance.Proof{
		Text: c.FormValue("proof"), Passkey: c.FormValue("passkey"), Browser: ReaderOf(c).Token, Place: place, Gone: Gone(c),
	}
}

// inProof has a refusal stand at the field of the proof; nil for nil.
func inProof(err error) error {
	if err == nil {
		return nil
	}
	var known *models.Error
	errors.As(err, &known)
	of := &models.Refusal{}
	errors.As(err, &of)
	return &models.Refusal{Err: &models.Error{Kind: known.Kind, Code: known.Code, Field: "proof"}, Recorded: of.Recorded}
}

// askProof shows the form of a button that was refused for want of a proof.
func (k *Kit) askProof(c *fiber.Ctx, status int, errs ui.Errors) error {
	if errs["proof"] == models.ErrProofNeeded.Code {
		errs = nil // the form itself says so
	}
	v := ui.ProofView{Page: k.Page(c), To: c.Path(), Errors: errs}
	for name, value := range c.Request().PostArgs().All() {
		switch string(name) {
		case "csrf", "proof", "passkey":
		default:
			v.Typed = append(v.Typed, ui.TypedField{Name: string(name), Value: string(value)})
		}
	}
	return Render(c, status, ui.AskProof(v))
}

// RetryAfter says when to try again, where a refusal knows.
func RetryAfter(c *fiber.Ctx, err error) {
	var wait *entrance.TooManyLogins
	if errors.As(err, &wait) {
		c.Set(fiber.HeaderRetryAfter, strconv.Itoa(int(math.Ceil(wait.Wait.Seconds()))))
	}
}
