package e2e

import (
	"testing"
	"time"

	"veinte/web/lab"
)

// shop is a shop with servers on one database, each a process of its own.
type shop struct {
	first, last *server // terminals post to the last
	serials     []string
	day         string // as tickets have it
}

// openShop opens one of the laboratory's, whose clock is the real one and whose
// zone is where it is about noon.
func openShop(t *testing.T, servers int, settings ...string) *shop {
	t.Helper()
	l, err := lab.Start(t.Context(), lab.Options{
		Setup: lab.Setup{Bin: binary}, Managers: 1, Servers: servers,
		// A browser sees what is under way before it ends.
		ResultDelay: time.Second,
		Settings:    append([]string{"CANCEL_TIMEOUT=30s", "RESULT_WAIT=10m", "QUIET_TIME=30s"}, settings...),
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
	at := func(i int) *server {
		return &server{url: l.Servers[i].URL, box: &sandbox{url: l.Box.URL}, logins: logins, log: &lockedBuffer{}}
	}
	s := &shop{day: l.Today(), first: at(0), last: at(servers - 1)}
	for i := range l.Terminals() {
		s.serials = append(s.serials, l.Serial(i))
	}
	return s
}

// Several processes act as one product: changes at one appear at once on the pages
// of the other, and a request that reaches both counts once.
func TestTwoProcesses(t *testing.T) {
	t.Parallel()
	shop := openShop(t, 2)
	box := shop.first.box
	sofia, ana := shop.first.openAs(t, supervisor, desk), shop.last.openAs(t, manager, phone)
	for _, p := range []*page{sofia, ana} {
		p.onEveryPage(streams)
		p.goTo("/sales")
		p.do(markLoaded)
		p.until("an open stream", "window.streams.at(-1)?.readyState === 1")
	}

	// Order numbers as terminals write them hold the time in Mexico City, and would be of
	// another day where it is noon.
	order := box.sell(t, shop.serials[0], "1250.00", map[string]any{"orderId": "orden-1"})
	sofia.until("the sale", has(sale(order)))
	ana.until("the sale", has(sale(order)))
	second := "orden-2"
	sofia.expect(has(sale(second)))
	ana.expect(says(id("new-sales"), "1 venta nueva")) // she is taken to read her list
	box.sell(t, shop.serials[1], "480.00", map[string]any{"orderId": second})
	sofia.wantAnnounced("what a terminal posted to the other process")
	ana.wantAnnounced("what a terminal posted")

	// What the manager does at one process is seen at the other, step by step.
	box.withhold(t, order)
	ana.press(sale(order) + " " + id("cancel"))
	ana.see("dialog[open] " + id("cancel-form"))
	// The number holds no time, so the sheet asks for the date on the ticket.
	ticket := `(document.querySelector("dialog [name=ticketDate]").value = "` + shop.day + `", true)`
	ana.until("the date on the ticket", ticket)
	ana.press("dialog input[name=reason][value=chargedTwice]")
	sofia.expect(says(sale(order), "la está cancelando desde"))
	ana.press("dialog " + id("confirm"))
	sofia.wantAnnounced("who cancels it")
	ana.wantState("accepted")
	sofia.expect(has(sale(order) + "[data-state=confirmed]"))
	box.report(t, order)
	sofia.wantAnnounced("its end")
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
		tab.until("the date on the ticket", ticket)
		tab.press("dialog input[name=reason][value=chargedTwice]")
		tab.do(step(`document.querySelector("#sheet form").removeAttribute("data-turns")`)) // nobody tells it of the other
	}
	for _, tab := range tabs {
		tab.press("dialog " + id("confirm"))
	}
	done := 0 // either may have been first
	for _, tab := range tabs {
		tab.until("the story, or why it is not canceled again", has(id("story"))+" || "+refused)
		if eval[string](tab, "location.pathname") == "/sales/"+id2 {
			tab.wantState("confirmed")
			done++
		}
	}
	if done == 0 {
		t.Error("neither sheet canceled the sale")
	}
	box.wantOneCancel(t, second, false)
}
