package entrance

import (
	"context"
	"errors"
	"net/url"
	"strconv"
	"time"

	"github.com/gofiber/fiber/v2"

	"veinte/handlers/kit"
	"veinte/models"
	"veinte/models/counters"
	"veinte/models/entrance"
	entranceview "veinte/views/entrance"
	"veinte/views/ui"
)

// counterRoom is what these pages need of the counters.
type counterRoom interface {
	At(ctx context.Context, token string) (*counters.Here, error)
	Enter(ctx context.Context, from models.Actor, place *entrance.Place, token string, try counters.Try) (*entrance.SignedIn, error)
	List(ctx context.Context, actor models.Actor) ([]counters.Counter, error)
	Make(ctx context.Context, actor models.Actor, storeID int64, name string) (token string, err error)
	End(ctx context.Context, actor models.Actor, id int64) error
	PINOf(ctx context.Context, actor models.Actor) (counters.OwnPIN, error)
	SetPIN(ctx context.Context, actor models.Actor, proof entrance.Proof, pin string) error
	RemovePIN(ctx context.Context, actor models.Actor, proof entrance.Proof) error
}

// counterLife is how long a browser has the secret of a counter: until the counter ends.
const counterLife = 5 * 365 * 24 * time.Hour

// ShowCounter handles GET /counter.
func (h *Handlers) ShowCounter(c *fiber.Ctx) error {
	if kit.ReaderOf(c).Token != "" {
		return c.Redirect(kit.LocalPath(c.Query("next")), fiber.StatusSeeOther)
	}
	v := &entranceview.CounterView{Next: nextOf(c.Query("next")), Ended: kit.Clip(c.Query("ended"), 10)}
	return h.chooser(c, fiber.StatusOK, v, v.Ended != "")
}

// chooser shows who may come in. After a rest whoever was there is chosen already.
func (h *Handlers) chooser(c *fiber.Ctx, status int, v *entranceview.CounterView, rested bool) error {
	at, err := h.Counters.At(c.UserContext(), c.Cookies(kit.CounterCookie))
	if errors.Is(err, models.ErrNotFound) {
		return h.noCounter(c)
	}
	if err != nil {
		return err
	}
	v.Page, v.Here, v.Samples = h.Page(c), at, h.Samples
	for _, p := range at.People {
		if rested && p.ID == at.LastUserID && !p.Shut {
			v.Of, v.Chosen = p.ID, p.ID
		}
	}
	if c.Cookies(kit.SessionCookie) != "" { // the session has ended: Back shows nothing of it
		c.Cookie(h.Cookie(kit.SessionCookie, "", -1))
		c.Set("Clear-Site-Data", `"cache"`)
	}
	return kit.Render(c, status, entranceview.Counter(v))
}

// noCounter leads on to the sign-in from a device that is a counter no more.
func (h *Handlers) noCounter(c *fiber.Ctx) error {
	if c.Cookies(kit.CounterCookie) != "" {
		c.Cookie(h.Cookie(kit.CounterCookie, "", -1))
	}
	to := "/login"
	if asked := string(c.Request().URI().QueryString()); c.Method() == fiber.MethodGet && asked != "" {
		to += "?" + asked
	}
	return c.Redirect(to, fiber.StatusSeeOther)
}

// nextOf is a page to go on to; "" for the first one.
func nextOf(path string) string {
	if next := kit.LocalPath(path); next != "/" {
		return next
	}
	return ""
}

// EnterCounter handles POST /counter.
func (h *Handlers) EnterCounter(c *fiber.Ctx) error {
	person, of := kit.ChosenID(c.FormValue("person")), kit.ChosenID(c.FormValue("of"))
	in, err := h.enterCounter(c, person)
	switch {
	case errors.Is(err, models.ErrNotFound):
		return h.noCounter(c)
	case err != nil:
		return kit.ShowAgain(err, func(status int, errs ui.Errors) error { return h.counterAgain(c, status, person, of, err, errs) })
	}
	h.signedIn(c, in)
	// What somebody has left is nobody else's to go on with.
	if next := nextOf(c.FormValue("next")); next != "" && of == person {
		return c.Redirect(next, fiber.StatusSeeOther)
	}
	at, err := h.Counters.At(c.UserContext(), c.Cookies(kit.CounterCookie))
	if err != nil {
		return err
	}
	return c.Redirect("/sales?"+url.Values{"store": {ui.Itoa(at.StoreID)}}.Encode(), fiber.StatusSeeOther)
}

