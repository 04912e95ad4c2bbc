// Package today handles the first page of those who oversee, which asks every room for
// what it has to say about today.
package today

import (
	"context"
	"time"

	"github.com/gofiber/fiber/v2"

	"veinte/handlers/kit"
	"veinte/models"
	"veinte/models/accounts/proposals"
	"veinte/models/apikeys"
	"veinte/models/database"
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
	who := kit.Actor(c)
	v := &todayview.View{Query: kit.Clip(c.Query("q"), 80), At: max(c.QueryInt("page", 1), 1)}
	var wrong mendable
	err := database.Together(c.UserContext(), func(ctx context.Context) (err error) {
		if c.Query("fragment") == "" {
			v.First, err = h.Onboarding(c)
		}
		v.Page = h.Page(c)
		return err
	}, func(ctx context.Context) error {
		day, err := h.DayOfStores(ctx, who, sales.Filter{Day: h.Window().Calendar.Day(h.Clock.Now())})
		if err == nil {
			v.Day = *day
		}
		return err
	}, func(ctx context.Context) (err error) {
		if who.May(models.ReviewCancellations) {
			v.Waits.Items, v.Waits.Counts, err = h.Review(ctx, who, firstWaits)
		}
		return err
	}, func(ctx context.Context) error { return h.readWrong(ctx, who, &wrong) })
	if err != nil {
		return err
	}
	dir, err := h.Directory(c.UserContext())
	if err != nil {
		return err
	}
	v.Stores, v.Wrong = dir.Visible(who), wrong.list(v.Now)
	if c.Query("fragment") == "today" {
		return h.RenderPolled(c, v.Page, todayview.Part(v))
	}
	return kit.Render(c, fiber.StatusOK, todayview.Page(v))
}

// mendable is what an administrator may have to mend, beside what the notices above every
// page say.
type mendable struct {
	test      operations.ConnectionTest
	problems  map[terminals.Problem]int64
	proposals []proposals.Proposal
	keys      []apikeys.Key
}

// readWrong reads what somebody may mend.
func (h *Handlers) readWrong(ctx context.Context, who models.Actor, m *mendable) error {
	reads := []func(context.Context) error{func(context.Context) error { return nil }}
	may := func(permission models.Permission, read func(context.Context) error) {
		if who.May(permission) {
			reads = append(reads, read)
		}
	}
	may(models.ManageSettings, func(ctx context.Context) (err error) {
		m.test, err = h.ConnectionTest(ctx)
		return err
	})
	may(models.ManageTerminals, func(ctx context.Context) (err error) {
		m.problems, err = h.Problems(ctx, who)
		return err
	})
	may(models.ManageUsers, func(ctx context.Context) (err error) {
		m.proposals, err = h.Proposals(ctx, who)
		return err
	})
	may(models.ManageKeys, func(ctx context.Context) (err error) {
		m.keys, err = h.Keys(ctx, who)
		return err
	})
	return database.Together(ctx, reads...)
}

func (m *mendable) list(now time.Time) (all []todayview.Wrong) {
	add := func(key, to string, n int64) {
		if n > 0 {
			all = append(all, todayview.Wrong{Key: key, To: to, N: n})
		}
	}
	if !m.test.At.IsZero() && !m.test.Good() {
		add("today.connection", "/settings/connection", 1)
	}
	var problems, ending int64
	for _, of := range m.problems {
		problems += of
	}
	add("today.terminals", "/terminals/health", problems)
	add("today.proposals", "/users", int64(len(m.proposals)))
	for i := range m.keys {
		if s := m.keys[i].State(now); s == apikeys.ExpiresSoon || s == apikeys.Expired {
			ending++
		}
	}
	add("today.keys", "/settings/keys", ending)
	return all
}
