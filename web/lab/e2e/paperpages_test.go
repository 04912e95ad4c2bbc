package e2e

import "fmt"

// paperPages are what is printed or sent, and what people make for themselves.
func paperPages(sales map[string]string) []place {
	notice := func(state string) string { return "/sales/" + sales[state] + "/slip" }
	storeFilter := func(p *page) {
		// The names of the filters that one person keeps differ.
		p.fill("#f-name", fmt.Sprintf("Pendiente %d", made.Add(1)))
		p.press(id("view-form") + " button[type=submit]")
		p.see(id("view"))
	}
	changeFilter := func(p *page) {
		storeFilter(p)
		p.press(id("view") + " a[href$='/edit']")
		p.until("its form", "location.pathname.endsWith('/edit') && "+has(id("view-form")))
	}
	return []place{
		{name: "slip-confirmed", role: manager, path: notice("confirmed")},
		{name: "slip-accepted", role: manager, path: notice("accepted")},
		{name: "slip-rejected", role: manager, path: notice("rejected")},
		{name: "slip-unknown", role: manager, path: notice("unknown")},
		{name: "slip-cancelable", role: manager, path: notice("cancelable")},
		{name: "pending", role: manager, path: "/sales/pending"},
		{name: "pending-all-stores", role: supervisor, path: "/sales/pending"},
		{name: "pending-none", role: manager, path: "/sales/pending?date=2026-11-18"},
		{name: "pending-wrong", role: manager, path: "/sales/pending?date=ayer", status: "422"},
		{name: "sale-view-kept", role: supervisor, path: "/sales/views/new?state=unknown", then: storeFilter},
		{name: "sale-view-edit", role: supervisor, path: "/sales/views/new?state=confirmed", then: changeFilter},
		{name: "audit-view-kept", role: supervisor, path: "/audit/views/new?outcome=denied", then: storeFilter},
		{name: "audit-view-edit", role: supervisor, path: "/audit/views/new?outcome=success", then: changeFilter},
	}
}

// picturePages are those with pictures, in each state.
func picturePages() []place {
	return []place{
		{name: "day", role: manager, path: "/sales/day"},
		{name: "day-all-stores", role: supervisor, path: "/sales/day?by=sales"},
		{name: "day-empty", role: manager, path: "/sales/day?date=2026-11-18"},
		{name: "day-wrong", role: manager, path: "/sales/day?date=ayer", status: "422"},
		{name: "period-week", role: supervisor, path: "/oversight/days"},
		{name: "period-month", role: administrator, path: "/oversight/days?unit=month&by=sales"},
		{name: "period-empty", role: supervisor, path: "/oversight/days?from=2020-01-01"},
		{name: "period-refused", role: supervisor, path: "/oversight/days?unit=year&from=ayer", status: "422"},
	}
}
