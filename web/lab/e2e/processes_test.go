package e2e

import (
	"testing"
	"time"

	"veinte/web/lab"
)

// soon is shorter than the interval at which a list polls while the stream of
// changes is open: an earlier update came from the stream.
const soon = 8 * time.Second

// shop is a shop with two servers on one database, each a process of its own.
type shop struct {
	first, last *server // terminals post to the last
	serials     []string
}

// openShop opens one of the laboratory's, whose clock is the real one and whose
// zone is where it is about noon.
func openShop(t *testing.T) *shop {
	t.Helper()
	l, err := lab.Start(t.Context(), lab.Options{
		Setup: lab.Setup{Bin: binary}, Managers: 1, Servers: 2,
		// A browser sees what is under way before it ends.
		ResultDelay: time.Second,
		Settings:    []string{"CANCEL_TIMEOUT=30s", "RESULT_WAIT=30s", "QUIET_TIME=30s"},
	})
	if err != nil {
		t.Fatalf("the shop did not open: %v", err)
	}
	t.Cleanup(func() {
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	})
	logins := map[string]login{}
	for role, person := range map[string]*lab.Person{manager: l.Managers[0], supervisor: l.Supervisor} {
		email, password := person.Login()
		logins[role] = login{email, password}
	}
	s := &shop{}
	for i, to := range []**server{&s.first, &s.last} {
		*to = &server{url: l.Servers[i].URL, box: &sandbox{url: l.Box.URL}, logins: logins, log: &lockedBuffer{}}
	}
	for i := range l.Terminals() {
		s.serials = append(s.serials, l.Serial(i))
	}
	return s
}

// Several processes act as one product: changes at one appear at once on the pages
// of the other, and a request that reaches both counts once.
func TestTwoProcesses(t *testing.T) {
	t.Parallel()
	shop := openShop(t)
	box := shop.first.box
	sofia := shop.first.openAs(t, supervisor, desk)
	sofia.goTo("/sales")
	ana := shop.last.openAs(t, manager, phone)
	ana.goTo("/sales")
	for _, p := range []*page{sofia, ana} {
		p.do(markLoaded)
	}

	// The first change may be seen by asking; the others come sooner than that. Order
	// numbers as terminals write them hold the time in Mexico City, and would be of
	// another day where it is noon.
	order := box.sell(t, shop.serials[0], "1250.00", map[string]any{"orderId": "orden-1"})
	sofia.until("the sale", has(sale(order)))
	ana.until("the sale", has(sale(order)))
	second := box.sell(t, shop.serials[1], "480.00", map[string]any{"orderId": "orden-2"})
	sofia.untilWithin(soon, "what a terminal posted to the other process", has(sale(second)))
	ana.untilWithin(soon, "what a terminal posted", has(sale(second)))

	// What the manager does at one process is seen at the other, step by step.
	box.fault(t, order, "lateResult", map[string]any{"delay": "4s"})
	ana.press(sale(order) + " " + id("cancel"))
	ana.see("dialog[open] " + id("cancel-form"))
	ana.press("dialog input[name=reason][value=chargedTwice]")
	ana.press("dialog " + id("confirm"))
	sofia.untilWithin(soon, "who cancels it", says(sale(order), "la está cancelando desde"))
	sofia.untilWithin(soon, "its end", has(sale(order)+"[data-state=confirmed]"))
	sofia.wantNotReloaded()
	ana.wantState("confirmed")
	box.wantOneCancel(t, order, false)

	// The same session at both, as behind a load balancer: one sheet at each,
	// both pressed.
	id2 := shop.first.saleID(t, second)
	tabs := []*page{ana, shop.first.open(t, phone)}
	tabs[1].setCookie(sessionCookie, shop.last.as(t, manager).session())
	for _, tab := range tabs {
		tab.watch.allow("status of 409")
		tab.openSheet(second)
		tab.press("dialog input[name=reason][value=chargedTwice]")
	}
	for _, tab := range tabs {
		tab.press("dialog " + id("confirm"))
	}
	tabs[0].at("/sales/" + id2)
	tabs[0].wantState("confirmed")
	tabs[1].until("why it is not canceled again", says("#sheet, #story", "en curso")+" || "+says("#sheet, #story", "Cancelada")+
		" || "+says("#sheet", "El estado de la venta no permite cancelarla"))
	box.wantOneCancel(t, second, false)
}
