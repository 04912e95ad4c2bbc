// Package today handles the first page of those who oversee, which asks every room for
// what it has to say about today.
package today

import (
	"context"

	"github.com/gofiber/fiber/v2"

	"veinte/handlers/kit"
	"veinte/models"
	"veinte/models/accounts/proposals"
	"veinte/models/apikeys"
	"veinte/models/operations"
	"veinte/models/review"
	"veinte/models/sales"
	"veinte/models/terminals"
	salesview "veinte/views/sales"
	todayview "veinte/views/today"
)

// Handlers handle the page.
type Handlers struct {
	*kit.Kit
	// DayOfStores adds up a day by hour and by store.
	DayOfStores func(context.Context, models.Actor, sales.Filter) (*sales.DayFigures, error)
	Review      func(context.Context, models.Actor, int) ([]review.Item, review.Counts, error)
	// Problems, Proposals, Keys and ConnectionTest are what an administrator may have to mend.
	Problems       func(context.Context, models.Actor) (map[terminals.Problem]int64, error)
	Proposals      func(context.Context, models.Actor) ([]proposals.Proposal, error)
	Keys           func(context.Context, models.Actor) ([]apikeys.Key, error)
	ConnectionTest func(context.Context) (operations.ConnectionTest, error)
	// Onboarding returns the first steps for the user's first page.
	Onboarding func(*fiber.Ctx) (*salesview.Onboarding, error)
}

// firstWaits is how much of what waits is listed.
const firstWaits = 5

// ShowToday handles GET /today, the first page of those who oversee, and the polled part
// of it with fragment=today. q and page are of the list of stores.
func (h *Handlers) ShowToday(c *fiber.Ctx) error {
	ctx, who := c.UserContext(), kit.Actor(c)
	v := &todayview.View{Page: h.Page(c), Query: kit.Clip(c.Query("q"), 80), At: max(c.QueryInt("page", 1), 1)}
	day, err := h.DayOfStores(ctx, who, sales.Filter{Day: v.Today()})
	if err != nil {
		return err
	}
	dir, err := h.Directory(ctx)
	if err != nil {
		return err
	}
	v.Day, v.Stores = *day, dir.Visible(who)
	if who.May(models.ReviewCancellations) {
		if v.Waits.Items, v.Waits.Counts, err = h.Review(ctx, who, firstWaits); err != nil {
			return err
		}
	}
	if v.Wrong, err = h.wrong(c, v); err != nil {
		return err
	}
	if c.Query("fragment") == "today" {
		return h.RenderPolled(c, v.Page, todayview.Now(v))
	}
	if v.First, err = h.Onboarding(c); err != nil {
		return err
	}
	return kit.Render(c, fiber.StatusOK, todayview.Page(v))
}

// wrong is what an administrator may have to mend, beside what the notices above every
// page say.
func (h *Handlers) wrong(c *fiber.Ctx, v *todayview.View) (all []todayview.Wrong, err error) {
	ctx, who := c.UserContext(), kit.Actor(c)
	add := func(key, to string, n int64) {
		if n > 0 {
			all = append(all, todayview.Wrong{Key: key, To: to, N: n})
		}
	}
	if who.May(models.ManageSettings) {
		test, err := h.ConnectionTest(ctx)
		if err != nil {
			return nil, err
		}
		if !test.At.IsZero() && !test.Good() {
			add("today.connection", "/settings/connection", 1)
		}
	}
	if who.May(models.ManageTerminals) {
		problems, err := h.Problems(ctx, who)
		if err != nil {
			return nil, err
		}
		var n int64
		for _, of := range problems {
			n += of
		}
		add("today.terminals", "/terminals/health", n)
	}
	if who.May(models.ManageUsers) {
		waiting, err := h.Proposals(ctx, who)
		if err != nil {
			return nil, err
		}
		add("today.proposals", "/users", int64(len(waiting)))
	}
	if who.May(models.ManageKeys) {
		keys, err := h.Keys(ctx, who)
		if err != nil {
			return nil, err
		}
		var n int64
		for i := range keys {
			if s := keys[i].State(v.Now); s == apikeys.ExpiresSoon || s == apikeys.Expired {
				n++
			}
		}
		add("today.keys", "/settings/keys", n)
	}
	return all, nil
}