func (h *Handlers) enterCounter(c *fiber.Ctx, person int64) (*entrance.SignedIn, error) {
	place, err := h.Entrance.Admit(c.UserContext(), kit.Actor(c), c.Cookies(kit.DeviceCookie))
	if err != nil {
		return nil, err
	}
	defer place.Leave()
	try := counters.Try{UserID: person, PIN: c.FormValue("pin"), Gone: kit.Gone(c)}
	return h.Counters.Enter(c.UserContext(), kit.Actor(c), place, c.Cookies(kit.CounterCookie), try)
}

// counterAgain shows the form again, without the PIN.
func (h *Handlers) counterAgain(c *fiber.Ctx, status int, person, of int64, err error, errs ui.Errors) error {
	if whole := errs[""]; whole != "" { // of the form as a whole
		errs = ui.Errors{"pin": whole}
		c.Set(fiber.HeaderRetryAfter, strconv.Itoa(int(entrance.SignInRetry.Seconds())))
	}
	v := &entranceview.CounterView{
		Chosen: person, Of: of, Next: nextOf(c.FormValue("next")), Ended: kit.Clip(c.FormValue("ended"), 10), Errors: errs,
	}
	var wrong *counters.WrongPIN
	if errors.As(err, &wrong) {
		v.Left = wrong.Left
	}
	return h.chooser(c, status, v, false)
}

// RestLeft handles GET /counter/rest, which pages at a counter ask: in how many seconds the
// session ends if its person does nothing. Asked because they did something, it begins anew.
func (h *Handlers) RestLeft(c *fiber.Ctx) error {
	left := entrance.CounterLife
	if kit.AsksByItself(c) {
		left -= h.Clock.Now().Sub(kit.Actor(c).Session.SeenAt)
	}
	return c.JSON(map[string]int{"left": int(left.Seconds())})
}

// Rest handles POST /counter/rest: a page that has rested long enough. What was typed in its
// form is there again for its person.
func (h *Handlers) Rest(c *fiber.Ctx) error {
	who := kit.ReaderOf(c)
	to := kit.LeaveForm(c)
	if _, err := h.Entrance.Logout(c.UserContext(), who.Actor, who.Token); err != nil {
		return err
	}
	h.clear(c)
	return c.Redirect(to, fiber.StatusSeeOther)
}

// fillCounters adds the counters of the person's stores to their account.
func (h *Handlers) fillCounters(c *fiber.Ctx, v *entranceview.AccountView) (err error) {
	who := kit.Actor(c)
	if !who.May(models.ManageCounters) {
		return nil
	}
	if v.Counters == nil {
		v.Counters = &entranceview.CountersView{}
	}
	if v.Counters.Stores, err = h.Stores(c); err != nil {
		return err
	}
	v.Counters.Lines, err = h.Counters.List(c.UserContext(), who)
	return err
}

// MakeCounter handles POST /account/counters.
func (h *Handlers) MakeCounter(c *fiber.Ctx) error {
	store, name := kit.ChosenID(c.FormValue("store")), c.FormValue("name")
	token, err := h.Counters.Make(c.UserContext(), kit.Actor(c), store, name)
	if err == nil {
		c.Cookie(h.Cookie(kit.CounterCookie, token, int(counterLife.Seconds())))
	}
	return h.Finish(c, err, "/account", "flash.counterMade", func(status int, errs ui.Errors) error {
		return h.account(c, status, &entranceview.AccountView{Counters: &entranceview.CountersView{Name: name, StoreID: store, Errors: errs}})
	})
}

// EndCounter handles POST /account/counters/:id/ending.
func (h *Handlers) EndCounter(c *fiber.Ctx, id int64) error {
	who := kit.Actor(c)
	err := h.Counters.End(c.UserContext(), who, id)
	if err == nil && who.Session.Counter == id {
		c.Cookie(h.Cookie(kit.CounterCookie, "", -1))
	}
	return h.FinishAt(c, err, "/account", "flash.counterEnded")
}

// SetPIN handles POST /account/factors/pin.
func (h *Handlers) SetPIN(c *fiber.Ctx) error {
	pin := c.FormValue("pin")
	if pin != c.FormValue("again") {
		return h.factorRefused(c, "pin", models.Invalid("again", "pin.differs"))
	}
	done, err := h.proven(c, "pin", func(p entrance.Proof) error { return h.Counters.SetPIN(c.UserContext(), kit.Actor(c), p, pin) })
	if !done {
		return err
	}
	return h.Done(c, factorsPath, "flash.pinSet")
}

// RemovePIN handles POST /account/factors/pin/removal.
func (h *Handlers) RemovePIN(c *fiber.Ctx) error {
	done, err := h.proven(c, "remove-pin", func(p entrance.Proof) error { return h.Counters.RemovePIN(c.UserContext(), kit.Actor(c), p) })
	if !done {
		return err
	}
	return h.Done(c, factorsPath, "flash.pinRemoved")
}
