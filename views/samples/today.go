package samples

import (
	"fmt"

	"github.com/a-h/templ"

	"veinte/models"
	"veinte/models/operations"
	"veinte/models/review"
	"veinte/models/sales"
	salesview "veinte/views/sales"
	todayview "veinte/views/today"
)

// Today is the first page of a supervisor, or of an administrator.
func (s Shop) Today(role models.Role) *todayview.View {
	v := &todayview.View{
		Page: s.Page(role, "/today", "19:20:03"), At: 1, Day: DayOf(SampleHours(), 7), Stores: s.Stores(),
	}
	v.Day.Terminals = nil
	if role == models.Supervisor {
		v.Waits = s.Review().List
		v.Waits.Items = v.Waits.Items[:5]
		v.Review = v.Waits.Count()
	}
	return v
}

// Chain is the first page of the supervisor of so many stores, a few of which have something
// in doubt.
func (s Shop) Chain(stores int64) *todayview.View {
	v := s.Today(models.Supervisor)
	v.Stores, v.Day.Stores = nil, nil
	for i := range stores {
		v.Stores = append(v.Stores, models.Store{ID: 1 + i, Code: fmt.Sprintf("MX-%03d", 1+i), Name: fmt.Sprintf("Sucursal %d", 1+i)})
		sums := with(sum(40+i*7%30, 260), sum(i%3, 310), models.Sum{}, sum(i/5%2, 280), models.Sum{})
		if i%150 == 99 {
			sums.Doubt = sum(1, 399)
		}
		v.Day.Stores = append(v.Day.Stores, models.PlaceSums{StoreID: 1 + i, Sums: sums})
	}
	return v
}

func (s Shop) addTodayPages(pages map[string]templ.Component) {
	pages["today"] = todayview.Page(s.Today(models.Supervisor))
	pages["today-chain"] = todayview.Page(s.Chain(400))
	lost := s.Chain(400)
	lost.Query = "Saltillo"
	pages["today-no-store"] = todayview.Page(lost)
	calm := s.Today(models.Supervisor)
	calm.Waits, calm.Review, calm.Day = review.Page{}, 0, sales.DayFigures{}
	pages["today-nothing"] = todayview.Page(calm)
	wrong := s.Today(models.Administrator)
	wrong.Wrong = []todayview.Wrong{
		{Key: "today.connection", To: "/settings/connection", N: 1},
		{Key: "today.terminals", To: "/terminals/health", N: 4},
		{Key: "today.proposals", To: "/users", N: 1},
		{Key: "today.keys", To: "/settings/keys", N: 2},
	}
	pages["today-administrator"] = todayview.Page(wrong)
	pages["today-auditor"] = todayview.Page(s.Today(models.Auditor))
	first := s.Today(models.Administrator)
	first.First = &salesview.Onboarding{Begun: &operations.Onboarding{
		Stores: 2, Terminals: 5, People: 4,
		Test: operations.ConnectionTest{At: s.At("18:02:00"), Steps: []operations.ProbeStep{{Step: "dns", OK: true}}},
	}}
	pages["today-first"] = todayview.Page(first)
	none := s.Today(models.Administrator)
	none.Day, none.First = sales.DayFigures{}, &salesview.Onboarding{Begun: &operations.Onboarding{People: 1}}
	pages["today-first-none"] = todayview.Page(none)
}
